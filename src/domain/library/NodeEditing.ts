import { DateTime, Effect, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { NodeId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { changesVersioned, checkDraft } from "./DraftRules.ts"
import type { NodeChanges } from "./Node.ts"
import { makeNodeAccess, type Owned } from "./NodeAccess.ts"
import { decideEvents } from "./NodeEvents.ts"
import { makeNodeMoving } from "./NodeMoving.ts"
import type { NodeParts, NodePartsReader } from "./NodeParts.ts"
import type { NodeState } from "./NodeRules.ts"
import { withSlug } from "./NodeSlugs.ts"
import { NodeStore, type NodeUpdate } from "./NodeStore.ts"
import { descriptionOf, type NodeText } from "./NodeText.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { decideFieldRight } from "./PropertyRules.ts"

/** What of a request's changes is written to the node itself. */
const updateOf = (
  changes: NodeChanges,
  description: string | undefined,
  { link, text }: NodeParts
): NodeUpdate => ({
  ...(changes.name === undefined ? {} : { name: changes.name }),
  ...(changes.slug === undefined ? {} : { slug: changes.slug }),
  ...(description === undefined ? {} : { description }),
  ...(text === undefined ? {} : { content: text.content, description: text.description }),
  ...(changes.hide_child_tree === undefined ? {} : { hideChildTree: changes.hide_child_tree }),
  ...(changes.meta === undefined ? {} : { meta: changes.meta }),
  ...(changes.primary_image_asset_id === undefined ? {} : { primaryImageId: changes.primary_image_asset_id }),
  ...(link === null ? { linkId: null } : {}),
  ...(changesVersioned(changes) ? { currentVersionId: null } : {})
})

/** The content of a node, and the description that is made of it. */
type NodeDescription = Pick<NodeText, "content" | "description">

const makeDescriptions = Effect.gen(function* () {
  const nodes = yield* NodeStore

  /** What a node is described by whose own description is emptied: its content, which is read before it is locked. */
  const findInstead = Effect.fnUntraced(function* (id: NodeId, { content, description }: NodeChanges) {
    if (content !== undefined || description?.trim() !== "") return undefined
    const own = Option.getOrUndefined(yield* nodes.findContent(id))
    return own === undefined ? undefined : { content: own, description: descriptionOf(own) }
  })

  /** The description to store, if it changes. */
  const describing = Effect.fnUntraced(function* (
    id: NodeId,
    changes: NodeChanges,
    instead: NodeDescription | undefined
  ) {
    if (instead === undefined) return changes.description
    const own = Option.getOrUndefined(yield* nodes.findContent(id))
    // Who has written other content since has described the node by it.
    return own === instead.content ? instead.description : undefined
  })

  return { findInstead, describing } as const
})

/** Changes what nodes say, and where they are if their parent is changed as well. */
export const makeNodeEditing = Effect.fnUntraced(function* (parts: NodePartsReader) {
  const nodes = yield* NodeStore
  const properties = yield* PropertyEdits
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const moving = yield* makeNodeMoving
  const { describing, findInstead } = yield* makeDescriptions
  const { getForUpdate, getOwn, meet } = yield* makeNodeAccess

  /** Changes a node, in a transaction that has locked what the changes need. */
  const change = Effect.fnUntraced(function* (
    { actor, node: { id } }: Owned,
    changes: NodeChanges,
    parent: NodeState | undefined,
    prepared: NodeParts,
    instead: NodeDescription | undefined
  ) {
    const node = yield* getForUpdate(id)
    yield* Effect.fromResult(checkDraft(node, changes))
    const at = yield* DateTime.now
    const isMoved = parent !== undefined && parent.id !== node.parentId
    const left =
      isMoved && changes.properties !== undefined ? yield* properties.leave(node, changes.properties) : []
    const above = parent === undefined ? node.above : parent
    const right = decideFieldRight(above, actor)
    const parentId = parent === undefined ? node.parentId : yield* moving.reparent(node, parent, right, at)
    const after = { ...node, parentId, slug: changes.slug ?? node.slug }
    const description = yield* describing(id, changes, instead)
    yield* nodes.update(id, updateOf(changes, description, prepared), at)
    const told =
      changes.properties === undefined
        ? []
        : yield* isMoved
            ? properties.arrive(after, left, changes.properties, right)
            : properties.replace(after, changes.properties, { right, isNew: false })
    yield* parts.attach(after, prepared, changes.tags, at)
    yield* events.append(actor.accountId, ...decideEvents(after, node.visibility), ...told)
  })

  /** Answers the id of the node. */
  return Effect.fn("Nodes.update")(function* (mark: string, sent: NodeChanges, network: ClientNetwork) {
    const changes = withSlug(sent)
    const owned = yield* getOwn(mark)
    const { id } = owned.node
    if (Object.keys(changes).length === 0) return id
    yield* Effect.fromResult(checkDraft(owned.node, changes))
    const parent = changes.parent === undefined ? undefined : yield* meet(changes.parent, owned.actor)
    const prepared = yield* parts.prepare({ account: owned.actor, network }, changes)
    const writing = change(owned, changes, parent, prepared, yield* findInstead(id, changes))
    if (parent !== undefined) yield* moving.inTree(writing)
    else if (changes.properties === undefined) yield* queue(id, transaction(writing))
    else yield* queue(id, transaction(Effect.andThen(nodes.lockGroupOf(id), writing)))
    return id
  })
})
