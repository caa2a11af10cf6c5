/** Reading nodes: what a viewer may see of them. */
import { Context, Effect, Layer, Option } from "effect"
import { Deployment } from "../settings/Deployment.ts"
import { type Actor, accountIdOf, CurrentActor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { numberedPage } from "../shared/ListPlace.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import { parseChildSort } from "./ChildSort.ts"
import { NodeNotFound, type NodeWithChildren } from "./Node.ts"
import { aloneInPart, aloneNode } from "./NodeExcerpt.ts"
import { makeNodeLists, standingOf } from "./NodeLists.ts"
import { type ListedNode, NodeQueries } from "./NodeQueries.ts"
import { audienceOf, managesLibrary, mayReadNode, type NodeSummary, readableNodes } from "./NodeRules.ts"

/** A node that the viewer may read. */
export interface NodeView {
  readonly summary: NodeSummary
  /** The tag of the answer: answers that differ have different tags. */
  readonly etag: string
  /** Who is shown the same answer if the tag is the same; if absent, nobody but the viewer. */
  readonly audience: string | undefined
  readonly content: Effect.Effect<NodeWithChildren, NodeNotFound | SearchTookTooLong>
}

/** Which of the children of a node it shows, if not the first ones in their own order. */
export interface ShownChildren {
  readonly sort: string
  readonly page: number
}

const make = Effect.gen(function* () {
  const queries = yield* NodeQueries
  const { version: release } = yield* Deployment

  /** The tag of an answer: another release may show the same content in another form. */
  const etagOf = ({ version }: NodeSummary) => `${release}/${version}`

  const notFound = (mark: string) => new NodeNotFound({ metadata: { node_slug: mark } })

  /** A node with the one that contains it and with children. */
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

  /** A node with those of its children that a page of the sorted list of them has. */
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
      place: numberedPage(page)
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

  /** A node for the caller who has just written it, whether they may read it or not, and its validator. */
  const written = Effect.fnUntraced(function* (id: NodeId) {
    const actor = yield* CurrentActor
    const summary = yield* queries.findSummary(id, actor)
    // It may have been deleted since.
    if (Option.isNone(summary)) return yield* notFound(id)
    const node = yield* withAll(id, summary.value, yield* queries.children(id, actor), actor)
    return { etag: etagOf(summary.value), node } as const
  })

  return { view, written, list: yield* makeNodeLists } as const
})

export class NodeViews extends Context.Service<NodeViews, Effect.Success<typeof make>>()(
  "forum/domain/NodeViews"
) {
  static readonly layer = Layer.effect(NodeViews, make)
}
