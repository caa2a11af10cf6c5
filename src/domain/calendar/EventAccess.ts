/** Finding and locking the event that an operation changes, for those who may. */
import { Effect, Option } from "effect"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { PostStore } from "../thread/PostStore.ts"
import { EventNotFound, type FoundEvent, NotHost } from "./CalendarEvent.ts"
import { mayManage, maySee } from "./CalendarRules.ts"
import { CalendarStore } from "./CalendarStore.ts"
import { CalendarViews } from "./CalendarViews.ts"

export const makeEventAccess = Effect.gen(function* () {
  const store = yield* CalendarStore
  const views = yield* CalendarViews
  const posts = yield* PostStore

  /** The event that a mark names, if the caller may change it. */
  const getOwn = Effect.fnUntraced(function* (mark: string) {
    const actor = yield* CurrentAccount
    const found = yield* views.getFor(mark, actor)
    return mayManage(found, actor) ? found : yield* new NotHost()
  })

  /** Locks the thread of an event, then the event, for a caller who may change it, until the transaction ends. */
  const lockOwn = Effect.fnUntraced(function* (mark: string, found: FoundEvent, actor: AccountActor) {
    const post = Option.getOrUndefined(yield* posts.findForUpdate(found.threadId))
    const event = Option.getOrUndefined(yield* store.findForUpdate(found.id, actor.accountId))
    if (post === undefined || event === undefined || !maySee(event, actor)) {
      return yield* new EventNotFound({ metadata: { event_mark: mark } })
    }
    return mayManage(event, actor) ? { event, post } : yield* new NotHost()
  })

  return { getOwn, lockOwn } as const
})
