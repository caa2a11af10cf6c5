import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import { AccountId, PostId } from "../../src/domain/shared/Id.ts"
import { mayRead, readableBy, Visibility } from "../../src/domain/shared/Visibility.ts"
import { type PostState, replyPolicy, threadPolicy } from "../../src/domain/thread/PostVisibility.ts"
import { decideReadable } from "../../src/domain/thread/ReadablePost.ts"
import { postReaderOf } from "../../src/domain/thread/ThreadRules.ts"
import { readablePost } from "../../src/persistence/visibility/ReadablePostSql.ts"
import { visibilityCondition } from "../../src/persistence/visibility/VisibilitySql.ts"
import * as TestApp from "../support/TestApp.ts"

const author = AccountId.make("a".repeat(20))
const other = AccountId.make("b".repeat(20))

const account = (accountId: AccountId, moderates: boolean): Actor => ({
  _tag: "Account",
  accountId,
  permissions: new Set(["READ_PUBLISHED_THREADS", moderates ? "MANAGE_POSTS" : "CREATE_POST"]),
  suspended: false,
  credential: "cookie"
})

const actors: ReadonlyArray<Actor> = [
  { _tag: "Guest", permissions: new Set(["READ_PUBLISHED_THREADS"]) },
  { _tag: "Guest", permissions: new Set(["READ_PUBLISHED_THREADS", "MANAGE_POSTS"]) },
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
            where ${visibilityCondition(sql, "t", readableBy(policy, actor), viewer)}
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

  it.effect("lets an actor read exactly the posts that they find", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [threadId, replyId] = [PostId.make("t".repeat(20)), PostId.make("p".repeat(20))]
      const targets = [author, other].flatMap((authorId) =>
        Visibility.literals.map((visibility) => ({ authorId, visibility }))
      )
      const posts = targets.flatMap((target): ReadonlyArray<PostState> => {
        const thread = { id: threadId, ...target }
        return [{ ...thread, thread }, ...targets.map((reply) => ({ id: replyId, ...reply, thread }))]
      })
      const rows = posts.map(({ authorId, id, thread, visibility }) => ({
        id,
        author_id: authorId,
        visibility,
        thread_author_id: thread.authorId,
        thread_visibility: thread.visibility
      }))
      const read = (actor: Actor, deleted: "nothing" | "post" | "thread") => {
        const reader = postReaderOf(actor) ?? assert.fail("a reader is expected")
        const instant = (what: typeof deleted) =>
          sql.literal(deleted === what ? "now()" : "null::timestamptz")
        return Effect.map(
          sql<{
            readonly place: number
          }>`select place::int from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
              as (id text, author_id text, visibility text, thread_author_id text, thread_visibility text))
              with ordinality given (id, author_id, visibility, thread_author_id, thread_visibility, place)
            cross join lateral (select given.id, given.author_id, given.visibility, ${instant("post")} as deleted_at) p
            cross join lateral (select ${threadId}::text as id, thread_author_id as author_id,
              thread_visibility as visibility, ${instant("thread")} as deleted_at) t
            where ${readablePost(sql, reader)} order by place`,
          (found) => found.map(({ place }) => place - 1)
        )
      }
      for (const actor of actors) {
        const found = posts.flatMap((post, place) =>
          decideReadable(actor, Option.some(post)) === "readable" ? [place] : []
        )
        assert.isNotEmpty(found)
        assert.deepStrictEqual(yield* read(actor, "nothing"), found)
        for (const deleted of ["post", "thread"] as const) {
          assert.deepStrictEqual(yield* read(actor, deleted), [])
        }
      }
    })
  )
})
