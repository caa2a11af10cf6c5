import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import { readableAs } from "../../domain/shared/Visibility.ts"
import { MentionStore, toldAtOnceMax } from "../../domain/thread/MentionStore.ts"
import { replyPolicy } from "../../domain/thread/PostVisibility.ts"
import { all } from "../shared/Query.ts"
import { visibilityCondition } from "../visibility/VisibilitySql.ts"

interface ToldRow {
  readonly post_id: PostId
  readonly thread_id: PostId
  readonly author_id: AccountId
  readonly account_id: AccountId
}

export const layer = Layer.effect(
  MentionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const isReadable = visibilityCondition(sql, "p", readableAs(replyPolicy, false), undefined)

    return MentionStore.of({
      // The accounts that were told are kept, so that none is told again when its mention is removed and comes back.
      write: (post, mentioned, isTold) =>
        Effect.map(
          all(sql<{ readonly account_id: AccountId }>`with removed as (
              delete from post_mentions
              where post_id = ${post.id} and not told and not account_id = any(${mentioned}::text[])
            )
            insert into post_mentions as known (post_id, thread_id, account_id, told)
            select ${post.id}, ${post.threadId}, id, ${isTold}::boolean from accounts
            where id = any(${mentioned}::text[]) and id <> ${post.authorId} order by id
            on conflict (post_id, account_id) do update set told = excluded.told
              where excluded.told and not known.told
            returning account_id`),
          (rows) => (isTold ? rows.map(({ account_id }) => account_id) : [])
        ),

      tell: (of) => {
        const isMeant = "postId" in of ? sql`m.post_id = ${of.postId}` : sql`m.thread_id = ${of.threadId}`
        return Effect.map(
          all(sql<ToldRow>`with due as (
              select m.post_id, m.account_id, p.author_id from post_mentions m join posts p on p.id = m.post_id
              where ${isMeant} and not m.told and p.deleted_at is null and ${isReadable}
              order by p.ordinal, m.account_id limit ${toldAtOnceMax}::bigint
            )
            update post_mentions m set told = true from due
            where m.post_id = due.post_id and m.account_id = due.account_id
            returning m.post_id, m.thread_id, due.author_id, m.account_id`),
          (rows) =>
            rows.map(({ account_id, author_id, post_id, thread_id }) => ({
              post: { id: post_id, threadId: thread_id, authorId: author_id },
              mentioned: account_id
            }))
        )
      }
    })
  })
)
