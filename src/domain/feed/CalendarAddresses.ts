/** The secret address of an account's calendar, which programs read that cannot sign in. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { Timestamp } from "../field/Resource.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import { CalendarAddressStore } from "./CalendarAddressStore.ts"
import { CalendarAddressUnknown } from "./CalendarKey.ts"

const make = Effect.gen(function* () {
  const store = yield* CalendarAddressStore
  const transaction = yield* Transaction
  const tokens = yield* makeTokens
  const { publicUrl } = yield* Deployment

  /** Makes the address of the caller's calendar. The one before ends with that. */
  const replace = Effect.fn("CalendarAddresses.replace")(function* () {
    const { accountId } = yield* CurrentAccount
    const at = yield* DateTime.now
    const key = yield* tokens.make
    yield* transaction(store.replace(accountId, yield* tokens.hash(key), at))
    return {
      address: Redacted.make(`${addressOf(publicUrl)}/api/feeds/calendar.ics?key=${key}`),
      createdAt: Timestamp.make(DateTime.formatIso(at))
    }
  })

  /** Whose calendar is at an address. */
  const getReader = Effect.fn("CalendarAddresses.getReader")(function* (key: Redacted.Redacted) {
    const text = Redacted.value(key)
    const found = isToken(text) ? yield* store.findReader(yield* tokens.hash(text)) : Option.none()
    return Option.isNone(found) ? yield* new CalendarAddressUnknown() : found.value
  })

  return { replace, getReader } as const
})

export class CalendarAddresses extends Context.Service<CalendarAddresses, Effect.Success<typeof make>>()(
  "forum/domain/CalendarAddresses"
) {
  static readonly layer = Layer.effect(CalendarAddresses, make)
}
