/** Sends the mails that are due, a few at a time, beside everything else. */
import { Context, DateTime, type Duration, Effect, Layer } from "effect"
import { InternalErrors } from "../operations/InternalErrors.ts"
import { makeDelivery } from "../queue/Delivery.ts"
import { Transaction } from "../storage/Transaction.ts"
import { EmailQueueStore, MailSignal, type TakenMail } from "./EmailQueueStore.ts"
import { type Attempt, decideNextTry, keptFor, recipientLimit, triesMax } from "./MailRules.ts"
import { MailTransport } from "./MailTransport.ts"

/** Mails that this process sends at the same time. */
export const parallelMails = 4

/** What sending one may take, from the first look-up of a name. */
const sendingMax: Duration.Input = "1 minute"

// Longer than sending may take.
const takenFor: Duration.Input = "2 minutes"

// Other instances enqueue as well, and what failed is due again later.
const lookEvery: Duration.Input = "10 seconds"

const unfinished: Attempt = {
  _tag: "Failed",
  error: "The service ended while it sent the mail, several times"
}

const make = Effect.gen(function* () {
  const store = yield* EmailQueueStore
  const transaction = yield* Transaction
  const transport = yield* MailTransport
  const signal = yield* MailSignal
  const errors = yield* InternalErrors

  /** Sends a mail, unless no try was ever finished though there were enough: perhaps it makes the process end. */
  const attempt = ({ mail, tries }: TakenMail): Effect.Effect<Attempt> => {
    if (transport === undefined || tries > triesMax) return Effect.succeed(unfinished)
    return transport.send(mail).pipe(
      Effect.as<Attempt>({ _tag: "Sent" }),
      Effect.timeoutOrElse({
        duration: sendingMax,
        orElse: () => Effect.succeed<Attempt>({ _tag: "Failed", error: "The mail server was too slow" })
      }),
      Effect.catchTag("MailFailed", ({ reason }) =>
        Effect.succeed<Attempt>({ _tag: "Failed", error: reason })
      )
    )
  }

  const finish = Effect.fnUntraced(function* (taken: TakenMail, attempt: Attempt) {
    const now = yield* DateTime.now
    const next = decideNextTry(attempt, taken.tries, now)
    yield* transaction(store.finish(taken, attempt, next, now))
    if (attempt._tag === "Sent") return
    const about = { email_id: taken.mail.id, attempt: taken.attempt }
    if (next !== undefined) {
      yield* Effect.annotateLogs(Effect.logWarning("A mail could not be sent", attempt.error), about)
    } else yield* errors.report({ where: "mail", what: "A mail was given up", failure: attempt.error, about })
  })

  const delivery = makeDelivery<TakenMail, Attempt>({
    what: { one: "a mail", many: "mails" },
    isPossible: transport !== undefined,
    parallel: parallelMails,
    takenFor,
    take: store.take,
    attempt,
    finish,
    giveBack: (taken, at) => transaction(store.giveBack(taken, at)),
    signal,
    lookEvery,
    about: (taken) => ({ email_id: taken.mail.id })
  })

  /** Removes what nobody asks for any more. */
  const clean = Effect.gen(function* () {
    const now = yield* DateTime.now
    const before = DateTime.subtractDuration(now, keptFor)
    yield* Effect.repeat(store.deleteOld(before), { while: (hasMore) => hasMore })
    yield* store.forgetRecipients(DateTime.subtractDuration(now, recipientLimit.within))
  })

  return { ...delivery, clean } as const
})

export class MailSending extends Context.Service<MailSending, Effect.Success<typeof make>>()(
  "forum/domain/MailSending"
) {
  static readonly layer = Layer.effect(MailSending, make).pipe(Layer.provide(InternalErrors.layer))
}
