import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { likesMax } from "../../domain/like/Like.ts"
import { LikeStore, pageSize, type StoredLike } from "../../domain/like/LikeStore.ts"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { PostReader } from "../../domain/thread/ThreadRules.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { foundPage } from "../shared/FoundRows.ts"
import { all, first, some } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { postItemSize, sizeFrom } from "../sizes/ItemSizes.ts"
import { mostOfThread } from "../sizes/PostSize.ts"
import { readablePost } from "../visibility/ReadablePostSql.ts"

interface OwnerRow {
  readonly id: StoredLike["id"]
  readonly created_at: Date
  readonly account_id: AccountId
  readonly people_version: string
}

interface LikeRow {
  readonly id: StoredLike["id"]
  readonly created_at: Date
  readonly post_id: PostId
}

const likeOf = ({ created_at, id, post_id }: LikeRow): StoredLike => ({
  id,
  at: toTimestamp(created_at),
  postId: post_id
})

export const layer = Layer.effect(
  LikeStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    const most = reads.literal(String(likesMax))

    /**
     * At least as many bytes as the post of a like takes; null if its reader may not read it. Posts are looked up one by
     * one: a limit keeps the planner from reading all there are.
     */
    const readableSize = (reader: PostReader) =>
      reads`(select case when ${readablePost(reads, reader)} then ${reads.literal(mostOfThread("t"))} end
        from posts p join threads t on t.id = p.thread_id where p.id = l.post_id limit 1)`

    return LikeStore.of({
      insert: ({ accountId, at, id, postId, threadId }) =>
        some(sql`insert into likes (id, post_id, thread_id, account_id, created_at)
          values (${id}, ${postId}, ${threadId}, ${accountId}, ${toDate(at)})
          on conflict (post_id, account_id) do nothing returning id`),

      delete: (postId, accountId) =>
        Effect.map(
          first(
            sql<{ readonly thread_id: PostId }>`delete from likes
              where post_id = ${postId} and account_id = ${accountId} returning thread_id`
          ),
          (row) => row?.thread_id
        ),

      ofPost: Effect.fnUntraced(function* (postId, reader) {
        const rows = yield* all(
          reads<OwnerRow>`select l.id, l.created_at, l.account_id, ${reads.literal(peopleVersion)} as people_version
            from likes l
            where l.post_id = ${postId} and exists (
              select from posts p join threads t on t.id = p.thread_id
              where p.id = ${postId} and ${readablePost(reads, reader)})
            order by l.created_at, l.id limit ${most}`
        )
        return yield* people.show(
          rows,
          ({ account_id }) => [account_id],
          ({ account_id, created_at, id }, { brief }) => ({
            id,
            created_at: toTimestamp(created_at),
            owner: brief(account_id)
          })
        )
      }),

      ofAccount: (accountId, reader, place) =>
        Effect.map(
          foundPage<LikeRow>(reads, {
            place,
            pageSize,
            found: reads`select id, created_at, post_id, size from (
                select l.*, ${readableSize(reader)} as size from (
                  select id, created_at, post_id from likes where account_id = ${accountId}
                  order by created_at desc, id desc limit ${most}
                ) l offset 0
              ) l where size is not null`,
            size: sizeFrom("found.size", pageSize, postItemSize("found.post_id")),
            order: [
              ["created_at", "desc", "timestamptz"],
              ["id", "desc", "text"]
            ],
            columns: "page.id, page.created_at, page.post_id"
          }),
          ({ next, rows, total }) => ({ total, next, likes: rows.map(likeOf) })
        )
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
