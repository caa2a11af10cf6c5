/** Reads what belongs to nodes that are shown, each kind by one statement. */
import { Effect } from "effect"
import type { Asset } from "../../domain/asset/Asset.ts"
import { leavingOut } from "../../domain/library/NodeOmission.ts"
import type { ListedNode, ShownNode } from "../../domain/library/NodeQueries.ts"
import { PropertyStore } from "../../domain/library/PropertyStore.ts"
import type { AssetId, NodeId } from "../../domain/shared/Id.ts"
import { ProfileCache } from "../account/ProfileCache.ts"
import { makeAssetReader } from "../asset/AssetRows.ts"
import { makeLinkReader } from "../link/LinkRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { mapInSlices } from "../shared/mapInSlices.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { makeTagReader, tagsOf } from "../tag/TagReader.ts"
import { type NodeRow, nodeOf } from "./NodeRows.ts"

interface AttachedRow {
  readonly node_id: NodeId
  readonly asset_id: AssetId
}

const isPresent = <A>(value: A | null | undefined): value is A => value !== null && value !== undefined

const none: ReadonlyArray<never> = []

const nothing = Effect.succeed(new Map<never, ReadonlyArray<never>>())

// In a list of more nodes, owners are shown without their signatures, which would be a large part of it.
const manyPages = 200

export const makeNodeAssembly = Effect.gen(function* () {
  const sql = yield* QuickReads
  const properties = yield* PropertyStore
  const people = yield* ProfileCache
  const links = yield* makeLinkReader
  const tags = yield* makeTagReader
  const assets = yield* makeAssetReader

  const attachedTo = (ids: ReadonlyArray<NodeId>) =>
    ids.length === 0
      ? Effect.succeed(none)
      : all(sql<AttachedRow>`select node_id, asset_id from node_assets
          where ${isOneOf(sql, "node_id", ids)} order by node_id, added_at, asset_id`)

  /** The files of nodes, in the order in which they were added, and their images. */
  const filesOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    const attached = yield* attachedTo(rows.filter(({ asset_count }) => asset_count > 0).map(({ id }) => id))
    const images = rows.map(({ primary_image_id }) => primary_image_id).filter(isPresent)
    const ids = new Set([...images, ...attached.map(({ asset_id }) => asset_id)])
    const found = yield* assets.byIds([...ids])
    const byPage = Map.groupBy(attached, ({ node_id }) => node_id)
    return {
      assetsOf: (id: NodeId): ReadonlyArray<Asset> =>
        (byPage.get(id) ?? none).flatMap(({ asset_id }) => found.get(asset_id) ?? none),
      imageOf: (id: AssetId | null) => (id === null ? undefined : found.get(id))
    }
  })

  const tagsFor = (rows: ReadonlyArray<NodeRow>) =>
    tags(
      rows.flatMap(({ tag_ids }) => tag_ids ?? none),
      rows[0]?.tags_and_categories_version ?? ""
    )

  const ownersOf = (rows: ReadonlyArray<NodeRow>) =>
    Effect.map(
      people.resolve(
        rows.map(({ owner_id }) => owner_id),
        rows[0]?.people_version ?? ""
      ),
      ({ brief, get }) => (rows.length > manyPages ? brief : get)
    )

  /** The properties of the nodes that show them, and the fields that their children share. */
  const propertiesFor = (rows: ReadonlyArray<NodeRow>) => {
    const showing = rows.filter(({ shows_properties }) => shows_properties)
    const withFields = showing.filter(({ field_bytes }) => field_bytes > 0).map(({ id }) => id)
    const pages = showing.map(({ id, parent_id }) => ({ id, parentId: parent_id ?? undefined }))
    return Effect.all(
      [
        pages.length === 0 ? nothing : properties.propertiesOf(pages),
        withFields.length === 0 ? nothing : properties.childFieldsOf(withFields)
      ],
      { concurrency: "unbounded" }
    )
  }

  /** Answers a function that turns each of these rows into a node. People and tags are not older than the rows. */
  const assemble = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    const linked = new Set(rows.map(({ link_id }) => link_id).filter(isPresent))
    const [files, linkOf, tagOf, ownerOf, [valuesOf, fieldsOf]] = yield* Effect.all(
      [filesOf(rows), links.byId([...linked]), tagsFor(rows), ownersOf(rows), propertiesFor(rows)],
      { concurrency: "unbounded" }
    )
    return (row: NodeRow): ShownNode =>
      nodeOf(row, {
        assets: row.asset_count === 0 ? none : files.assetsOf(row.id),
        link: row.link_id === null ? undefined : linkOf.get(row.link_id),
        primaryImage: files.imageOf(row.primary_image_id),
        owner: ownerOf(row.owner_id),
        tags: row.tag_ids === null || row.tag_ids.length === 0 ? none : tagsOf(tagOf, row.tag_ids),
        properties: valuesOf.get(row.id) ?? none,
        fields: fieldsOf.get(row.id) ?? none
      })
  })

  /** The nodes of rows that leave nothing out. */
  const wholeOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    return yield* mapInSlices(rows, yield* assemble(rows))
  })

  /** The nodes of rows, without the fields that the rows leave out, and with the names of these. */
  const listedOf = Effect.fnUntraced(function* (rows: ReadonlyArray<NodeRow>) {
    const nodeFrom = yield* assemble(rows)
    return yield* mapInSlices(rows, (row): ListedNode => leavingOut(nodeFrom(row), row.omitted ?? none))
  })

  return { assemble, wholeOf, listedOf } as const
})
