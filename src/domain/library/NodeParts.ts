/** What belongs to a node beside its own fields: its content, files, link and tags. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import { AssetUnknown } from "../asset/Asset.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import type { Uploader } from "../asset/UploadQuota.ts"
import { checkOptionalAddress } from "../link/Link.ts"
import { LinkStore } from "../link/LinkStore.ts"
import type { AssetId, NodeId } from "../shared/Id.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import type { NodeChanges } from "./Node.ts"
import type { NodeState } from "./NodeRules.ts"
import { makeSourceCopier } from "./NodeSources.ts"
import { NodeStore } from "./NodeStore.ts"
import { makeNodeText, type NodeText } from "./NodeText.ts"

/** What of a request is made ready before a transaction begins. */
export interface NodeParts {
  readonly text: NodeText | undefined
  /** The link that the node is about; null if it is to have none. */
  readonly link: LinkAddress | null | undefined
  /** Files to add, those included that have been fetched. */
  readonly assets: ReadonlyArray<AssetId>
}

type Sent = Pick<NodeChanges, "asset_ids" | "asset_sources" | "content" | "primary_image_asset_id" | "url">

export const makeNodeParts = Effect.gen(function* () {
  const store = yield* NodeStore
  const stored = yield* AssetStore
  const links = yield* LinkStore
  const readText = yield* makeNodeText
  const copySources = yield* makeSourceCopier

  /** Fails if an asset does not exist. Assets are never deleted, so the check still holds when the node is written. */
  const checkAssets = Effect.fnUntraced(function* (field: string, wanted: ReadonlyArray<AssetId>) {
    if (wanted.length === 0) return
    const found = yield* stored.findByIds(wanted)
    const id = wanted.find((asset) => !found.has(asset))
    if (id !== undefined) return yield* new AssetUnknown({ metadata: { field, id } })
  })

  /** Reads, checks and, last of all, fetches what the request names. */
  const prepare = Effect.fnUntraced(function* (uploader: Uploader, sent: Sent) {
    const link = yield* checkOptionalAddress("url", sent.url)
    const image = sent.primary_image_asset_id
    yield* checkAssets("primary_image_asset_id", image === undefined || image === null ? [] : [image])
    const uploaded = sent.asset_ids ?? []
    yield* checkAssets("asset_ids", uploaded)
    const text = sent.content === undefined ? undefined : yield* readText(sent.content)
    const fetched = yield* copySources(uploader, sent.asset_sources ?? [])
    return { text, link, assets: [...uploaded, ...fetched] } satisfies NodeParts
  })

  /** Stores the link that a node is about, and the links in its content, as far as the request says. */
  const attachLinks = Effect.fnUntraced(function* (
    id: NodeId,
    about: LinkAddress | undefined,
    inText: ReadonlyArray<LinkAddress> | undefined,
    at: DateTime.Utc
  ) {
    const all = [...(about === undefined ? [] : [about]), ...(inText ?? [])]
    const ids = yield* links.resolveAll(all, at)
    const [linkId] = ids
    if (about !== undefined && linkId !== undefined) yield* store.amend(id, { linkId }, at)
    if (inText !== undefined) yield* links.setNodeLinks(id, ids.slice(all.length - inText.length))
  })

  /** Gives a node its files, link and tags, in a transaction that has locked the node or has just created it. */
  const attach = Effect.fnUntraced(function* (
    node: Pick<NodeState, "id" | "visibility">,
    { assets, link, text }: NodeParts,
    tags: ReadonlyArray<string> | undefined,
    at: DateTime.Utc
  ) {
    yield* store.addAssets(node.id, assets, at)
    yield* attachLinks(node.id, link ?? undefined, text?.links, at)
    if (tags !== undefined) yield* store.setTags(node, tags, at)
  })

  return { prepare, attach } as const
})

export type NodePartsReader = Effect.Success<typeof makeNodeParts>
