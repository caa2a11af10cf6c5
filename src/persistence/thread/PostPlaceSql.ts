/** The places of replies in their threads: their numbers, less the replies before them that are not shown. */
import { Effect, Option } from "effect"
import type { PostId } from "../../domain/shared/Id.ts"
import type { PostPlace } from "../../domain/thread/PostLocation.ts"
import type { ReplySelection } from "../../domain/thread/ThreadContent.ts"
import type { ThreadSummary } from "../../domain/thread/ThreadSummary.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { type StateRow, stateColumns, stateOf } from "./PostStateSql.ts"

type PlaceRow = StateRow & { readonly slug: string; readonly ordinal: number }

const placeText = `select ${stateColumns}, o.slug, p.ordinal
  from posts p join threads t on t.id = p.thread_id join posts o on o.id = p.thread_id
  where p.id = $1 and p.deleted_at is null and t.deleted_at is null`

// Few replies are deleted or not published, and indexes have only these.
const hiddenText = `select (
    select count(*) from posts
      where thread_id = $1 and ordinal < $2 and deleted_at is not null and id <> thread_id
  )::int + (
    select count(*) from posts
      where thread_id = $1 and ordinal < $2 and ordinal > 0 and deleted_at is null and visibility <> 'published'
        and visibility <> all(case when author_id = $3 then $4::text[] else $5::text[] end)
  )::int as hidden`

// The visibilities that a viewer sees who reads all replies.
const everything = ["draft", "unlisted", "review", "published"]

export const makePostPlaces = Effect.map(QuickReads, (reads) => {
  const findPlace = (id: PostId) =>
    Effect.map(first(reads.unsafe<PlaceRow>(placeText, [id])), (row) =>
      row === undefined
        ? Option.none<PostPlace>()
        : Option.some<PostPlace>({ post: stateOf(row), slug: row.slug, ordinal: row.ordinal })
    )

  const countBefore = (
    { ordinal }: PostPlace,
    { counts, id, repliesMade }: ThreadSummary,
    { only }: ReplySelection
  ): Effect.Effect<number> => {
    if (only === undefined && repliesMade === counts.replies) return Effect.succeed(ordinal - 1)
    const { others, own } = only?.filter ?? { others: everything, own: everything }
    const parameters = [id, ordinal, only?.viewer ?? null, own, others]
    return Effect.map(
      first(reads.unsafe<{ readonly hidden: number }>(hiddenText, parameters)),
      (row) => ordinal - 1 - (row?.hidden ?? 0)
    )
  }

  return { findPlace, countBefore } as const
})
