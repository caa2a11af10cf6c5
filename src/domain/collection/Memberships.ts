/** Putting items into a locked collection, which has room for so many. */
import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountActor } from "../shared/Actor.ts"
import { Ids } from "../shared/Ids.ts"
import { type ItemState, refOf } from "./Collectable.ts"
import {
  CollectionFull,
  itemsMax,
  submissionsByOneMax,
  submissionsMax,
  TooManySubmissions
} from "./Collection.ts"
import { CollectionStore, type LockedCollection } from "./CollectionStore.ts"
import { makeItemStates } from "./ItemStates.ts"

const checkRoom = ({ items }: LockedCollection) =>
  items >= itemsMax ? Effect.fail(new CollectionFull({ metadata: { maximum: itemsMax } })) : Effect.void

export const makeMemberships = Effect.gen(function* () {
  const store = yield* CollectionStore
  const events = yield* EventLog
  const ids = yield* Ids
  const states = yield* makeItemStates

  /** Whether there is room for another submission of an account. */
  const checkSubmission = Effect.fnUntraced(function* (actor: AccountActor, collection: LockedCollection) {
    if (collection.submissions >= submissionsMax) {
      return yield* new TooManySubmissions({ metadata: { maximum: submissionsMax } })
    }
    if ((yield* store.countSubmissions(collection.id, actor.accountId)) >= submissionsByOneMax) {
      return yield* new TooManySubmissions({ metadata: { maximum: submissionsByOneMax } })
    }
  })

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

  const add = (collection: LockedCollection, item: ItemState, actor: AccountActor) =>
    Effect.andThen(checkRoom(collection), insert(collection, item, actor, "normal"))

  /** Adds what the owner of the collection has to accept. */
  const submit = (collection: LockedCollection, item: ItemState, actor: AccountActor) =>
    Effect.andThen(checkSubmission(actor, collection), insert(collection, item, actor, "submission_review"))

  const accept = Effect.fnUntraced(function* (
    collection: LockedCollection,
    item: ItemState,
    actor: AccountActor
  ) {
    yield* checkRoom(collection)
    yield* store.setMembership(collection.id, refOf(item), "submission_accepted")
    yield* events.append(actor.accountId, states[item.kind].eventOf("Accepted", collection.id, item.state.id))
  })

  return { add, submit, accept } as const
})
