/** What people may do with collections. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, CurrentActor } from "../shared/Actor.ts"
import { type AccountId, CollectionId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { parseMark } from "../shared/Mark.ts"
import { slugWithin } from "../shared/Slug.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { refOf } from "./Collectable.ts"
import {
  type CollectionChanges,
  type CollectionListResult,
  CollectionNotFound,
  CollectionNotYours,
  collectionsMax,
  type NewCollection,
  slugLength,
  TooManyCollections
} from "./Collection.ts"
import { mayManage, mayReadItem, viewerOf } from "./CollectionRules.ts"
import { CollectionStore, type CollectionUpdate, pageSize } from "./CollectionStore.ts"
import { makeItemStates } from "./ItemStates.ts"

/** How a list of collections is narrowed, and what it says of each. */
export interface CollectionsQuery {
  readonly place: ListPlace
  /** The handle or the id of an account. */
  readonly account: string | undefined
  /** The id of a post or page. */
  readonly item: string | undefined
}

const slugOf = (name: string) => slugWithin(name, slugLength)

const updateOf = ({ description, name }: CollectionChanges): CollectionUpdate => ({
  ...(name === undefined ? {} : { name, slug: slugOf(name) }),
  ...(description === undefined ? {} : { description: description.trim() })
})

export const notFound = (mark: string) => new CollectionNotFound({ metadata: { collection_mark: mark } })

/** Runs a write of the collection that a mark names in its turn; only its id names it for certain. */
export const makeCollectionTurn = Effect.map(
  WriteQueue,
  (queue) =>
    <A, E, R>(mark: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      const parsed = parseMark(mark)
      return "id" in parsed ? queue(parsed.id, write) : write
    }
)

const make = Effect.gen(function* () {
  const store = yield* CollectionStore
  const accounts = yield* AccountStore
  const states = yield* makeItemStates
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const inTurn = yield* makeCollectionTurn

  const get = Effect.fnUntraced(function* (mark: string) {
    const found = yield* store.find(parseMark(mark), viewerOf(yield* CurrentActor))
    return Option.isNone(found) ? yield* notFound(mark) : found.value
  })

  /** An item that the caller may read, as anything else is in no collection for them. */
  const findItem = Effect.fnUntraced(function* (id: string) {
    const found = yield* Effect.all([states.post.find(id), states.node.find(id)], {
      concurrency: "unbounded"
    })
    const item = found.find((one) => one !== undefined)
    return item !== undefined && mayReadItem(item, yield* CurrentActor) ? refOf(item) : undefined
  })

  const listOf = Effect.fnUntraced(function* (
    owner: AccountId | undefined,
    { item, place }: CollectionsQuery
  ) {
    const found = yield* store.list({
      viewer: viewerOf(yield* CurrentActor),
      owner,
      item: item === undefined ? undefined : yield* findItem(item),
      place
    })
    const { collections, ...extent } = found
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: collections.length }),
      collections
    } satisfies CollectionListResult
  })

  /** An account that does not exist has no collections. */
  const list = Effect.fn("Collections.list")(function* (query: CollectionsQuery) {
    if (query.account === undefined) return yield* listOf(undefined, query)
    const owner = yield* accounts.findIdByHandleOrId(query.account)
    if (Option.isSome(owner)) return yield* listOf(owner.value, query)
    return {
      ...listEnvelope({ place: query.place, size: pageSize, total: 0, results: 0 }),
      collections: []
    } satisfies CollectionListResult
  })

  const create = Effect.fn("Collections.create")(function* (input: NewCollection) {
    const { accountId } = yield* CurrentAccount
    const id = CollectionId.make(yield* ids.next)
    const at = yield* DateTime.now
    const writing = Effect.gen(function* () {
      const owned = yield* store.countForUpdate(accountId)
      if (owned >= collectionsMax) {
        return yield* new TooManyCollections({ metadata: { maximum: collectionsMax } })
      }
      const { description = "", name, slug = "" } = updateOf(input)
      yield* store.insert({ id, at, ownerId: accountId, name: name ?? "", slug, description })
      yield* events.append(accountId, { _tag: "CollectionCreated", id })
    })
    yield* transaction(writing)
    return yield* get(id)
  })

  /** The collection behind a mark if the caller may change it, locked until the transaction ends. */
  const getManagedForUpdate = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const found = yield* store.findForUpdate(parseMark(mark))
    if (Option.isNone(found)) return yield* notFound(mark)
    const collection = found.value
    return mayManage(collection, actor) ? { actor, collection } : yield* new CollectionNotYours()
  })

  const update = Effect.fn("Collections.update")(function* (mark: string, input: CollectionChanges) {
    const changes = updateOf(input)
    const writing = Effect.gen(function* () {
      const { actor, collection } = yield* getManagedForUpdate(mark)
      if (Object.keys(changes).length === 0) return collection.id
      yield* store.update(collection.id, changes, yield* DateTime.now)
      yield* events.append(actor.accountId, { _tag: "CollectionUpdated", id: collection.id })
      return collection.id
    })
    return yield* get(yield* inTurn(mark, transaction(writing)))
  })

  const remove = Effect.fn("Collections.remove")(function* (mark: string) {
    const removal = Effect.gen(function* () {
      const { actor, collection } = yield* getManagedForUpdate(mark)
      yield* store.delete(collection.id)
      yield* events.append(actor.accountId, { _tag: "CollectionDeleted", id: collection.id })
    })
    yield* inTurn(mark, transaction(removal))
  })

  return { list, get, create, update, remove } as const
})

export class Collections extends Context.Service<Collections, Effect.Success<typeof make>>()(
  "forum/domain/Collections"
) {
  static readonly layer = Layer.effect(Collections, make)
}
