import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { MembershipType } from "../../domain/collection/Collection.ts"
import { CollectionStore, type LockedCollection } from "../../domain/collection/CollectionStore.ts"
import type { AccountId, CollectionId } from "../../domain/shared/Id.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { locking } from "../shared/Locks.ts"
import { first, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeCollectionReads, named } from "./CollectionReads.ts"
import { isItemOf } from "./MembershipSql.ts"

interface LockedRow {
  readonly id: CollectionId
  readonly owner_id: AccountId
  readonly item_count: number
  readonly submission_count: number
}

const lockedOf = (row: LockedRow): LockedCollection => ({
  id: row.id,
  ownerId: row.owner_id,
  items: row.item_count,
  submissions: row.submission_count
})

interface MembershipRow {
  readonly membership_type: MembershipType
  readonly added_by: AccountId | null
}

export const layer = Layer.effect(
  CollectionStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* makeCollectionReads

    return CollectionStore.of({
      ...reads,

      countForUpdate: (owner) =>
        Effect.map(
          first(
            locking("collection owner")(sql<{ readonly collections: number }>`
              insert into collection_owners as known (account_id, collections) values (${owner}, 0)
              on conflict (account_id) do update set collections = known.collections returning collections`)
          ),
          (row) => row?.collections ?? 0
        ),

      insert: ({ at, description, id, name, ownerId, slug }) =>
        run(sql`insert into collections (id, created_at, updated_at, owner_id, name, slug, description)
          values (${id}, ${toDate(at)}, ${toDate(at)}, ${ownerId}, ${name}, ${slug}, nullif(${description ?? ""}, ''))`),

      findForUpdate: (mark) =>
        Effect.map(
          first(
            locking("collection")(sql<LockedRow>`select id, owner_id, item_count, submission_count
              from collections where ${named(sql, mark)} for no key update`)
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), lockedOf)
        ),

      update: (id, { description, name, slug }, at) =>
        run(sql`update collections set updated_at = ${toDate(at)}, name = coalesce(${name ?? null}, name),
            slug = coalesce(${slug ?? null}, slug),
            description = nullif(coalesce(${description ?? null}, description), '')
          where id = ${id}`),

      delete: (id) => run(sql`delete from collections where id = ${id}`),

      findItem: (id, item) =>
        Effect.map(
          first(sql<MembershipRow>`select membership_type, added_by from collection_items
            where collection_id = ${id} and ${isItemOf(sql, item)}`),
          (row) =>
            row === undefined
              ? Option.none()
              : Option.some({ type: row.membership_type, addedBy: row.added_by ?? undefined })
        ),

      countSubmissions: (id, by) =>
        Effect.map(
          first(sql<{
            readonly submissions: number
          }>`select count(*)::int as submissions from collection_items
            where collection_id = ${id} and added_by = ${by} and membership_type = 'submission_review'`),
          (row) => row?.submissions ?? 0
        ),

      insertItem: (collection, { addedBy, at, id, item, type }) =>
        run(sql`insert into collection_items
            (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id, node_id)
          values (${id}, ${collection.id}, ${collection.ownerId}, ${addedBy}, ${toDate(at)}, ${type},
            ${item.kind === "post" ? item.state.id : null}, ${item.kind === "post" ? item.state.thread.id : null},
            ${item.kind === "node" ? item.state.id : null})`),

      setMembership: (id, item, type) =>
        run(sql`update collection_items set membership_type = ${type}
          where collection_id = ${id} and ${isItemOf(sql, item)}`),

      deleteItem: (id, item) =>
        run(sql`delete from collection_items where collection_id = ${id} and ${isItemOf(sql, item)}`),

      forget: Effect.fnUntraced(function* ({ nodes = [], replies = [], threads = [] }) {
        const deleted = sql`(thread_id = any(${threads}::text[]) or post_id = any(${replies}::text[])
          or node_id = any(${nodes}::text[]))`
        // Collections are locked before their items, in the order of their ids, as by all who change them.
        yield* locking("collection")(sql`select from collections
          where id in (select collection_id from collection_items where ${deleted}) order by id for no key update`)
        yield* sql`delete from collection_items where ${deleted}`
      }, orDefect)
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
