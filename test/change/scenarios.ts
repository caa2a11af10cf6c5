import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CursorExpired } from "../../src/domain/change/ChangeList.ts"
import { beginning, cursorOf } from "../../src/domain/change/ChangePosition.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { open } from "../support/discussion.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  // The first events of the log are not kept any more.
  yield* sql`update event_log_kept set (generation, txid, event_id) =
    (select generation, txid, id from event_log order by generation, txid, id limit 1)`
  yield* open(freya, "Told")
  return [
    { operation: "ChangeList", call: freya.get("/changes"), expects: 200, statements: 3 },
    {
      operation: "ChangeList",
      when: "of nothing yet",
      call: guest.get("/changes?after=latest"),
      expects: 200,
      statements: 2
    },
    {
      operation: "ChangeList",
      when: "after what is no cursor",
      call: guest.get("/changes?after=0"),
      expects: InvalidRequest
    },
    {
      operation: "ChangeList",
      when: "after what is not kept",
      call: guest.get(`/changes?after=${cursorOf(beginning)}`),
      expects: CursorExpired
    },
    {
      operation: "ChangeStream",
      when: "after what is not kept",
      call: guest.get(`/changes/stream?after=${cursorOf(beginning)}`),
      expects: CursorExpired,
      statements: 2
    },
    {
      operation: "ChangeStream",
      when: "after what is no cursor",
      call: guest.get("/changes/stream?after=0"),
      expects: InvalidRequest
    },
    // At last, as what comes after the beginning is read meanwhile.
    { operation: "ChangeStream", call: freya.get("/changes/stream"), expects: 200 }
  ]
})
