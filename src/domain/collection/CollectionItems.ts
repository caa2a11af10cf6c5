/** What people may do with the items of collections. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { EventLog } from "../event/EventLog.ts"
import {
  type AccountActor,
  type Actor,
  CurrentAccount,
  CurrentActor,
  checkPermission
} from "../shared/Actor.ts"
import { PostId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { parseMark } from "../shared/Mark.ts"
import { Transaction } from "../shared/Transaction.ts"
import { type Post, PostNotFound } from "../thread/Post.ts"
import type { PostState } from "../thread/PostState.ts"
import { PostStore } from "../thread/PostStore.ts"
import {
  type Collection,
  CollectionFull,
  type CollectionItem,
  CollectionNotYours,
  type CollectionWithItems,
  TooManySubmissions
} from "./Collection.ts"
import { brief, shownInFull } from "./CollectionBudget.ts"
import { itemsMax, submissionsByOneMax, submissionsMax } from "./CollectionLimits.ts"
import { decideAddition, decideRemoval, mayReadItem, mayShow } from "./CollectionRules.ts"
import { CollectionStore, type LockedCollection, type StoredItem } from "./CollectionStore.ts"
import { Collections, makeCollectionTurn, notFound } from "./Collections.ts"

const isPostId = Schema.is(PostId)

const postNotFound = (id: string) => new PostNotFound({ metadata: { post_id: id } })

const make = Effect.gen(function* () {
  const store = yield* CollectionStore
  const collections = yield* Collections
  const posts = yield* PostStore
  const items = yield* DatagraphItems
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const inTurn = yield* makeCollectionTurn

  /** The items of a collection that the viewer may see. */
  const itemsOf = Effect.fnUntraced(function* (collection: Collection, actor: Actor) {
    const owned = { ownerId: collection.owner.id }
    const stored = (yield* store.items(collection)).filter((item) => mayShow(owned, item, item.post, actor))
    const full = new Set(shownInFull(stored))
    const byId = new Map(stored.map((item) => [item.post.id, item]))
    const shown = yield* items.shownPosts(
      [...byId.keys()],
      [...full].map(({ post }) => post.id),
      actor,
      // It may have been hidden since.
      (post) => {
        const item = byId.get(post.id)
        return item !== undefined && mayShow(owned, item, post, actor)
      }
    )
    return stored.flatMap((item) => {
      const post = shown.get(item.post.id)
      return post === undefined ? [] : [itemOf(item, full.has(item) ? post : brief(post))]
    })
  })

  const itemOf = ({ addedAt, type }: StoredItem, ref: Post): CollectionItem => ({
    id: ref.id,
    createdAt: ref.createdAt,
    updatedAt: ref.updatedAt,
    misc: ref.misc,
    owner: ref.author,
    added_at: addedAt,
    membership_type: type,
    item: { kind: "post", ref }
  })

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
    post: PostState,
    actor: AccountActor,
    type: "normal" | "submission_review"
  ) {
    yield* store.insertItem(collection, {
      id: yield* ids.next,
      at: yield* DateTime.now,
      type,
      addedBy: actor.accountId,
      post
    })
    yield* events.append(actor.accountId, {
      _tag: type === "normal" ? "CollectionPostAdded" : "CollectionPostSubmitted",
      collection_id: collection.id,
      post_id: post.id
    })
  })

  const accept = Effect.fnUntraced(function* (
    collection: LockedCollection,
    post: PostState,
    actor: AccountActor
  ) {
    yield* checkRoom(collection)
    yield* store.setMembership(collection.id, post.id, "submission_accepted")
    yield* events.append(actor.accountId, {
      _tag: "CollectionPostAccepted",
      collection_id: collection.id,
      post_id: post.id
    })
  })

  const addTo = Effect.fnUntraced(function* (mark: string, id: string) {
    const actor = yield* CurrentAccount
    const collection = yield* findForUpdate(mark)
    const post = isPostId(id) ? Option.getOrUndefined(yield* posts.findForUpdate(id)) : undefined
    if (post === undefined) return yield* postNotFound(id)
    const membership = Option.getOrUndefined(yield* store.findItem(collection.id, post.id))
    const isShown = membership !== undefined && mayShow(collection, membership, post, actor)
    if (!isShown && !mayReadItem(post, actor)) return yield* postNotFound(id)
    if (collection.ownerId !== actor.accountId) yield* checkPermission(actor, "COLLECTION_SUBMIT")
    switch (decideAddition(collection, actor, membership)) {
      case "nothing":
        return collection.id
      case "accept":
        yield* accept(collection, post, actor)
        return collection.id
      case "submit":
        yield* checkSubmission(actor, collection)
        yield* insert(collection, post, actor, "submission_review")
        return collection.id
      case "add":
        yield* checkRoom(collection)
        yield* insert(collection, post, actor, "normal")
        return collection.id
    }
  })

  /** Adds a post, submits it, or accepts what was submitted. */
  const add = Effect.fn("CollectionItems.add")(function* (mark: string, post: string) {
    return yield* get(yield* inTurn(mark, transaction(addTo(mark, post))))
  })

  const removeFrom = Effect.fnUntraced(function* (mark: string, id: string) {
    const actor = yield* CurrentAccount
    const collection = yield* findForUpdate(mark)
    if (!isPostId(id)) return yield* postNotFound(id)
    const membership = Option.getOrUndefined(yield* store.findItem(collection.id, id))
    const post = Option.getOrUndefined(yield* posts.find(id))
    const mayRead = post !== undefined && mayReadItem(post, actor)
    switch (decideRemoval(collection, actor, membership, mayRead)) {
      case "unknown":
        return yield* postNotFound(id)
      case "refused":
        return yield* new CollectionNotYours()
      case "nothing":
        return collection.id
      case "remove":
        yield* store.deleteItem(collection.id, id)
        yield* events.append(actor.accountId, {
          _tag: "CollectionPostRemoved",
          collection_id: collection.id,
          post_id: id
        })
        return collection.id
    }
  })

  /** Removes a post from a collection, or what was submitted to it. */
  const remove = Effect.fn("CollectionItems.remove")(function* (mark: string, post: string) {
    return yield* get(yield* inTurn(mark, transaction(removeFrom(mark, post))))
  })

  return { get, add, remove } as const
})

export class CollectionItems extends Context.Service<CollectionItems, Effect.Success<typeof make>>()(
  "forum/domain/CollectionItems"
) {
  static readonly layer = Layer.effect(CollectionItems, make).pipe(Layer.provide(DatagraphItems.layer))
}
