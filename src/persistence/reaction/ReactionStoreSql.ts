import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { StoredReaction } from "../../domain/reaction/ReactionRules.ts"
import { ReactionStore } from "../../domain/reaction/ReactionStore.ts"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

interface ReactionRow {
  readonly id: StoredReaction["id"]
  readonly account_id: AccountId
  readonly emoji: string
}

export const layer = Layer.effect(
  ReactionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    return ReactionStore.of({
      ofPost: (postId) =>
        Effect.map(
          all(sql<ReactionRow>`select id, account_id, emoji from reacts where post_id = ${postId}`),
          (rows) => rows.map(({ account_id, emoji, id }) => ({ id, accountId: account_id, emoji }))
        ),

      insert: ({ accountId, at, emoji, id, postId }) =>
        run(sql`insert into reacts (id, post_id, account_id, emoji, created_at)
          values (${id}, ${postId}, ${accountId}, ${emoji}, ${toDate(at)})`),

      delete: (id) =>
        Effect.flatMap(
          first(
            sql<{ readonly thread_id: PostId }>`delete from reacts r using posts p
              where r.id = ${id} and p.id = r.post_id returning p.thread_id`
          ),
          (row) =>
            row === undefined
              ? Effect.die(new Error(`Reaction ${id} was not locked`))
              : Effect.succeed(row.thread_id)
        ),

      author: Effect.fnUntraced(function* (id) {
        const row = yield* first(
          reads<{ readonly version: string }>`select ${reads.literal(peopleVersion)} as version`
        )
        return (yield* people.resolve([id], row?.version ?? "")).brief(id)
      })
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
