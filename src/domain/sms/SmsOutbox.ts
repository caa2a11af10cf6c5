/** Where text messages are left to be sent. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import { TextMessageId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { SmsQueueStore } from "./SmsQueueStore.ts"
import { TextLimitReached } from "./SmsRefusal.ts"
import { type Counted, limitOf, nameOf, secondsUntilFree, textLimits } from "./SmsRules.ts"
import { TextMessages } from "./TextMessages.ts"

/** A text message to be sent. */
export interface NewText {
  /** The number that it goes to, in the form of E.164. */
  readonly to: string
  readonly text: string
  /** When it is of no use any more. */
  readonly validUntil: DateTime.Utc
}

const make = Effect.gen(function* () {
  const transport = yield* TextMessages
  const store = yield* SmsQueueStore
  const ids = yield* Ids

  const count = Effect.fnUntraced(function* (counted: Counted, now: DateTime.Utc) {
    const since = DateTime.subtractDuration(now, textLimits.within)
    const full = yield* store.count(nameOf(counted), limitOf(counted), since, now)
    if (Option.isNone(full)) return
    return yield* new TextLimitReached({ metadata: { retry_after: secondsUntilFree(full.value, now) } })
  })

  /**
   * Leaves a message to be sent once the running transaction has committed. It is kept until it was sent, over
   * restarts as well; if the transaction fails, there never was one. It counts for its number and for the network
   * that asks for it.
   */
  const enqueue = Effect.fn("SmsOutbox.enqueue")(function* (
    { text, to, validUntil }: NewText,
    network: ClientNetwork
  ) {
    const now = yield* DateTime.now
    yield* count({ _tag: "Network", network }, now)
    yield* count({ _tag: "Number", number: to }, now)
    yield* store.enqueue({ id: TextMessageId.make(yield* ids.next), to, text }, validUntil, now)
  })

  return {
    /** Whether text messages can be sent: the operator has set a provider. */
    enabled: transport !== undefined,
    enqueue
  } as const
})

export class SmsOutbox extends Context.Service<SmsOutbox, Effect.Success<typeof make>>()(
  "forum/domain/SmsOutbox"
) {
  static readonly layer = Layer.effect(SmsOutbox, make)
}
