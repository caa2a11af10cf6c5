/** Sending back a code that came to a phone number, to sign up or in. */
import { DateTime, Effect, Option } from "effect"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { Sessions } from "../session/Sessions.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { makeCodes } from "./Codes.ts"
import { SignInSuspended } from "./Password.ts"
import { receiverOf } from "./PhoneCodes.ts"
import { PhoneCodeWrong } from "./PhoneSignIn.ts"
import { type PhoneAccount, type PhoneSignUp, PhoneStore, type StoredNumber } from "./PhoneStore.ts"
import { type Entered, makeRegistration } from "./Registration.ts"

const orWrong = Option.match({
  onNone: () => Effect.fail(new PhoneCodeWrong()),
  onSome: (nonce: Uint8Array) => Effect.succeed(nonce)
})

export const makePhoneConfirmations = Effect.gen(function* () {
  const store = yield* PhoneStore
  const codes = yield* makeCodes(store)
  const registration = yield* makeRegistration
  const attempts = yield* AttemptLimit
  const addresses = yield* EmailAddressStore
  const sessions = yield* Sessions
  const transaction = yield* Transaction

  const findAccount = (handle: string) => Effect.map(store.findAccount(handle), Option.getOrUndefined)

  const signIn = Effect.fnUntraced(function* (
    { accountId, suspended }: PhoneAccount,
    phone: StoredNumber,
    code: string,
    from: ClientNetwork
  ) {
    const client = yield* attempts.clientOf(accountId, from)
    const nonce = yield* codes
      .check(receiverOf(phone, accountId), code, client, (attempt) =>
        attempts.guardAtOnce(accountId, { _tag: "Network", network: from }, attempt)
      )
      .pipe(Effect.flatMap(orWrong))
    if (suspended) return yield* new SignInSuspended()
    const write = Effect.gen(function* () {
      yield* addresses.findOwnerForUpdate(accountId)
      if (!(yield* store.takeCode(phone.id, nonce))) return yield* new PhoneCodeWrong()
      return yield* sessions.issue(accountId)
    })
    return yield* transaction(write)
  })

  const signUp = Effect.fnUntraced(function* (waiting: PhoneSignUp, code: string, from: ClientNetwork) {
    const { handle, id: phone, invitationId, network } = waiting
    const client = { network: from, isKnown: network === from }
    // There is no account yet whose attempts could count.
    const nonce = yield* codes
      .check(receiverOf(waiting, handle), code, client, (attempt) => attempt)
      .pipe(Effect.flatMap(orWrong))
    const terms = yield* registration.admit(invitationId)
    const credentials = Effect.fnUntraced(function* ({ at, id }: Entered) {
      if (!(yield* store.takeCode(phone, nonce))) return yield* new PhoneCodeWrong()
      yield* store.assign(phone, id, at)
    })
    // Of requests with one code at the same time, those that come too late find the handle taken by the first.
    const isOver = Effect.map(
      Effect.flatMap(DateTime.now, (now) => store.findSignUp(handle, now)),
      Option.isNone
    )
    return yield* registration
      .enter(terms, { handle }, from, credentials)
      .pipe(
        Effect.catchTag("HandleTaken", (taken) =>
          Effect.flatMap(isOver, (over) => Effect.fail(over ? new PhoneCodeWrong() : taken))
        )
      )
  })

  /** Signs in with a code; who signs up with it gets an account. */
  const confirm = Effect.fn("PhoneAuth.confirm")(function* (mark: string, code: string, from: ClientNetwork) {
    const handle = normaliseHandle(mark)
    const account = yield* findAccount(handle)
    if (account?.phone !== undefined) return yield* signIn(account, account.phone, code, from)
    const waiting = yield* store.findSignUp(handle, yield* DateTime.now)
    return Option.isSome(waiting) ? yield* signUp(waiting.value, code, from) : yield* new PhoneCodeWrong()
  })

  /** Signs in with a code to the account with this handle. */
  const confirmToSignIn = Effect.fn("PhoneAuth.confirmToSignIn")(function* (
    mark: string,
    code: string,
    from: ClientNetwork
  ) {
    const account = yield* findAccount(normaliseHandle(mark))
    return account?.phone === undefined
      ? yield* new PhoneCodeWrong()
      : yield* signIn(account, account.phone, code, from)
  })

  return { confirm, confirmToSignIn } as const
})
