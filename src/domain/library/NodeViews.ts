/** Reading pages: what a viewer may see of them. */
import { Context, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { Deployment } from "../settings/Deployment.ts"
import { type Actor, accountIdOf, CurrentActor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { type PageEnvelope, pageEnvelope, singlePage } from "../shared/Page.ts"
import type { Visibility, VisibilityFilter } from "../shared/Visibility.ts"
import { searched } from "../text/SearchText.ts"
import type { SearchTookTooLong } from "../text/SearchTookTooLong.ts"
import { parseChildSort } from "./ChildSort.ts"
import { levelsMax, listedMax } from "./LibraryLimits.ts"
import { NodeNotFound, type NodeWithChildren } from "./Node.ts"
import { aloneInPart, aloneNode } from "./NodeExcerpt.ts"
import { type ListedNode, type NodeListing, NodeQueries } from "./NodeQueries.ts"
import { audienceOf, managesLibrary, mayReadNode, type NodeSummary, readableNodes } from "./NodeRules.ts"

/** How the list of all pages is narrowed. */
export interface NodeQuery {
  readonly format: "tree" | "flat"
  readonly root: NodeId | undefined
  /** The handle of the owner. */
  readonly author: string | undefined
  readonly visibility: ReadonlyArray<Visibility>
  /** Levels below the top. */
  readonly depth: number | undefined
  readonly q: string | undefined
  readonly page: number
}

/** A page that the viewer may read. */
export interface NodeView {
  readonly summary: NodeSummary
  /** Differs for every two answers that differ. */
  readonly etag: string
  /** Who is shown the same if the tag is the same; absent, nobody else. */
  readonly audience: string | undefined
  readonly content: Effect.Effect<NodeWithChildren, NodeNotFound | SearchTookTooLong>
}

/** Which of the children of a page it shows, if not the first ones in their own order. */
export interface ShownChildren {
  readonly sort: string
  readonly page: number
}

/** Pages of the library, some within others. */
export interface ListedNodes {
  readonly envelope: PageEnvelope
  readonly top: ReadonlyArray<ListedNode>
  /** What those that contain any contain. */
  readonly children: ReadonlyMap<NodeId, ReadonlyArray<ListedNode>>
  /** The pages that contain those at the top, as far as the viewer may see them. */
  readonly parents: ReadonlyMap<NodeId, ListedNode>
}

const standingOf = ({ owner, visibility }: ListedNode) => ({ ownerId: owner.id, visibility })

/** Pages that are asked for, of those that the caller may see; published ones if nothing else is said. */
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
const envelopeOf = ({ format, page }: NodeQuery, total: number, results: number): PageEnvelope => {
  const current = format === "tree" ? 1 : page
  if (total <= listedMax && current === 1) return singlePage(results)
  const { next_page, ...envelope } = pageEnvelope({ current, size: listedMax, total, results })
  return { ...envelope, ...(format === "tree" || next_page === undefined ? {} : { next_page }) }
}

// One page can contain all others of a list, each of which shows it.
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

const make = Effect.gen(function* () {
  const queries = yield* NodeQueries
  const accounts = yield* AccountStore
  const { version: release } = yield* Deployment

  /** Another release may show the same content in another form. */
  const etagOf = ({ version }: NodeSummary) => `${release}/${version}`

  const notFound = (mark: string) => new NodeNotFound({ metadata: { node_slug: mark } })

  /** A page with the one that contains it and with children. */
  const withAll = Effect.fnUntraced(function* (
    mark: string,
    { id, parentId }: NodeSummary,
    children: ReadonlyArray<NodeId>,
    actor: Actor,
    shown: "first" | "all" = "first"
  ) {
    const found = yield* queries.family(id, parentId, children, shown)
    // Since the summary was read, they may have been deleted, hidden or moved.
    if (found === undefined) return yield* notFound(mark)
    const isVisible = (other: ListedNode) => mayReadNode(standingOf(other), actor)
    const { parentId: containing, ...node } = found.node
    const parent =
      found.parent?.id === containing && found.parent !== undefined && isVisible(found.parent)
        ? { parent: aloneInPart(found.parent) }
        : {}
    return {
      ...node,
      ...parent,
      children: found.children.filter((other) => other.parentId === id && isVisible(other)).map(aloneNode)
    } satisfies NodeWithChildren
  })

  const viewOf = (mark: string, summary: NodeSummary, actor: Actor): NodeView => ({
    summary,
    etag: etagOf(summary),
    audience: audienceOf(summary, actor),
    content: Effect.flatMap(queries.children(summary.id, actor), (children) =>
      withAll(mark, summary, children, actor)
    )
  })

  /** A page with those of its children that a page of the sorted list of them has. */
  const sorted = Effect.fnUntraced(function* (
    mark: string,
    summary: NodeSummary,
    { page, sort }: ShownChildren,
    actor: Actor
  ) {
    const viewer = accountIdOf(actor)
    // What the viewer sees of the other children is not part of the versions.
    const depends = [
      etagOf(summary),
      yield* queries.childrenVersion(summary.id),
      viewer ?? "guest",
      managesLibrary(actor) ? "all" : "some",
      page,
      encodeURIComponent(sort)
    ]
    const children = queries.childPage({
      parent: summary.id,
      visible: readableNodes(actor),
      viewer,
      sort: parseChildSort(sort),
      name: undefined,
      tags: [],
      page
    })
    return {
      summary,
      etag: depends.join("/"),
      audience: undefined,
      content: Effect.flatMap(children, ({ ids }) => withAll(mark, summary, ids, actor, "all"))
    } satisfies NodeView
  })

  /** The node that a mark names, if the caller may read it. */
  const view = Effect.fnUntraced(function* (mark: string, children: ShownChildren | undefined) {
    const actor = yield* CurrentActor
    const summary = yield* queries.findSummary(mark, actor)
    if (Option.isNone(summary) || !mayReadNode(summary.value, actor)) return yield* notFound(mark)
    return children === undefined
      ? viewOf(mark, summary.value, actor)
      : yield* sorted(mark, summary.value, children, actor)
  })

  /** A page for the caller who has just written it, whether they may read it or not, and its validator. */
  const written = Effect.fnUntraced(function* (id: NodeId) {
    const actor = yield* CurrentActor
    const summary = yield* queries.findSummary(id, actor)
    // It may have been deleted since.
    if (Option.isNone(summary)) return yield* notFound(id)
    const node = yield* withAll(id, summary.value, yield* queries.children(id, actor), actor)
    return { etag: etagOf(summary.value), node } as const
  })

  /** The pages that contain these, as far as the viewer may see them. */
  const parentsOf = Effect.fnUntraced(function* (nodes: ReadonlyArray<ListedNode>, actor: Actor) {
    const ids = new Set(nodes.flatMap(({ parentId }) => parentId ?? []))
    const listed = nodes.filter(({ id }) => ids.has(id))
    for (const { id } of listed) ids.delete(id)
    const others = yield* queries.listed([...ids].map((id) => ({ id, parts: describedOnly })))
    const visible = others.filter((node) => mayReadNode(standingOf(node), actor))
    return new Map([...listed, ...visible].map((node) => [node.id, node]))
  })

  const list = Effect.fn("NodeViews.list")(function* (query: NodeQuery) {
    const actor = yield* CurrentActor
    const owner = query.author === undefined ? undefined : yield* accounts.findIdByHandleOrId(query.author)
    const { nodes, total } =
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
            page: query.page
          })
    const { children, top } = arranged(query, nodes)
    return {
      envelope: envelopeOf(query, total, top.length),
      top,
      children,
      parents: yield* parentsOf(top, actor)
    } satisfies ListedNodes
  })

  return { view, written, list } as const
})

export class NodeViews extends Context.Service<NodeViews, Effect.Success<typeof make>>()(
  "forum/domain/NodeViews"
) {
  static readonly layer = Layer.effect(NodeViews, make)
}
