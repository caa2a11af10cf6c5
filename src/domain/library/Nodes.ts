/** What people may do with pages of the library; where pages are, is `NodeMoves`. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { AssetNotFound } from "../asset/Asset.ts"
import { AssetStore } from "../asset/AssetStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { AssetId, NodeId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { changesVersioned, checkDraft } from "./DraftRules.ts"
import type { NewNode, NodeChanges } from "./Node.ts"
import { makeNodeAccess, type Owned } from "./NodeAccess.ts"
import { decideEvents } from "./NodeEvents.ts"
import { groupQueue, makeNodeMoving } from "./NodeMoving.ts"
import { makeNodeParts, type NodeParts } from "./NodeParts.ts"
import { NodeSlugEmpty } from "./NodeProblems.ts"
import type { NodeState } from "./NodeRules.ts"
import { slugFor, withSlug } from "./NodeSlugs.ts"
import { NodeStore, type NodeUpdate } from "./NodeStore.ts"
import { descriptionOf, type NodeText } from "./NodeText.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import { decideFieldRight } from "./PropertyRules.ts"

/** What of a request's changes is written to the page itself. */
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

const isAssetId = Schema.is(AssetId)

const make = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const properties = yield* PropertyEdits
  const assets = yield* AssetStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const ids = yield* Ids
  const parts = yield* makeNodeParts
  const moving = yield* makeNodeMoving
  const { getForUpdate, getOwn, meet } = yield* makeNodeAccess

  /** Answers the id of the page. */
  const create = Effect.fn("Nodes.create")(function* (input: NewNode, network: ClientNetwork) {
    const actor = yield* CurrentAccount
    const visibility = input.visibility ?? "draft"
    if (visibility === "published") yield* checkPermission(actor, "MANAGE_LIBRARY")
    const slug = slugFor(input)
    if (slug === "") return yield* new NodeSlugEmpty({ metadata: { name: input.name } })
    const parent = input.parent === undefined ? undefined : yield* meet(input.parent, actor)
    const right = decideFieldRight(parent, actor)
    const prepared = yield* parts.prepare({ account: actor, network }, input)
    const id = NodeId.make(yield* ids.next)
    const at = yield* DateTime.now
    const node = {
      id,
      slug,
      name: input.name,
      ownerId: actor.accountId,
      visibility,
      parentId: parent?.id
    }
    const writing = Effect.gen(function* () {
      yield* nodes.lockGroup(node.parentId)
      yield* nodes.insert({
        ...node,
        at,
        description: prepared.text?.description ?? input.description ?? "",
        content: prepared.text?.content,
        hideChildTree: input.hide_child_tree ?? false,
        meta: input.meta ?? {},
        primaryImageId: input.primary_image_asset_id
      })
      if (input.properties !== undefined) {
        // A new page changes no fields, and its author sees where it is.
        yield* properties
          .replace(node, input.properties, { right, isNew: true })
          .pipe(Effect.catchTag("PropertyFieldsNotYours", Effect.die))
      }
      yield* parts.attach(node, prepared, input.tags, at)
      yield* events.append(actor.accountId, ...decideEvents(node, undefined))
    })
    yield* queue(groupQueue(node.parentId), transaction(writing))
    return id
  })

  /** What a page is described by whose own description is emptied: its content, which is read before it is locked. */
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
    // Who has written other content since has described the page by it.
    return own === instead.content ? instead.description : undefined
  })

  /** In a transaction that has locked what the changes need. */
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

  /** Answers the id of the page. */
  const update = Effect.fn("Nodes.update")(function* (
    mark: string,
    sent: NodeChanges,
    network: ClientNetwork
  ) {
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

  /** Answers the id of the page. */
  const setVisibility = Effect.fn("Nodes.setVisibility")(function* (mark: string, visibility: Visibility) {
    const { actor, node: found } = yield* getOwn(mark)
    const writing = Effect.gen(function* () {
      const node = yield* getForUpdate(found.id)
      if (node.visibility === visibility) return
      yield* nodes.amend(node.id, { visibility }, yield* DateTime.now)
      yield* nodes.recountTags(node, visibility)
      yield* events.append(actor.accountId, ...decideEvents({ ...node, visibility }, node.visibility))
    })
    yield* queue(found.id, transaction(writing))
    return found.id
  })

  /** Changes which files a page has; `writes` answers whether it has. */
  const changeAssets = <E, R>(
    { actor, node: found }: Owned,
    writes: (node: NodeState, at: DateTime.Utc) => Effect.Effect<boolean, E, R>
  ) =>
    queue(
      found.id,
      transaction(
        Effect.gen(function* () {
          const node = yield* getForUpdate(found.id)
          const at = yield* DateTime.now
          if (!(yield* writes(node, at))) return
          yield* nodes.amend(node.id, {}, at)
          yield* events.append(actor.accountId, ...decideEvents(node, node.visibility))
        })
      )
    )

  const getAsset = Effect.fnUntraced(function* (asset: string) {
    if (isAssetId(asset) && (yield* assets.findByIds([asset])).has(asset)) return asset
    return yield* new AssetNotFound({ metadata: { asset } })
  })

  /** Answers the id of the page. */
  const addAsset = Effect.fn("Nodes.addAsset")(function* (mark: string, asset: string) {
    const owned = yield* getOwn(mark)
    const id = yield* getAsset(asset)
    yield* changeAssets(owned, (node, at) => nodes.addAssets(node.id, [id], at))
    return owned.node.id
  })

  /** Answers the id of the page. */
  const removeAsset = Effect.fn("Nodes.removeAsset")(function* (mark: string, asset: string) {
    const owned = yield* getOwn(mark)
    const id = yield* getAsset(asset)
    yield* changeAssets(owned, (node) => nodes.removeAsset(node.id, id))
    return owned.node.id
  })

  return { create, update, setVisibility, addAsset, removeAsset } as const
})

export class Nodes extends Context.Service<Nodes, Effect.Success<typeof make>>()("forum/domain/Nodes") {
  static readonly layer = Layer.effect(Nodes, make)
}
