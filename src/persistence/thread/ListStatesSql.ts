/** What viewers have of listed threads. */
import { Effect } from "effect"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import { noState, type ViewerState } from "../../domain/thread/ThreadContent.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { repliesSince } from "./ThreadHeadSql.ts"

/** A listed thread. */
interface ListedRow {
  readonly id: PostId
  readonly last_reply_at: Date | null
}

/** Something that the viewer has of a thread: when they read it, how often they replied, or that they like it. */
interface StateRow {
  readonly id: PostId
  readonly read_at: Date | null
  readonly replied: number | null
}

interface SinceRow {
  readonly id: PostId
  readonly replies_since: number
}

const statesText = `
  select thread_id as id, read_at, null::integer as replied from read_marks
    where account_id = $1 and thread_id = any($2::text[])
  union all select thread_id, null, replies from thread_participants
    where account_id = $1 and thread_id = any($2::text[])
  union all select post_id, null, null from likes
    where account_id = $1 and post_id = any($2::text[])`

const sinceText = `select t.id, ${repliesSince("t", "m.read_at")} as replies_since
  from threads t join read_marks m on m.thread_id = t.id and m.account_id = $1
  where t.id = any($2::text[])`

interface Listed {
  readonly state: ViewerState
  readonly isLiked: boolean
}

const nothing: Listed = { state: noState, isLiked: false }

export const makeListStates = Effect.map(QuickReads, (sql) => {
  /** Replies since their viewer read them, of those threads that have any. */
  const sinceOf = Effect.fnUntraced(function* (
    viewer: AccountId,
    rows: ReadonlyArray<ListedRow>,
    readAt: ReadonlyMap<PostId, Date>
  ) {
    const withNews = rows.flatMap(({ id, last_reply_at }) => {
      const read = readAt.get(id)
      return read !== undefined && last_reply_at !== null && read < last_reply_at ? [id] : []
    })
    if (withNews.length === 0) return new Map<PostId, number>()
    const since = yield* all(sql.unsafe<SinceRow>(sinceText, [viewer, withNews]))
    return new Map(since.map(({ id, replies_since }) => [id, replies_since]))
  })

  /** Answers what the viewer has of each thread. */
  return Effect.fnUntraced(function* (viewer: AccountId | undefined, rows: ReadonlyArray<ListedRow>) {
    if (viewer === undefined || rows.length === 0) return () => nothing
    const ids = rows.map(({ id }) => id)
    const states = yield* all(sql.unsafe<StateRow>(statesText, [viewer, ids]))
    const readAt = new Map<PostId, Date>()
    const replied = new Map<PostId, number>()
    const liked = new Set<PostId>()
    for (const state of states) {
      if (state.read_at !== null) readAt.set(state.id, state.read_at)
      else if (state.replied !== null) replied.set(state.id, state.replied)
      else liked.add(state.id)
    }
    const since = yield* sinceOf(viewer, rows, readAt)
    return (id: PostId): Listed => {
      const read = readAt.get(id)
      return {
        state: {
          lastReadAt: read === undefined ? undefined : toTimestamp(read),
          repliesSince: since.get(id) ?? 0,
          replied: replied.get(id) ?? 0
        },
        isLiked: liked.has(id)
      }
    }
  })
})
