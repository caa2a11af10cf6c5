/** Reading versions of nodes. */
import { Context, Effect, Layer, Option } from "effect"
import { partsShown, room } from "../answer/AnswerRoom.ts"
import { type AccountActor, type Actor, CurrentAccount, CurrentActor } from "../shared/Actor.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { versionsOnPage } from "./LibraryLimits.ts"
import { type NodeInPart, NodeNotFound } from "./Node.ts"
import { aloneInPart, asDrafted } from "./NodeExcerpt.ts"
import { type ListedNode, NodeQueries } from "./NodeQueries.ts"
import { managesLibrary, mayReadLibrary, mayReadNode, type NodeStanding } from "./NodeRules.ts"
import { NodeStore } from "./NodeStore.ts"
import type { NodeDraft, NodeDraftListResult, NodeVersion, NodeVersionListResult } from "./NodeVersion.ts"
import { versionNotFound } from "./VersionAccess.ts"
import { mayFindVersions, maySeeVersion, type Reach } from "./VersionRules.ts"
import { type DraftSelection, type VersionMark, VersionStore } from "./VersionStore.ts"

/** The drafts that an account sees in the list of all: managers of the library those of everyone. */
const draftsFor = (actor: AccountActor): DraftSelection =>
  managesLibrary(actor) ? "all" : { authorId: actor.accountId }

const mayShow = (node: NodeStanding, { author, status }: NodeVersion, actor: Actor): boolean =>
  maySeeVersion(node, { authorId: author.id, status }, actor)

/** What a caller sees of the node of a draft. */
const nodeOf = (version: NodeVersion, node: ListedNode, actor: Actor): NodeInPart => {
  const isReadable =
    mayReadLibrary(actor) && mayReadNode({ ownerId: node.owner.id, visibility: node.visibility }, actor)
  return isReadable ? aloneInPart(node) : asDrafted(node, version)
}

/** About how many bytes of an answer versions take. */
const sizeOf = (versions: ReadonlyArray<NodeVersion>) =>
  versions.reduce((sum, { content = "", meta, properties }) => {
    const text = content + JSON.stringify(properties) + JSON.stringify(meta)
    return sum + new TextEncoder().encode(text).length
  }, 0)

const make = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const store = yield* VersionStore
  const queries = yield* NodeQueries

  /** The node that a mark names, if it is there for the caller. */
  const getNode = Effect.fnUntraced(function* (mark: string, may: Reach) {
    const actor = yield* CurrentActor
    const found = yield* nodes.find(mark)
    if (Option.isSome(found) && may(found.value, actor)) return { actor, node: found.value }
    return yield* new NodeNotFound({ metadata: { node_slug: mark } })
  })

  const get = Effect.fn("VersionViews.get")(function* (mark: string, version: VersionMark) {
    const { actor, node } = yield* getNode(mark, mayFindVersions)
    const found = yield* store.find(node.id, version)
    if (Option.isSome(found) && mayShow(node, found.value, actor)) return found.value
    return yield* versionNotFound(mark, version)
  })

  const list = Effect.fn("VersionViews.list")(function* (mark: string, place: ListPlace) {
    const { actor, node } = yield* getNode(mark, mayReadNode)
    const { applied, drafter } = yield* store.seen(node.id)
    const hasDraft =
      drafter !== undefined && maySeeVersion(node, { authorId: drafter, status: "draft" }, actor)
    const { versions: listed, ...extent } = yield* store.list(node.id, { applied, hasDraft }, place)
    // Another draft may have taken the place of the one that was counted.
    const versions = listed.filter((version) => mayShow(node, version, actor))
    return {
      ...listEnvelope({ ...extent, place, size: versionsOnPage, results: versions.length }),
      versions
    } satisfies NodeVersionListResult
  })

  /** Drafts with their nodes, as far as the caller may see these. */
  const withNodes = Effect.fnUntraced(function* (
    versions: ReadonlyArray<NodeVersion>,
    available: number,
    actor: Actor
  ) {
    const ids = versions.map(({ node_id }) => node_id)
    const sizes = yield* queries.sizesOf(ids)
    const parts = partsShown(
      ids.map((id) => sizes.get(id) ?? []),
      available
    )
    const nodes = yield* queries.listed(ids.map((id, place) => ({ id, parts: parts[place] ?? 0 })))
    const byId = new Map(nodes.map((node) => [node.id, node]))
    return versions.flatMap((version): ReadonlyArray<NodeDraft> => {
      const node = byId.get(version.node_id)
      return node === undefined ? [] : [{ ...version, node: nodeOf(version, node, actor) }]
    })
  })

  /** Drafts that the caller sees, of any node. */
  const drafts = Effect.fn("VersionViews.drafts")(function* (place: ListPlace) {
    const actor = yield* CurrentAccount
    const { versions, ...extent } = yield* store.drafts(draftsFor(actor), place)
    // What drafts say comes before what their nodes say.
    const drafts = yield* withNodes(versions, room - sizeOf(versions), actor)
    return {
      ...listEnvelope({ ...extent, place, size: versionsOnPage, results: drafts.length }),
      drafts
    } satisfies NodeDraftListResult
  })

  return { get, list, drafts } as const
})

export class VersionViews extends Context.Service<VersionViews, Effect.Success<typeof make>>()(
  "forum/domain/VersionViews"
) {
  static readonly layer = Layer.effect(VersionViews, make)
}
