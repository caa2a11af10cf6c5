/** Removing all that an account made: a request begins, and a worker ends what is more than a request can do. */
import { Context, DateTime, Duration, Effect, Layer, Option, Queue } from "effect"
import { AccountNotFound } from "../account/Account.ts"
import { briefReferenceOf } from "../account/AccountRules.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { Timestamp } from "../field/Resource.ts"
import { PropertyEdits } from "../library/PropertyEdits.ts"
import { CurrentAccount, Unauthenticated } from "../shared/Actor.ts"
import { type AccountId, AuditEventId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { empty } from "../text/RichText.ts"
import { PurgedContent } from "../vocabulary/Kinds.ts"
import type { AuditEventProps, PurgeAccount } from "./ModerationAction.ts"
import { atOnce, leaseFrom } from "./PurgeRules.ts"
import { type Budget, makePurgeRuns } from "./PurgeRuns.ts"
import { PurgeSignal, PurgeStore, type QueuedContent, type TakenPurge } from "./PurgeStore.ts"

// Other instances take requests as well.
const lookEvery: Duration.Input = "10 seconds"

const isQueued = (content: PurgedContent): content is QueuedContent => content !== "profile_bio"

/** What is seen most goes first. */
const byUrgency = (one: TakenPurge, other: TakenPurge) =>
  PurgedContent.literals.indexOf(one.content) - PurgedContent.literals.indexOf(other.content)

const make = Effect.gen(function* () {
  const store = yield* PurgeStore
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const ids = yield* Ids
  const transaction = yield* Transaction
  const signal = yield* PurgeSignal
  const run = yield* makePurgeRuns

  const begin = Effect.fnUntraced(function* (
    enactedBy: AccountId,
    { account_id: accountId, include }: PurgeAccount,
    entry: AuditEventId,
    at: DateTime.Utc
  ) {
    // In one order, each once.
    const included = PurgedContent.literals.filter((content) => include.includes(content))
    if (included.includes("profile_bio")) {
      yield* accounts.update(accountId, { bio: empty }, at).pipe(
        // Its handle stays.
        Effect.catchTag("HandleTaken", Effect.die)
      )
      yield* events.append(enactedBy, { _tag: "AccountUpdated", id: accountId })
    }
    const contents = included.filter(isQueued)
    const taken = yield* store.request({ accountId, enactedBy, contents, at }, leaseFrom(at))
    yield* events.append(enactedBy, {
      _tag: "AccountContentPurged",
      id: accountId,
      included,
      audit_event_id: entry,
      requested_at: Timestamp.make(DateTime.formatIso(at))
    })
    return taken
  })

  /** The purge is kept from here on: whatever happens to what goes on at once, the worker ends it. */
  const goOn = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenPurge>, at: DateTime.Utc) {
    const budget: Budget = { items: atOnce.items, until: DateTime.addDuration(at, atOnce.time) }
    for (const purge of taken.toSorted(byUrgency)) {
      yield* Effect.catchCause(run(purge, budget), (cause) =>
        Effect.logWarning("A purge goes on later", cause)
      )
    }
    yield* Queue.offer(signal, undefined)
  })

  /** Removes what an account has made until now, or as much of it as can be removed at once; the worker removes the rest. */
  const purge = Effect.fn("Purges.purge")(function* (input: PurgeAccount) {
    const { accountId } = yield* CurrentAccount
    const target = yield* accounts.find(input.account_id)
    if (Option.isNone(target)) return yield* new AccountNotFound({ metadata: { account: input.account_id } })
    const enactor = yield* accounts.find(accountId)
    if (Option.isNone(enactor)) return yield* new Unauthenticated()
    const id = AuditEventId.make(yield* ids.next)
    const at = yield* DateTime.now
    yield* goOn(yield* transaction(begin(accountId, input, id, at)), at)
    return {
      id,
      type: "account_content_purged",
      timestamp: Timestamp.make(DateTime.formatIso(at)),
      enacted_by: briefReferenceOf(enactor.value)
    } satisfies AuditEventProps
  })

  /** Ends what is due, one entry, and answers whether there was any. */
  const endOne = Effect.gen(function* () {
    const now = yield* DateTime.now
    const taken = yield* store.take(now, leaseFrom(now))
    if (taken === undefined) return false
    yield* run(taken, { items: Number.POSITIVE_INFINITY, until: DateTime.addDuration(now, Duration.days(1)) })
    return true
  })

  /** Ends all that is due now. */
  const drain = Effect.repeat(endOne, { while: (found) => found }).pipe(Effect.asVoid)

  /** Ends what becomes due, as long as the service runs. */
  const follow = endOne.pipe(
    Effect.flatMap((found) =>
      found ? Effect.void : Effect.asVoid(Effect.timeoutOption(Queue.take(signal), lookEvery))
    ),
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logWarning("Removing content failed", cause), Effect.sleep(lookEvery))
    ),
    Effect.forever
  )

  return { purge, drain, follow } as const
})

export class Purges extends Context.Service<Purges, Effect.Success<typeof make>>()("forum/domain/Purges") {
  static readonly layer = Layer.effect(Purges, make).pipe(Layer.provide(PropertyEdits.layer))
}
