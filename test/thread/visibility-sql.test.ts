import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { mayRead, readableBy, Visibility } from "../../src/domain/shared/Visibility.ts"
import { replyPolicy, threadPolicy } from "../../src/domain/thread/ThreadRules.ts"
import { passing } from "../../src/persistence/shared/VisibilitySql.ts"
import * as TestApp from "../support/TestApp.ts"

const author = AccountId.make("a".repeat(20))
const other = AccountId.make("b".repeat(20))

const account = (accountId: AccountId, moderates: boolean): Actor => ({
  _tag: "Account",
  accountId,
  permissions: new Set(moderates ? ["MANAGE_POSTS"] : ["CREATE_POST"]),
  suspended: false,
  credential: "cookie"
})

const actors: ReadonlyArray<Actor> = [
  { _tag: "Guest", permissions: new Set() },
  { _tag: "Guest", permissions: new Set(["MANAGE_POSTS"]) },
  account(author, false),
  account(other, false),
  account(author, true),
  account(other, true)
]

layer(TestApp.layer)("a visibility policy in SQL", (it) => {
  it.effect("passes exactly the rows that the policy lets an actor read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const policy of [threadPolicy, replyPolicy]) {
        for (const actor of actors) {
          const viewer = actor._tag === "Account" ? actor.accountId : undefined
          const rows = yield* sql<{ readonly author_id: AccountId; readonly visibility: Visibility }>`
            select t.author_id, t.visibility
            from unnest(${[author, other]}::text[]) a (author_id)
            cross join unnest(${[...Visibility.literals]}::text[]) v (visibility)
            cross join lateral (select a.author_id, v.visibility) t
            where ${passing(sql, "t", readableBy(policy, actor), viewer)}
            order by t.author_id, t.visibility`
          const expected = [author, other].flatMap((authorId) =>
            Visibility.literals
              .toSorted()
              .filter((visibility) => mayRead(policy, { authorId, visibility }, actor))
              .map((visibility) => ({ author_id: authorId, visibility }))
          )
          assert.deepStrictEqual(rows, expected)
        }
      }
    })
  )
})
