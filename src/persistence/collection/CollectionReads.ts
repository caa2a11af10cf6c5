/** Collections and their items as answers show them. */
import { Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ItemState } from "../../domain/collection/Collectable.ts"
import type { Collection, MembershipType } from "../../domain/collection/Collection.ts"
import type { CollectionViewer } from "../../domain/collection/CollectionRules.ts"
import {
  type CollectionPage,
  type CollectionQuery,
  pageSize,
  type StoredItem
} from "../../domain/collection/CollectionStore.ts"
import { nodePartNames } from "../../domain/library/NodeOmission.ts"
import type { AccountId, NodeId, PostId } from "../../domain/shared/Id.ts"
import type { Mark } from "../../domain/shared/Mark.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { ProfileCache, peopleVersion } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { pagedList } from "../shared/PagedList.ts"
import { all } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"
import { partSizesBelow } from "../sizes/NodeSize.ts"
import { postPartSizes } from "../sizes/PostSize.ts"
import { type CollectionRow, collectionColumns, collectionOf } from "./CollectionRows.ts"
import { isInCollection, isItemOf } from "./MembershipSql.ts"
import { shownItemCount } from "./ShownItemsSql.ts"

type ListedRow = CollectionRow & { readonly has_item: boolean }

/** What an item is: a post with its thread, or a node. */
type RowItem =
  | {
      readonly post_id: PostId
      readonly thread_id: PostId
      readonly thread_author_id: AccountId
      readonly thread_visibility: Visibility
    }
  | { readonly post_id: null; readonly node_id: NodeId }

type ItemRow = RowItem & {
  readonly maker_id: AccountId
  readonly visibility: Visibility
  readonly sizes: ReadonlyArray<number>
  readonly added_by: AccountId | null
  readonly added_at: Date
  readonly membership_type: MembershipType
  readonly people_version: string
}

/** The condition that a mark names a row of `collections`; of several with the same slug, the oldest. */
export const named = (sql: SqlClient.SqlClient, mark: Mark): Statement.Fragment =>
  "id" in mark
    ? sql`id = ${mark.id}`
    : sql`id = (select id from collections where slug = ${mark.slug} order by created_at, id limit 1)`

const stateOf = (row: ItemRow): ItemState =>
  row.post_id === null
    ? {
        kind: "node",
        state: { id: row.node_id, ownerId: row.maker_id, visibility: row.visibility }
      }
    : {
        kind: "post",
        state: {
          id: row.post_id,
          authorId: row.maker_id,
          visibility: row.visibility,
          thread: { id: row.thread_id, authorId: row.thread_author_id, visibility: row.thread_visibility }
        }
      }

const nodeSizes = partSizesBelow("n", "above")
const nodeParts = `array[${nodePartNames.map((part) => nodeSizes[part]).join(", ")}]`

const newestFirst = pagedList<ListedRow>({
  table: "collections",
  row: "c",
  columns: collectionColumns,
  order: [
    ["c.created_at", "desc", "timestamptz"],
    ["c.id", "desc", "text"]
  ],
  pageSize
})

export const makeCollectionReads = Effect.gen(function* () {
  const sql = yield* QuickReads
  const people = yield* ProfileCache
  const columns = sql.literal(collectionColumns)

  const find = Effect.fnUntraced(function* (mark: Mark, viewer: CollectionViewer) {
    const rows = yield* all(
      sql<CollectionRow>`select ${columns}, ${shownItemCount(sql, viewer)} as item_count
        from collections c where ${named(sql, mark)}`
    )
    const [found] = yield* people.show(
      rows,
      ({ owner_id }) => [owner_id],
      (row, { get }) => collectionOf(row, get(row.owner_id), false)
    )
    return Option.fromUndefinedOr(found)
  })

  const list = Effect.fnUntraced(function* ({ item, owner, place, viewer }: CollectionQuery) {
    const isItem = item === undefined ? sql`false` : isItemOf(sql, item)
    const { next, rows, total } = yield* newestFirst.page(sql, {
      place,
      conditions: owner === undefined ? [] : [sql`c.owner_id = ${owner}`],
      facts:
        owner === undefined
          ? sql`select sum(collections)::int as total from collection_totals`
          : sql`select coalesce((select collections from collection_owners where account_id = ${owner}), 0) as total`,
      columns: sql`, ${shownItemCount(sql, viewer)} as item_count, exists (select from collection_items i
        where i.collection_id = c.id and ${isItem} and ${sql.literal(isInCollection)}) as has_item`
    })
    const collections = yield* people.show(
      rows,
      ({ owner_id }) => [owner_id],
      (row, { get }) => collectionOf(row, get(row.owner_id), row.has_item)
    )
    return { total, next, collections } satisfies CollectionPage
  })

  const itemRows = ({ id, owner }: Collection) =>
    all(sql<ItemRow>`select i.post_id, i.thread_id, i.node_id, t.author_id as thread_author_id,
        t.visibility as thread_visibility, coalesce(p.author_id, n.owner_id) as maker_id,
        coalesce(p.visibility, n.visibility) as visibility,
        case when n.id is null then ${sql.literal(postPartSizes("p"))} else ${sql.literal(nodeParts)} end as sizes,
        i.added_by, i.added_at, i.membership_type, ${sql.literal(peopleVersion)} as people_version
      from collection_items i left join posts p on p.id = i.post_id left join threads t on t.id = i.thread_id
      left join nodes n on n.id = i.node_id left join nodes above on above.id = n.parent_id
      where i.collection_id = ${id} and i.owner_id = ${owner.id} and (p.id is not null or n.id is not null)
        and p.deleted_at is null and t.deleted_at is null
      order by i.added_at desc, i.id desc`)

  const items = Effect.fnUntraced(function* (collection: Collection) {
    return yield* people.show(
      yield* itemRows(collection),
      ({ maker_id }) => [maker_id],
      (row, { get }): StoredItem => ({
        type: row.membership_type,
        addedBy: row.added_by ?? undefined,
        addedAt: toTimestamp(row.added_at),
        maker: get(row.maker_id),
        sizes: row.sizes,
        item: stateOf(row)
      })
    )
  })

  return { find, list, items } as const
})
