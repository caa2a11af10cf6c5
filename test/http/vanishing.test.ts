/** What is gone again when it is answered with: somebody else deletes it the moment that it is there. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { InvitationNotFound } from "../../src/domain/invitation/Invitation.ts"
import { ModerationNoteNotFound } from "../../src/domain/moderation/ModerationNote.ts"
import { WarningNotFound } from "../../src/domain/moderation/Warning.ts"
import { ReportNotFound } from "../../src/domain/report/Report.ts"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

layer(People.layer)("what vanishes", (it) => {
  it.effect("is not found, though it was created", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`create function vanish() returns trigger language plpgsql as $$
        begin execute format('delete from %I where id = $1', tg_table_name) using new.id; return null; end $$`
      for (const table of ["invitations", "moderation_notes", "account_warnings", "reports"]) {
        yield* sql`create constraint trigger vanish after insert on ${sql(table)} deferrable initially deferred
          for each row execute function vanish()`
      }
      assertProblem(yield* odin.post("/invitations"), InvitationNotFound)
      const notes = `/accounts/${freya.id}/moderation-notes`
      assertProblem(yield* odin.post(notes, { content: "x" }), ModerationNoteNotFound)
      assertProblem(yield* odin.post(`/accounts/${freya.id}/warnings`, { reason: "x" }), WarningNotFound)
      assertProblem(yield* odin.post("/reports", { target_id: nobody, target_kind: "post" }), ReportNotFound)
    })
  )
})
