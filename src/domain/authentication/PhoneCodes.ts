/** Asking for a code that is sent to a phone number, to sign up or in. */
import { DateTime, Effect, Option } from "effect"
import { HandleTaken } from "../account/Account.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { Client, ClientNetwork } from "../shared/Client.ts"
import { PhoneNumberId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { SmsOutbox } from "../sms/SmsOutbox.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { codeLimits } from "./CodeRules.ts"
import { type CodeReceiver, makeCodes } from "./Codes.ts"
import { HandleUnknown, SignInSuspended } from "./Password.ts"
import { codeText, decideReply, otherHandleText, otherNumberText, type Reply } from "./PhoneRules.ts"
import type { PhoneRequest } from "./PhoneSignIn.ts"
import { type PhoneAccount, PhoneStore, type StoredNumber } from "./PhoneStore.ts"
import { makeRegistration } from "./Registration.ts"

/** A number as codes are made for it: of an account, or of who signs up with a handle. */
export const receiverOf = ({ id, number }: StoredNumber, whose: string): CodeReceiver<PhoneNumberId> => ({
  id,
  boundTo: `${whose} ${number}`
})

export const makePhoneCodes = Effect.gen(function* () {
  const store = yield* PhoneStore
  const codes = yield* makeCodes(store)
  const registration = yield* makeRegistration
  const attempts = yield* AttemptLimit
  const outbox = yield* SmsOutbox
  const settings = yield* InstanceSettings
  const ids = yield* Ids
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  /** The message for who asks with a handle, and until when it is of use. */
  const messageOf = Effect.fnUntraced(function* (
    reply: Reply,
    handle: string,
    receiver: CodeReceiver<PhoneNumberId>,
    client: Client
  ) {
    const { title } = yield* settings.general
    if (reply._tag === "Code") {
      const { code, expiresAt, minutes } = yield* codes.choosing(receiver, client)
      return { text: codeText(title, handle, code, minutes), validUntil: expiresAt }
    }
    const text =
      reply._tag === "OtherHandle" ? otherHandleText(title, reply.handle) : otherNumberText(title, handle)
    return { text, validUntil: DateTime.addDuration(yield* DateTime.now, codeLimits.validFor) }
  })

  /** Sends a message to the number of the request of somebody who knows the handle of an account. */
  const sendToAccount = Effect.fnUntraced(function* (
    number: string,
    { accountId, handle }: PhoneAccount,
    from: ClientNetwork
  ) {
    const client = yield* attempts.clientOf(accountId, from)
    const write = Effect.gen(function* () {
      const phone = yield* store.findNumberForUpdate(accountId)
      if (phone === undefined) return yield* new HandleTaken({ metadata: { handle } })
      const reply = decideReply(number, phone.number, yield* store.findHandleOf(number))
      const message = yield* messageOf(reply, handle, receiverOf(phone, accountId), client)
      yield* outbox.enqueue({ to: number, ...message }, from)
    })
    yield* queue(accountId, transaction(write))
  })

  /** Sends a message to the number of the request of somebody who signs up. */
  const sendToSignUp = Effect.fnUntraced(function* (
    { handle, number }: { readonly handle: string; readonly number: string },
    invitationId: string | undefined,
    network: ClientNetwork
  ) {
    const id = PhoneNumberId.make(yield* ids.next)
    const write = Effect.gen(function* () {
      const owner = yield* store.findHandleOf(number)
      const mine = { id, number, handle, invitationId, network }
      // A number that an account has begins no sign-up.
      const begun = owner === undefined ? yield* store.putSignUp(mine, yield* DateTime.now) : undefined
      const reply = decideReply(number, begun?.number, owner)
      const signUp = begun ?? mine
      const client = { network, isKnown: signUp.network === network }
      const message = yield* messageOf(reply, handle, receiverOf(signUp, signUp.handle), client)
      yield* outbox.enqueue({ to: number, ...message }, network)
    })
    yield* queue(`phone ${number}`, transaction(write))
  })

  const sendToMember = Effect.fnUntraced(function* (
    number: string,
    account: PhoneAccount,
    from: ClientNetwork
  ) {
    if (account.phone === undefined) {
      return yield* new HandleTaken({ metadata: { handle: account.handle } })
    }
    if (account.suspended) return yield* new SignInSuspended()
    yield* sendToAccount(number, account, from)
  })

  /**
   * Sends a code to a number: to sign in, if it is that of the account with this handle, and to sign up, if there is no
   * such account. Who signs up has an account once the code has been sent back.
   */
  const request = Effect.fn("PhoneAuth.request")(function* (
    { identifier, phone_number: number }: PhoneRequest,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const handle = normaliseHandle(identifier)
    const account = yield* store.findAccount(handle)
    if (Option.isSome(account)) return yield* sendToMember(number, account.value, from)
    yield* registration.admit(invitationId)
    yield* registration.checkHandle(handle)
    yield* sendToSignUp({ handle, number }, invitationId, from)
  })

  /** Sends a code to a number to sign in, if there is an account with this handle. */
  const requestToSignIn = Effect.fn("PhoneAuth.requestToSignIn")(function* (
    { identifier, phone_number: number }: PhoneRequest,
    from: ClientNetwork
  ) {
    const account = yield* store.findAccount(normaliseHandle(identifier))
    if (Option.isNone(account)) return yield* new HandleUnknown()
    yield* sendToMember(number, account.value, from)
  })

  return { request, requestToSignIn } as const
})
