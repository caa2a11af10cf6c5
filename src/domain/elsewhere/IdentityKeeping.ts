/** Giving accounts what they sign in with elsewhere, and making accounts for those who have none. */
import { type DateTime, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { HandleTaken } from "../account/Account.ts"
import { toEmailAddress } from "../account/Email.ts"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import type { ServiceElsewhere } from "../authentication/AuthProvider.ts"
import { makeRegistration } from "../authentication/Registration.ts"
import { EventLog, type NewEvent } from "../event/EventLog.ts"
import * as Text from "../field/Text.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { type AccountId, EmailAddressId, IdentityId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { Departure } from "./Departures.ts"
import { suggestedHandle } from "./ElsewhereRules.ts"
import type { Identity } from "./IdentityProviders.ts"
import { IdentityStore } from "./IdentityStore.ts"

const nameCharacters = 255

/** What an identity is called in the list of ways to sign in. */
const nameOf = ({ names, verifiedEmail }: Identity): string => {
  const shown = [...names, verifiedEmail ?? ""].map((name) => Text.toLine(name)).find((name) => name !== "")
  return Array.from(shown ?? "Unknown")
    .slice(0, nameCharacters)
    .join("")
}

// How many handles with a number are tried before one is made of other words.
const numberedMax = 3

export const makeIdentityKeeping = Effect.gen(function* () {
  const store = yield* IdentityStore
  const addresses = yield* EmailAddressStore
  const registration = yield* makeRegistration
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction
  const random = yield* SecureRandom.SecureRandom

  /** Adds an address that the provider has verified, unless an account has it or this one has its most. */
  const keepAddress = Effect.fnUntraced(function* (accountId: AccountId, email: string, at: DateTime.Utc) {
    const none: ReadonlyArray<NewEvent> = []
    const address = toEmailAddress(email)
    if (address === undefined) return none
    const id = EmailAddressId.make(yield* ids.next)
    if (!(yield* addresses.insertIfFree({ id, accountId, address, verified: true }, at))) return none
    yield* addresses.updateVerification(accountId, at)
    const added = { account_id: accountId, email_address_id: id }
    return [
      { _tag: "EmailAddressAdded", ...added },
      { _tag: "EmailAddressVerified", ...added, verified: true }
    ] satisfies ReadonlyArray<NewEvent>
  })

  /** Gives an account, which may be just being made, what it signs in with, as part of the running transaction. */
  const keep = Effect.fnUntraced(function* (
    accountId: AccountId,
    service: ServiceElsewhere,
    identity: Identity,
    { at, isNew }: { readonly at: DateTime.Utc; readonly isNew: boolean }
  ) {
    const { issuer, subject, verifiedEmail } = identity
    const id = IdentityId.make(yield* ids.next)
    yield* store.insert({ id, accountId, service, issuer, subject, name: nameOf(identity), at })
    const added = verifiedEmail === undefined ? [] : yield* keepAddress(accountId, verifiedEmail, at)
    const isUpdated = added.length > 0 && !isNew
    yield* events.append(
      accountId,
      { _tag: "IdentityElsewhereAdded", id, account_id: accountId, service },
      ...added,
      ...(isUpdated ? [{ _tag: "AccountUpdated", id: accountId } as const] : [])
    )
  })

  const digits = Effect.map(random.randomBytes(4), (bytes) =>
    String(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) % 1_000_000)
  )

  /** Handles to try one after the other; at last none, so that one is made of words that have nothing to do with the person. */
  const handlesFor = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const suggested = suggestedHandle(names)
    if (suggested === undefined) return [undefined]
    const numbers = yield* Effect.forEach(Array(numberedMax).keys(), () => digits)
    return [suggested, ...numbers.map((number) => `${suggested}-${number}`), undefined]
  })

  const isFree = (handle: string | undefined) =>
    handle === undefined
      ? Effect.succeed(true)
      : Effect.isSuccess(Effect.andThen(registration.checkHandle(handle), registration.checkFree(handle)))

  /** Makes an account for somebody who has none, and signs it in. `useUp` is part of the transaction. */
  const signUp = Effect.fnUntraced(function* <E>(
    { invitation, service }: Departure,
    identity: Identity,
    from: ClientNetwork,
    useUp: Effect.Effect<void, E>
  ) {
    const terms = yield* registration.admit(invitation)
    const enterAs = (handle: string | undefined) =>
      transaction(
        Effect.andThen(
          useUp,
          registration.enter(terms, { handle }, from, ({ at, id }) =>
            keep(id, service, identity, { at, isNew: true })
          )
        )
      )
    const [last, ...rest] = (yield* handlesFor(identity.names)).toReversed()
    for (const handle of rest.reverse()) {
      if (!(yield* isFree(handle))) continue
      const entered = yield* Effect.map(enterAs(handle), Option.some).pipe(
        // Somebody took it meanwhile.
        Effect.catchIf(
          (failure) => failure instanceof HandleTaken,
          () => Effect.succeedNone
        )
      )
      if (Option.isSome(entered)) return entered.value
    }
    // There are more words than accounts.
    return yield* Effect.catchTag(enterAs(last), "HandleTaken", Effect.die)
  })

  return { keep, signUp } as const
})
