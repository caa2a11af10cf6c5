/** Pages as they are shown: their rows, then what belongs to them, each kind by one statement. */
import { Effect, Layer } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { Asset } from "../../domain/asset/Asset.ts"
import { type NodeLength, NodeReader, type ShownNode, type WantedNode } from "../../domain/library/NodeReader.ts"
import { PropertyStore } from "../../domain/library/PropertyStore.ts"
import type { AccountId, AssetId, NodeId } from "../../domain/shared/Id.ts"
import { People, type Resolved } from "../account/People.ts"
import { makeAssetReader } from "../asset/AssetRows.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { makeTagReader, tagsOf } from "../tag/TagReader.ts"
import { type NodeRow, nodeColumns, nodeOf } from "./NodeRows.ts"

interface AttachedRow {
  readonly node_id: NodeId
  readonly asset_id: AssetId
}

const isPresent = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined

/** Answers the same object for the same account, whose text is then written once. */
const memoised = (get: Resolved["get"]): Resolved["get"] => {
  const known = new Map<AccountId, ProfileReference>()
  return (id) => {
    const found = known.get(id) ?? get(id)
    known.set(id, found)
    return found
  }
}

// Signatures belong beside posts; of long lists they would be a large part.
const manyOwners = 101

const none: ReadonlyArray<never> = []

const nothing = Effect.succeed(new Map<NodeId, ReadonlyArray<never>>())

const allOf = (ids: ReadonlyArray<NodeId>, length: NodeLength) =>
  ids.map((id): WantedNode => ({ id, length }))

const idsOf = (pages: ReadonlyArray<WantedNode>, is: (length: NodeLength) => boolean) =>
  pages.flatMap(({ id, length }) => (is(length) ? [id] : none))

const isBrief = (length: NodeLength) => length === "brief"

const make = Effect.gen(function* () {
  const sql = yield* QuickReads
  const properties = yield* PropertyStore
  const people = yield* People
  const links = yield* makeLinkReader
  const tags = yield* makeTagReader
  const assets = yield* makeAssetReader

  const columns = { full: sql.literal(nodeColumns.full), brief: sql.literal(nodeColumns.brief) }

  const readRows = (ids: ReadonlyArray<NodeId>, as: keyof typeof columns) =>
    ids.length === 0
      ? Effect.succeed(none)
      : all(sql<NodeRow>`select ${columns[as]} from nodes n where ${isOneOf(sql, "n.id", ids)}`)

  /** The rows of these pages, those of them that there are, in their order. */
  const rowsOf = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    const [full, brief] = yield* Effect.all(
      [
        readRows(
          idsOf(pages, (length) => !isBrief(length)),
          "full"
        ),
        readRows(idsOf(pages, isBrief), "brief")
      ],
      { concurrency: "unbounded" }
    )
    const rows = new Map([...full, ...brief].map((row) => [row.id, row]))
    return pages.flatMap(({ id }) => rows.get(id) ?? none)
  })

  /** The files of pages, in the order in which they were added, and their images. */
  const filesOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    const withFiles = rows.flatMap(({ asset_count, id }) => (asset_count > 0 ? [id] : none))
    const attached =
      withFiles.length === 0
        ? none
        : yield* all(sql<AttachedRow>`select node_id, asset_id from node_assets
            where ${isOneOf(sql, "node_id", withFiles)} order by node_id, added_at, asset_id`)
    const images = rows.map(({ primary_image_id }) => primary_image_id).filter(isPresent)
    const found = yield* assets.byIds([
      ...new Set([...images, ...attached.map(({ asset_id }) => asset_id)])
    ])
    const byPage = Map.groupBy(attached, ({ node_id }) => node_id)
    return {
      assetsOf: (id: NodeId): ReadonlyArray<Asset> =>
        (byPage.get(id) ?? none).flatMap(({ asset_id }) => found.get(asset_id) ?? none),
      imageOf: (id: AssetId | null) => (id === null ? undefined : found.get(id))
    }
  })

  /** What belongs to these pages; people and tags are not older than the rows. */
  const detailsOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    const [any] = rows
    const [files, linkOf, tagOf, owners] = yield* Effect.all(
      [
        filesOf(rows),
        links.byId([...new Set(rows.map(({ link_id }) => link_id).filter(isPresent))]),
        tags(
          rows.flatMap(({ tag_ids }) => tag_ids),
          any?.catalogue_version ?? ""
        ),
        people.resolve(
          rows.map(({ owner_id }) => owner_id),
          any?.people_version ?? ""
        )
      ],
      { concurrency: "unbounded" }
    )
    const ownerOf = rows.length > manyOwners ? memoised(owners.brief) : owners.get
    return (row: NodeRow) =>
      nodeOf(row, {
        assets: files.assetsOf(row.id),
        link: row.link_id === null ? undefined : linkOf.get(row.link_id),
        primaryImage: files.imageOf(row.primary_image_id),
        owner: ownerOf(row.owner_id),
        tags: row.tag_ids.length === 0 ? none : tagsOf(tagOf, row.tag_ids)
      })
  })

  const listed = Effect.fnUntraced(function* (pages: ReadonlyArray<WantedNode>) {
    if (pages.length === 0) return none
    const rows = yield* rowsOf(pages)
    const full = new Set(idsOf(pages, (length) => length === "full"))
    const inFull = rows.flatMap(({ id, parent_id }) =>
      full.has(id) ? { id, parentId: parent_id ?? undefined } : none
    )
    const [shownAs, valuesOf, fieldsOf] = yield* Effect.all(
      [
        detailsOf(rows),
        inFull.length === 0 ? nothing : properties.propertiesOf(inFull),
        inFull.length === 0 ? nothing : properties.fieldsOfGroups(inFull.map(({ id }) => id))
      ],
      { concurrency: "unbounded" }
    )
    return rows.map(
      (row): ShownNode => ({
        ...shownAs(row),
        parentId: row.parent_id ?? undefined,
        recomentations: none,
        properties: valuesOf.get(row.id) ?? none,
        child_property_schema: fieldsOf.get(row.id) ?? none
      })
    )
  })

  return NodeReader.of({
    listed,
    shown: (ids) => listed(allOf(ids, "full")),
    references: Effect.fnUntraced(function* (ids) {
      if (ids.length === 0) return none
      const rows = yield* rowsOf(allOf(ids, "alone"))
      return rows.map(yield* detailsOf(rows))
    })
  })
})

export const layer = Layer.effect(NodeReader, make).pipe(Layer.provide(People.layer))
