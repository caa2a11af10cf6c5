/** The list of all nodes: which ones a viewer may see, and which of them contain others. */
import { Effect, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { type Actor, accountIdOf, CurrentActor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { firstPage, type ListExtent, type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { type PageEnvelope, singlePage } from "../shared/Page.ts"
import type { Visibility, VisibilityFilter } from "../shared/Visibility.ts"
import { searched } from "../text/SearchText.ts"
import { levelsMax, listedMax } from "./LibraryLimits.ts"
import { type ListedNode, type NodeListing, NodeQueries } from "./NodeQueries.ts"
import { mayReadNode, readableNodes } from "./NodeRules.ts"

/** How the list of all nodes is narrowed. */
export interface NodeQuery {
  readonly format: "tree" | "flat"
  readonly root: NodeId | undefined
  /** The handle of the owner. */
  readonly author: string | undefined
  readonly visibility: ReadonlyArray<Visibility>
  /** How many levels below the top are listed. */
  readonly depth: number | undefined
  readonly q: string | undefined
  readonly place: ListPlace
}

/** Nodes, some within others. */
export interface ListedNodes {
  readonly envelope: PageEnvelope
  readonly top: ReadonlyArray<ListedNode>
  /** The listed children, by the id of the node that contains them. */
  readonly children: ReadonlyMap<NodeId, ReadonlyArray<ListedNode>>
  /** The nodes that contain the ones at the top, by id, as far as the viewer may see them. */
  readonly parents: ReadonlyMap<NodeId, ListedNode>
}

export const standingOf = ({ owner, visibility }: ListedNode) => ({ ownerId: owner.id, visibility })

/** Nodes that are asked for, of those that the caller may see; published ones if nothing else is said. */
export const listedVisibilities = (
  asked: ReadonlyArray<Visibility>,
  { others, own }: VisibilityFilter
): VisibilityFilter => {
  const wanted = asked.length === 0 ? (["published"] as const) : asked
  const among = (readable: ReadonlyArray<Visibility>) =>
    readable.filter((visibility) => wanted.some((one) => one === visibility))
  return { others: among(others), own: among(own) }
}

/** A list has one page as long as there is room on it. A tree has no other, but says of how many it is the first. */
const envelopeOf = (
  { format, place }: NodeQuery,
  { next, total }: ListExtent,
  results: number
): PageEnvelope => {
  const shown = format === "tree" ? firstPage : place
  if (total <= listedMax && shown.page === 1) return singlePage(results)
  const { next_page, ...envelope } = listEnvelope({ place: shown, next, size: listedMax, total, results })
  return { ...envelope, ...(format === "tree" || next_page === undefined ? {} : { next_page }) }
}

// One node can contain all others of a list, each of which shows it.
const describedOnly = 1

const nothingListed: NodeListing = { total: 0, nodes: [] }

const none: ReadonlyMap<NodeId, ReadonlyArray<ListedNode>> = new Map()

/** What is at the top of a list, and what is within it. */
const arranged = ({ format, root }: NodeQuery, nodes: ReadonlyArray<ListedNode>) => {
  if (format === "flat") return { top: nodes, children: none }
  const isTop = ({ id, parentId }: ListedNode) => parentId === undefined || id === root
  const children = new Map<NodeId, Array<ListedNode>>()
  for (const node of nodes) {
    if (node.parentId === undefined || isTop(node)) continue
    const siblings = children.get(node.parentId)
    if (siblings === undefined) children.set(node.parentId, [node])
    else siblings.push(node)
  }
  return { top: nodes.filter(isTop), children }
}

export const makeNodeLists = Effect.gen(function* () {
  const queries = yield* NodeQueries
  const accounts = yield* AccountStore

  /** The nodes that contain these, as far as the viewer may see them. */
  const parentsOf = Effect.fnUntraced(function* (nodes: ReadonlyArray<ListedNode>, actor: Actor) {
    const ids = new Set(nodes.flatMap(({ parentId }) => parentId ?? []))
    const listed = nodes.filter(({ id }) => ids.has(id))
    for (const { id } of listed) ids.delete(id)
    const others = yield* queries.listed([...ids].map((id) => ({ id, parts: describedOnly })))
    const visible = others.filter((node) => mayReadNode(standingOf(node), actor))
    return new Map([...listed, ...visible].map((node) => [node.id, node]))
  })

  return Effect.fn("NodeViews.list")(function* (query: NodeQuery) {
    const actor = yield* CurrentActor
    const owner = query.author === undefined ? undefined : yield* accounts.findIdByHandleOrId(query.author)
    const { nodes, ...extent } =
      owner !== undefined && Option.isNone(owner)
        ? nothingListed
        : yield* queries.list({
            format: query.format,
            root: query.root,
            owner: owner?.value,
            filter: listedVisibilities(query.visibility, readableNodes(actor)),
            viewer: accountIdOf(actor),
            depth: Math.min(query.depth ?? levelsMax, levelsMax),
            text: searched(query.q),
            place: query.place
          })
    const { children, top } = arranged(query, nodes)
    return {
      envelope: envelopeOf(query, extent, top.length),
      top,
      children,
      parents: yield* parentsOf(top, actor)
    } satisfies ListedNodes
  })
})
