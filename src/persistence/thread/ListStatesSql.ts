/** What listed threads show beside themselves, in versions, and what their viewer has of them. */
import { Effect } from "effect"
import type { AccountId, CategoryId, PostId } from "../../domain/shared/Id.ts"
import { noState, type ViewerState } from "../../domain/thread/ThreadContent.ts"
import type { ThreadHead } from "../../domain/thread/ThreadStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { repliesSince } from "./ThreadHeadSql.ts"
import type { ListRow } from "./ThreadListSql.ts"

interface StateRow {
  readonly id: PostId
  readonly read_at: Date | null
  readonly replied: number | null
  readonly liked: boolean
}

interface VersionRow<Id> {
  readonly id: Id
  readonly version: string
}

interface SinceRow {
  readonly id: PostId
  readonly replies_since: number
}

const statesText = `select i.id, m.read_at, p.replies as replied, l.id is not null as liked
  from unnest($2::text[]) i (id)
  left join read_marks m on m.thread_id = i.id and m.account_id = $1
  left join thread_participants p on p.thread_id = i.id and p.account_id = $1
  left join likes l on l.post_id = i.id and l.account_id = $1
  where m.read_at is not null or p.replies is not null or l.id is not null`

const sinceText = `select t.id, ${repliesSince("t", "m.read_at")} as replies_since
  from threads t join read_marks m on m.thread_id = t.id and m.account_id = $1
  where t.id = any($2::text[])`

export const makeListStates = Effect.map(QuickReads, (sql) => {
  const categoryVersions = (ids: ReadonlyArray<CategoryId>) =>
    ids.length === 0
      ? Effect.succeed([])
      : all(
          sql<VersionRow<CategoryId>>`select id, version::text from categories where id = any(${ids}::text[])`
        )

  const tagVersions = (ids: ReadonlyArray<PostId>) =>
    all(sql<VersionRow<PostId>>`select tt.thread_id as id, sum(t.version)::text as version
      from thread_tags tt join tags t on t.id = tt.tag_id where tt.thread_id = any(${ids}::text[])
      group by tt.thread_id`)

  const statesFor = Effect.fnUntraced(function* (
    viewer: AccountId | undefined,
    rows: ReadonlyArray<ListRow>
  ) {
    if (viewer === undefined) return new Map<PostId, StateRow & { readonly since: number }>()
    const states = yield* all(sql.unsafe<StateRow>(statesText, [viewer, rows.map(({ id }) => id)]))
    const readAt = new Map(states.map(({ id, read_at }) => [id, read_at]))
    const withNews = rows.filter(({ id, last_reply_at }) => {
      const read = readAt.get(id)
      return read !== undefined && read !== null && last_reply_at !== null && read < last_reply_at
    })
    const since =
      withNews.length === 0
        ? []
        : yield* all(sql.unsafe<SinceRow>(sinceText, [viewer, withNews.map(({ id }) => id)]))
    const sinceOf = new Map(since.map(({ id, replies_since }) => [id, replies_since]))
    return new Map(states.map((state) => [state.id, { ...state, since: sinceOf.get(state.id) ?? 0 }]))
  })

  return Effect.fnUntraced(function* (
    rows: ReadonlyArray<ListRow>,
    viewer: AccountId | undefined,
    stamps: { readonly people: string; readonly links: string }
  ) {
    if (rows.length === 0) return []
    const categories = rows.flatMap(({ category_id }) => category_id ?? [])
    const [ofCategories, ofTags, states] = yield* Effect.all(
      [
        categoryVersions([...new Set(categories)]),
        tagVersions(rows.map(({ id }) => id)),
        statesFor(viewer, rows)
      ],
      { concurrency: "unbounded" }
    )
    const categoryOf = new Map(ofCategories.map(({ id, version }) => [id, version]))
    const tagsOf = new Map(ofTags.map(({ id, version }) => [id, version]))
    return rows.map((row): ThreadHead => {
      const state = states.get(row.id)
      const category = row.category_id === null ? "" : categoryOf.get(row.category_id)
      return {
        id: row.id,
        authorId: row.author_id,
        visibility: row.visibility,
        version: [row.version, category, stamps.people, stamps.links, tagsOf.get(row.id)].join("."),
        peopleVersion: stamps.people,
        counts: { replies: row.reply_count, made: row.replies_made },
        state: state === undefined ? noState : stateOf(state),
        hasLikes: state?.liked === true
      }
    })
  })
})

const stateOf = ({ read_at, replied, since }: StateRow & { readonly since: number }): ViewerState => ({
  lastReadAt: read_at === null ? undefined : toTimestamp(read_at),
  repliesSince: since,
  replied: replied ?? 0
})
