import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  ReportHandlerUnknown,
  ReportNotFound,
  ReportNotYours,
  TooManyReports,
  TooManyReportsOfTarget
} from "../../src/domain/report/Report.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** Gives an account as many open reports as it may have. */
export const fill = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into reports (id, created_at, updated_at, target_id, target_kind, reported_by)
      select 'rep' || lpad(n::text, 16, '0') || '0', '1969-01-01Z', '1969-01-01Z',
        'target' || lpad((n % 50)::text, 13, '0') || '0', 'post', ${id}
      from generate_series(1, 1000) n`
  )

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(tyr, "MANAGE_REPORTS")
  const thread = yield* open(freya, "Reported")
  const report = { target_id: thread.id, target_kind: "thread" }
  const { id } = ok(yield* loki.post("/reports", report))
  yield* fill(freya.id)
  for (const _ of Array.from({ length: 20 })) ok(yield* odin.post("/reports", report))
  return [
    { operation: "ReportCreate", call: loki.post("/reports", report), expects: 200, statements: 5 },
    {
      operation: "ReportCreate",
      when: "of what does not exist",
      call: loki.post("/reports", { target_id: nobody, target_kind: "event" }),
      expects: 200
    },
    {
      operation: "ReportCreate",
      when: "by a guest",
      call: guest.post("/reports", report),
      expects: Unauthenticated
    },
    {
      operation: "ReportCreate",
      when: "one too many",
      call: freya.post("/reports", report),
      expects: TooManyReports
    },
    {
      operation: "ReportCreate",
      when: "of the same thing, one too many",
      call: odin.post("/reports", report),
      expects: TooManyReportsOfTarget
    },
    { operation: "ReportList", call: tyr.get("/reports"), expects: 200, statements: 3 },
    { operation: "ReportList", when: "by a guest", call: guest.get("/reports"), expects: Unauthenticated },
    {
      operation: "ReportUpdate",
      call: tyr.patch(`/reports/${id}`, { status: "acknowledged" }),
      expects: 200,
      statements: 7
    },
    {
      operation: "ReportUpdate",
      when: "with an unknown handler",
      call: tyr.patch(`/reports/${id}`, { handled_by: nobody }),
      expects: ReportHandlerUnknown
    },
    {
      operation: "ReportUpdate",
      when: "of another",
      call: freya.patch(`/reports/${id}`, { status: "resolved" }),
      expects: ReportNotYours
    },
    {
      operation: "ReportUpdate",
      when: "of none",
      call: tyr.patch(`/reports/${nobody}`, { status: "resolved" }),
      expects: ReportNotFound
    }
  ]
})
