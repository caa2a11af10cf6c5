/** What people may do with the items of collections. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount, CurrentActor, checkPermission } from "../shared/Actor.ts"
import { Ids } from "../shared/Ids.ts"
import { parseMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type ItemState, refOf } from "./Collectable.ts"
import {
  CollectionFull,
  CollectionNotYours,
  type CollectionWithItems,
  TooManySubmissions
} from "./Collection.ts"
import { itemsMax, submissionsByOneMax, submissionsMax } from "./CollectionLimits.ts"
import { decideAddition, decideRemoval, mayReadItem, mayShow } from "./CollectionRules.ts"
import { CollectionStore, type LockedCollection } from "./CollectionStore.ts"
import { Collections, makeCollectionTurn, notFound } from "./Collections.ts"
import { type ItemKind, makeItemStates } from "./ItemStates.ts"
import { makeShownItems } from "./ShownItems.ts"

const make = Effect.gen(function* () {
  const store = yield* CollectionStore
  const collections = yield* Collections
  const itemsOf = yield* makeShownItems
  const states = yield* makeItemStates
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const inTurn = yield* makeCollectionTurn

  /** The collection that a mark names, with what the caller may see of it. */
  const get = Effect.fn("CollectionItems.get")(function* (mark: string) {
    const collection = yield* collections.get(mark)
    const items = yield* itemsOf(collection, yield* CurrentActor)
    const { has_queried_item: _, item_count: __, ...shared } = collection
    return { ...shared, items } satisfies CollectionWithItems
  })

  const findForUpdate = Effect.fnUntraced(function* (mark: string) {
    const found = yield* store.findForUpdate(parseMark(mark))
    return Option.isNone(found) ? yield* notFound(mark) : found.value
  })

  /** Whether there is room for another submission of an account. */
  const checkSubmission = Effect.fnUntraced(function* (actor: AccountActor, collection: LockedCollection) {
    if (collection.submissions >= submissionsMax) {
      return yield* new TooManySubmissions({ metadata: { maximum: submissionsMax } })
    }
    if ((yield* store.countSubmissions(collection.id, actor.accountId)) >= submissionsByOneMax) {
      return yield* new TooManySubmissions({ metadata: { maximum: submissionsByOneMax } })
    }
  })

  const checkRoom = ({ items }: LockedCollection) =>
    items >= itemsMax ? Effect.fail(new CollectionFull({ metadata: { maximum: itemsMax } })) : Effect.void

  const insert = Effect.fnUntraced(function* (
    collection: LockedCollection,
    item: ItemState,
    actor: AccountActor,
    type: "normal" | "submission_review"
  ) {
    yield* store.insertItem(collection, {
      id: yield* ids.next,
      at: yield* DateTime.now,
      type,
      addedBy: actor.accountId,
      item
    })
    const what = type === "normal" ? "Added" : "Submitted"
    yield* events.append(actor.accountId, states[item.kind].eventOf(what, collection.id, item.state.id))
  })

  const accept = Effect.fnUntraced(function* (
    collection: LockedCollection,
    item: ItemState,
    actor: AccountActor
  ) {
    yield* checkRoom(collection)
    yield* store.setMembership(collection.id, refOf(item), "submission_accepted")
    yield* events.append(actor.accountId, states[item.kind].eventOf("Accepted", collection.id, item.state.id))
  })

  const addTo = Effect.fnUntraced(function* <NotFound>(mark: string, kind: ItemKind<NotFound>, id: string) {
    const actor = yield* CurrentAccount
    const collection = yield* findForUpdate(mark)
    if (collection.ownerId !== actor.accountId) yield* checkPermission(actor, "COLLECTION_SUBMIT")
    const item = yield* kind.findForUpdate(id)
    if (item === undefined) return yield* Effect.fail(kind.notFound(id))
    const membership = Option.getOrUndefined(yield* store.findItem(collection.id, refOf(item)))
    const isShown = membership !== undefined && mayShow(collection, membership, item, actor)
    if (!isShown && !mayReadItem(item, actor)) return yield* Effect.fail(kind.notFound(id))
    switch (decideAddition(collection, actor, membership)) {
      case "nothing":
        return collection.id
      case "accept":
        yield* accept(collection, item, actor)
        return collection.id
      case "submit":
        yield* checkSubmission(actor, collection)
        yield* insert(collection, item, actor, "submission_review")
        return collection.id
      case "add":
        yield* checkRoom(collection)
        yield* insert(collection, item, actor, "normal")
        return collection.id
    }
  })

  const removeFrom = Effect.fnUntraced(function* <NotFound>(
    mark: string,
    kind: ItemKind<NotFound>,
    id: string
  ) {
    const actor = yield* CurrentAccount
    const collection = yield* findForUpdate(mark)
    const ref = kind.named(id)
    if (ref === undefined) return yield* Effect.fail(kind.notFound(id))
    const membership = Option.getOrUndefined(yield* store.findItem(collection.id, ref))
    const item = yield* kind.find(id)
    const mayRead = item !== undefined && mayReadItem(item, actor)
    switch (decideRemoval(collection, actor, membership, mayRead)) {
      case "unknown":
        return yield* Effect.fail(kind.notFound(id))
      case "refused":
        return yield* new CollectionNotYours()
      case "nothing":
        return collection.id
      case "remove":
        yield* store.deleteItem(collection.id, ref)
        yield* events.append(actor.accountId, kind.eventOf("Removed", collection.id, id))
        return collection.id
    }
  })

  const add = Effect.fn("CollectionItems.add")(function* <NotFound>(
    mark: string,
    kind: ItemKind<NotFound>,
    id: string
  ) {
    return yield* get(yield* inTurn(mark, transaction(addTo(mark, kind, id))))
  })

  const remove = Effect.fn("CollectionItems.remove")(function* <NotFound>(
    mark: string,
    kind: ItemKind<NotFound>,
    id: string
  ) {
    return yield* get(yield* inTurn(mark, transaction(removeFrom(mark, kind, id))))
  })

  return {
    get,
    /** Adds a post, submits it, or accepts what was submitted. */
    addPost: (mark: string, id: string) => add(mark, states.post, id),
    /** Removes a post from a collection, or what was submitted to it. */
    removePost: (mark: string, id: string) => remove(mark, states.post, id),
    /** The same for pages of the library. */
    addNode: (mark: string, id: string) => add(mark, states.node, id),
    removeNode: (mark: string, id: string) => remove(mark, states.node, id)
  } as const
})

export class CollectionItems extends Context.Service<CollectionItems, Effect.Success<typeof make>>()(
  "forum/domain/CollectionItems"
) {
  static readonly layer = Layer.effect(CollectionItems, make).pipe(Layer.provide(DatagraphItems.layer))
}
