/** What people may do with the items of collections. */

import { Context, Effect, Layer, Option } from "effect"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, CurrentActor, checkPermission } from "../shared/Actor.ts"
import { parseMark } from "../shared/Mark.ts"
import { Transaction } from "../storage/Transaction.ts"
import { refOf } from "./Collectable.ts"
import { CollectionNotYours, type CollectionWithItems } from "./Collection.ts"
import { decideAddition, decideRemoval, mayAdd, mayReadItem } from "./CollectionRules.ts"
import { CollectionStore } from "./CollectionStore.ts"
import { Collections, makeCollectionTurn, notFound } from "./Collections.ts"
import { type ItemKind, makeItemStates } from "./ItemStates.ts"
import { makeMemberships } from "./Memberships.ts"
import { makeShownItems } from "./ShownItems.ts"

const make = Effect.gen(function* () {
  const store = yield* CollectionStore
  const collections = yield* Collections
  const itemsOf = yield* makeShownItems
  const states = yield* makeItemStates
  const events = yield* EventLog
  const transaction = yield* Transaction
  const memberships = yield* makeMemberships
  const inTurn = yield* makeCollectionTurn

  /** The collection that a mark names, with what the caller may see of it. */
  const get = Effect.fn("CollectionItems.get")(function* (mark: string) {
    const collection = yield* collections.get(mark)
    const items = yield* itemsOf(collection, yield* CurrentActor)
    const { has_queried_item: _, item_count: __, ...shared } = collection
    return { ...shared, items } satisfies CollectionWithItems
  })

  const getForUpdate = Effect.fnUntraced(function* (mark: string) {
    return Option.getOrUndefined(yield* store.findForUpdate(parseMark(mark))) ?? (yield* notFound(mark))
  })

  const addTo = Effect.fnUntraced(function* <NotFound>(mark: string, kind: ItemKind<NotFound>, id: string) {
    const actor = yield* CurrentAccount
    const collection = yield* getForUpdate(mark)
    if (collection.ownerId !== actor.accountId) yield* checkPermission(actor, "COLLECTION_SUBMIT")
    const item = yield* kind.findForUpdate(id)
    if (item === undefined) return yield* Effect.fail(kind.notFound(id))
    const membership = Option.getOrUndefined(yield* store.findItem(collection.id, refOf(item)))
    if (!mayAdd(collection, membership, item, actor)) return yield* Effect.fail(kind.notFound(id))
    switch (decideAddition(collection, actor, membership)) {
      case "nothing":
        break
      case "accept":
        yield* memberships.accept(collection, item, actor)
        break
      case "submit":
        yield* memberships.submit(collection, item, actor)
        break
      case "add":
        yield* memberships.add(collection, item, actor)
        break
    }
    return collection.id
  })

  const removeFrom = Effect.fnUntraced(function* <NotFound>(
    mark: string,
    kind: ItemKind<NotFound>,
    id: string
  ) {
    const actor = yield* CurrentAccount
    const collection = yield* getForUpdate(mark)
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
      case "remove":
        yield* store.deleteItem(collection.id, ref)
        yield* events.append(actor.accountId, kind.eventOf("Removed", collection.id, id))
        return collection.id
      case "nothing":
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
    /** Adds a node of the library, submits it, or accepts what was submitted. */
    addNode: (mark: string, id: string) => add(mark, states.node, id),
    /** Removes a node from a collection, or what was submitted to it. */
    removeNode: (mark: string, id: string) => remove(mark, states.node, id)
  } as const
})

export class CollectionItems extends Context.Service<CollectionItems, Effect.Success<typeof make>>()(
  "forum/domain/CollectionItems"
) {
  static readonly layer = Layer.effect(CollectionItems, make).pipe(Layer.provide(DatagraphItems.layer))
}
