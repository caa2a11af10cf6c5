/** What people may do about who takes part in calendar events. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { AccountNotFound } from "../account/Account.ts"
import type { CalendarParticipationChanged } from "../event/CalendarEvents.ts"
import { EventLog } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { AccountId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { EventNotFound, type FoundEvent } from "./CalendarEvent.ts"
import { mayAddress, mayManage } from "./CalendarRules.ts"
import { CalendarStore, type LockedEvent } from "./CalendarStore.ts"
import { CalendarViews } from "./CalendarViews.ts"
import { ParticipantNotFound, type ParticipationChange } from "./Participant.ts"
import {
  type Changer,
  decideLeaving,
  decideParticipation,
  decideRemoval,
  decideRoom,
  type Participation
} from "./ParticipationRules.ts"

const isAccountId = Schema.is(AccountId)

const changerOf = (event: LockedEvent, actor: AccountActor, target: AccountId): Changer => ({
  manages: mayManage(event, actor),
  isSelf: actor.accountId === target
})

/** What the caller must be allowed to do with the event. Who leaves it may do so even if it was withdrawn since. */
const purposeOf = (actor: AccountActor, account: string, isLeaving: boolean) =>
  isLeaving && account === actor.accountId ? "leave" : "see"

const changedEvent = (
  event: LockedEvent,
  by: AccountId,
  target: AccountId,
  before: Participation | undefined,
  after: Participation
): CalendarParticipationChanged => ({
  _tag: "CalendarParticipationChanged",
  event_id: event.id,
  by,
  account_id: target,
  role: after.role,
  status: after.status,
  ...(before === undefined ? {} : { former_role: before.role, former_status: before.status }),
  other_hosts: event.hosts.filter((host) => host !== target)
})

const isDeclined = ({ status }: ParticipationChange) => status === "declined"

const make = Effect.gen(function* () {
  const store = yield* CalendarStore
  const views = yield* CalendarViews
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  /** The account that an address names. */
  const getAccount = Effect.fnUntraced(function* (account: string) {
    if (isAccountId(account) && (yield* store.accountExists(account))) return account
    return yield* new AccountNotFound({ metadata: { account } })
  })

  /** The event if the caller may see or leave it, locked, and how the account takes part. */
  const lock = Effect.fnUntraced(function* (
    mark: string,
    found: FoundEvent,
    actor: AccountActor,
    target: AccountId,
    isLeaving: boolean
  ) {
    const event = Option.getOrUndefined(yield* store.findForUpdate(found.id, actor.accountId))
    if (event === undefined || !mayAddress(event, actor, purposeOf(actor, target, isLeaving))) {
      return yield* new EventNotFound({ metadata: { event_mark: mark } })
    }
    const current = Option.getOrUndefined(yield* store.findParticipation(event.id, target))
    return { event, current, changer: changerOf(event, actor, target) }
  })

  const change = Effect.fnUntraced(function* (
    mark: string,
    found: FoundEvent,
    target: AccountId,
    asked: ParticipationChange
  ) {
    const actor = yield* CurrentAccount
    const { changer, current, event } = yield* lock(mark, found, actor, target, isDeclined(asked))
    const next = yield* Effect.fromResult(decideParticipation(changer, event.policy, current, asked))
    if (next.role === current?.role && next.status === current.status) return
    yield* Effect.fromResult(decideRoom(event.counts, current, next))
    yield* store.setParticipation(event.id, target, next, yield* DateTime.now)
    yield* events.append(actor.accountId, changedEvent(event, actor.accountId, target, current, next))
  })

  /** Makes an account take part, or changes how it does. */
  const set = Effect.fn("Participants.set")(function* (
    mark: string,
    account: string,
    asked: ParticipationChange
  ) {
    const actor = yield* CurrentAccount
    const found = yield* views.getFor(mark, actor, purposeOf(actor, account, isDeclined(asked)))
    const target = yield* getAccount(account)
    yield* queue(found.id, transaction(change(mark, found, target, asked)))
  })

  const drop = Effect.fnUntraced(function* (mark: string, found: FoundEvent, target: AccountId) {
    const actor = yield* CurrentAccount
    const { changer, current, event } = yield* lock(mark, found, actor, target, true)
    yield* Effect.fromResult(decideRemoval(changer))
    if (current === undefined) {
      return yield* new ParticipantNotFound({ metadata: { account_id: target } })
    }
    yield* Effect.fromResult(decideLeaving(event.counts, current))
    yield* store.removeParticipant(event.id, target)
    yield* events.append(actor.accountId, {
      _tag: "CalendarParticipantRemoved",
      event_id: event.id,
      by: actor.accountId,
      account_id: target
    })
  })

  const remove = Effect.fn("Participants.remove")(function* (mark: string, account: string) {
    const actor = yield* CurrentAccount
    const found = yield* views.getFor(mark, actor, purposeOf(actor, account, true))
    const target = yield* getAccount(account)
    yield* queue(found.id, transaction(drop(mark, found, target)))
  })

  return { set, remove } as const
})

export class Participants extends Context.Service<Participants, Effect.Success<typeof make>>()(
  "forum/domain/Participants"
) {
  static readonly layer = Layer.effect(Participants, make)
}
