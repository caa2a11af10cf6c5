import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { maySee, readableBy } from "../../src/domain/calendar/CalendarRules.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { Visibility } from "../../src/domain/shared/Visibility.ts"
import { ParticipantRole } from "../../src/domain/vocabulary/Participation.ts"
import { isReadable } from "../../src/persistence/calendar/CalendarListSql.ts"
import * as TestApp from "../support/TestApp.ts"

const viewer = AccountId.make("a".repeat(20))

const account = (suspended: boolean, manages: boolean): Actor => ({
  _tag: "Account",
  accountId: viewer,
  permissions: new Set(manages ? ["MANAGE_EVENTS"] : ["CREATE_POST"]),
  suspended,
  credential: "cookie"
})

const actors: ReadonlyArray<Actor> = [
  { _tag: "Guest", permissions: new Set() },
  { _tag: "Guest", permissions: new Set(["MANAGE_EVENTS"]) },
  account(false, false),
  account(false, true),
  account(true, false),
  account(true, true)
]

layer(TestApp.layer)("the visibility of events in SQL", (it) => {
  it.effect("passes exactly the events that an actor may see", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const parts = [undefined, ...ParticipantRole.literals]
      for (const actor of actors) {
        for (const callerRole of parts) {
          const rows = yield* sql<{ readonly visibility: Visibility }>`
            with calendar_participants as (
              select 'e' as event_id, ${viewer} as account_id, ${callerRole ?? null}::text as role
              where ${callerRole !== undefined}
            )
            select e.visibility from unnest(${[...Visibility.literals]}::text[]) v (visibility)
            cross join lateral (select 'e' as id, v.visibility) e
            where ${isReadable(sql, readableBy(actor))} order by e.visibility`
          // A guest takes part in nothing.
          const role = actor._tag === "Guest" ? undefined : callerRole
          const expected = Visibility.literals
            .toSorted()
            .filter((visibility) => maySee({ visibility, callerRole: role }, actor))
          assert.deepStrictEqual(
            rows.map(({ visibility }) => visibility),
            expected
          )
        }
      }
    })
  )
})
