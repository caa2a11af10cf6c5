/** What people may do with calendar events. */
import { Context, Effect, Layer } from "effect"
import { CurrentAccount } from "../shared/Actor.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makePostRemoval } from "../thread/PostRemoval.ts"
import type { FoundEvent } from "./CalendarEvent.ts"
import { makeEventAccess } from "./EventAccess.ts"
import { makeEventChanges } from "./EventChanges.ts"
import { makeEventCreation } from "./EventCreation.ts"

const makeRemove = Effect.gen(function* () {
  const removePost = yield* makePostRemoval
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { lockOwn } = yield* makeEventAccess

  /** Deletes the thread of an event; the database deletes the event with it. */
  const drop = Effect.fnUntraced(function* (mark: string, found: FoundEvent) {
    const actor = yield* CurrentAccount
    const { post } = yield* lockOwn(mark, found, actor)
    yield* removePost(actor.accountId, post)
  })

  /** Deletes an event as it was found by a mark. */
  return Effect.fn("Calendar.remove")(function* (mark: string, found: FoundEvent) {
    yield* queue(found.id, transaction(drop(mark, found)))
  })
})

const make = Effect.gen(function* () {
  const { getOwn } = yield* makeEventAccess
  return {
    create: yield* makeEventCreation,
    getOwn,
    update: yield* makeEventChanges,
    remove: yield* makeRemove
  } as const
})

export class Calendar extends Context.Service<Calendar, Effect.Success<typeof make>>()(
  "forum/domain/Calendar"
) {
  static readonly layer = Layer.effect(Calendar, make)
}
