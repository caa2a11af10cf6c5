/** Delivers what is due to webhooks, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Audience, mayKnow } from "../change/Audience.ts"
import { makeDelivery } from "../queue/Delivery.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { toldByStored } from "./LoggedChanges.ts"
import { testType } from "./WebhookDelivery.ts"
import {
  type NextStep,
  type TakenDelivery,
  WebhookDeliveryStore,
  WebhookSignal
} from "./WebhookDeliveryStore.ts"
import { makeWebhookDisabling } from "./WebhookDisabling.ts"
import { webhooksMax } from "./WebhookRefusal.ts"
import { makeWebhookRequests } from "./WebhookRequests.ts"
import {
  type Attempt,
  decideDisabling,
  decideNextTry,
  isGone,
  isSuccess,
  keptFor,
  parallelOfOne,
  triesMax
} from "./WebhookRules.ts"
import { testData } from "./WebhookViews.ts"

// Every webhook has its places, so that none waits for another one whose receiver hangs.
const parallel = parallelOfOne * webhooksMax

// Longer than a delivery may take.
const takenFor: Duration.Input = "30 seconds"

// Other instances enqueue as well, and what failed is due again later.
const lookEvery: Duration.Input = "1 second"

/** What came of a delivery that was due. */
type Outcome =
  | { readonly _tag: "Sent"; readonly attempt: Attempt }
  /** There was nothing to send, for a reason that no other try changes. */
  | { readonly _tag: "Lost"; readonly attempt: Attempt }
  /** Its account may not know of it. */
  | { readonly _tag: "Withheld" }

const lost = (error: string) =>
  Effect.map(
    DateTime.now,
    (at): Outcome => ({
      _tag: "Lost",
      attempt: { at, milliseconds: 0, status: undefined, answer: undefined, error }
    })
  )

const make = Effect.gen(function* () {
  const store = yield* WebhookDeliveryStore
  const transaction = yield* Transaction
  const random = yield* SecureRandom.SecureRandom
  const signal = yield* WebhookSignal
  const disable = yield* makeWebhookDisabling
  const send = yield* makeWebhookRequests

  const sent = (attempt: Effect.Effect<Attempt>) =>
    Effect.map(attempt, (attempt): Outcome => ({ _tag: "Sent", attempt }))

  const isWithheld = Effect.fnUntraced(function* (id: AccountId, audience: Audience) {
    const [recipient, standings] = yield* Effect.all(
      [store.findRecipient(id), store.readStandings(audience)],
      { concurrency: "unbounded" }
    )
    return Option.isNone(recipient) || !mayKnow(audience, standings, recipient.value)
  })

  const attemptChange = Effect.fnUntraced(function* ({ accountId, cause, message }: TakenDelivery) {
    const told = cause === undefined ? undefined : yield* toldByStored(cause.event)
    if (cause === undefined || told === undefined) {
      return yield* lost("The event log has this change no longer")
    }
    if (yield* isWithheld(accountId, told.audience)) return { _tag: "Withheld" } satisfies Outcome
    return yield* sent(send(message, cause.at, told.change))
  })

  /** Delivers something, unless no try was ever finished though there were enough: perhaps it makes the process end. */
  const attempt = (taken: TakenDelivery): Effect.Effect<Outcome> => {
    if (taken.tries > triesMax) {
      return lost("The service ended while it delivered this, several times")
    }
    return taken.message.type === testType
      ? sent(send(taken.message, taken.createdAt, testData(taken.message.webhookId)))
      : attemptChange(taken)
  }

  const chance = Effect.map(random.randomBytes(1), ([byte = 0]) => byte / 255)

  const nextStep = Effect.fnUntraced(function* ({ tries }: TakenDelivery, attempt: Attempt) {
    const dueAt = decideNextTry(tries, yield* DateTime.now, yield* chance)
    return dueAt === undefined || isGone(attempt)
      ? ({ status: "failed" } satisfies NextStep)
      : ({ status: "waiting", dueAt } satisfies NextStep)
  })

  const finishFailed = Effect.fnUntraced(function* (taken: TakenDelivery, attempt: Attempt) {
    const { accountId, message } = taken
    const now = yield* DateTime.now
    const health = Option.getOrUndefined(yield* store.noteHealth(message.webhookId, false, now))
    if (health === undefined) return
    const reason = health.failingSince && decideDisabling(attempt, health.failingSince, now)
    if (reason !== undefined && health.active) {
      yield* disable({ id: message.webhookId, accountId, url: message.url }, reason, now)
    }
    yield* store.finish(taken, attempt, yield* nextStep(taken, attempt), now)
  })

  const finishOther = Effect.fnUntraced(function* (taken: TakenDelivery, outcome: Outcome) {
    const now = yield* DateTime.now
    if (outcome._tag === "Sent") yield* finishFailed(taken, outcome.attempt)
    else {
      yield* store.hold(taken.message.webhookId)
      if (outcome._tag === "Withheld") yield* store.drop(taken, now)
      else yield* store.finish(taken, outcome.attempt, { status: "failed" }, now)
    }
  }, transaction)

  const finish = Effect.fnUntraced(function* (taken: TakenDelivery, outcome: Outcome) {
    yield* outcome._tag === "Sent" && isSuccess(outcome.attempt)
      ? store.finishDelivered(taken, outcome.attempt, yield* DateTime.now)
      : finishOther(taken, outcome)
  })

  const giveBack = (taken: TakenDelivery, at: DateTime.Utc) =>
    transaction(Effect.andThen(store.hold(taken.message.webhookId), store.giveBack(taken, at)))

  const delivery = makeDelivery<TakenDelivery, Outcome>({
    what: { one: "a change to a webhook", many: "changes" },
    isPossible: true,
    parallel,
    takenFor,
    take: store.take,
    attempt,
    finish,
    giveBack,
    signal,
    lookEvery,
    about: ({ id, message }) => ({ delivery_id: id, webhook_id: message.webhookId })
  })

  /** Removes deliveries that are old, whatever became of them. */
  const clean = Effect.gen(function* () {
    const now = yield* DateTime.now
    yield* Effect.repeat(transaction(store.deleteOld(DateTime.subtractDuration(now, keptFor), now)), {
      while: (more) => more
    })
  })

  return { ...delivery, clean } as const
})

export class WebhookSending extends Context.Service<WebhookSending, Effect.Success<typeof make>>()(
  "forum/domain/WebhookSending"
) {
  static readonly layer = Layer.effect(WebhookSending, make)
}
