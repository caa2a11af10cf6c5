/** Sends the text messages that are due, a few at a time, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer } from "effect"
import { InternalErrors } from "../operations/InternalErrors.ts"
import { makeDelivery } from "../queue/Delivery.ts"
import { Transaction } from "../storage/Transaction.ts"
import { SmsQueueStore, SmsSignal, type TakenText } from "./SmsQueueStore.ts"
import { type Attempt, decideNextTry, textLimits, triesMax } from "./SmsRules.ts"
import { TextMessages } from "./TextMessages.ts"

/** Messages that this process sends at the same time. */
export const parallelTexts = 4

/** What handing one over may take. */
const sendingMax: Duration.Input = "30 seconds"

// Longer than sending may take.
const takenFor: Duration.Input = "1 minute"

// Other instances enqueue as well, and what failed is due again later.
const lookEvery: Duration.Input = "5 seconds"

const failed = (reason: string, isFinal: boolean): Attempt => ({ _tag: "Failed", reason, isFinal })

const make = Effect.gen(function* () {
  const store = yield* SmsQueueStore
  const transaction = yield* Transaction
  const transport = yield* TextMessages
  const signal = yield* SmsSignal
  const errors = yield* InternalErrors

  /** Sends a message, unless no try was ever finished though there were enough: perhaps it makes the process end. */
  const attempt = ({ message, tries }: TakenText): Effect.Effect<Attempt> => {
    if (transport === undefined || tries > triesMax) {
      return Effect.succeed(failed("The service ended while it sent the message, several times", true))
    }
    return transport.send(message).pipe(
      Effect.as<Attempt>({ _tag: "Sent" }),
      Effect.timeoutOrElse({
        duration: sendingMax,
        orElse: () => Effect.succeed(failed("The provider of text messages was too slow", false))
      }),
      Effect.catchTag("TextFailed", ({ isFinal, reason }) => Effect.succeed(failed(reason, isFinal)))
    )
  }

  const finish = Effect.fnUntraced(function* (taken: TakenText, attempt: Attempt) {
    const next = decideNextTry(attempt, taken.tries, yield* DateTime.now, taken.validUntil)
    yield* transaction(store.finish(taken, next))
    if (attempt._tag === "Sent") return
    const about = { text_id: taken.message.id, tries: taken.tries }
    if (next !== undefined) {
      yield* Effect.annotateLogs(Effect.logWarning("A text message could not be sent", attempt.reason), about)
    } else {
      const what = "A text message was given up"
      yield* errors.report({ where: "text messages", what, failure: attempt.reason, about })
    }
  })

  const delivery = makeDelivery<TakenText, Attempt>({
    what: { one: "a text message", many: "text messages" },
    isPossible: transport !== undefined,
    parallel: parallelTexts,
    takenFor,
    take: store.take,
    attempt,
    finish,
    giveBack: (taken, at) => transaction(store.giveBack(taken, at)),
    signal,
    lookEvery,
    about: (taken) => ({ text_id: taken.message.id })
  })

  /** Forgets what counts no more, and messages that nobody sends any more. */
  const clean = Effect.gen(function* () {
    const now = yield* DateTime.now
    yield* store.deleteOld(DateTime.subtractDuration(now, textLimits.within), now)
  })

  return { ...delivery, clean } as const
})

export class SmsSending extends Context.Service<SmsSending, Effect.Success<typeof make>>()(
  "forum/domain/SmsSending"
) {
  static readonly layer = Layer.effect(SmsSending, make).pipe(Layer.provide(InternalErrors.layer))
}
