/** The codes that are sent to email addresses, to confirm them and to sign in. */
import { Context, Effect, Layer, Option } from "effect"
import {
  type AddressOwner,
  EmailAddressStore,
  type StoredEmailAddress
} from "../account/EmailAddressStore.ts"
import { Outbox } from "../mail/Outbox.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { Client, ClientNetwork } from "../shared/Client.ts"
import type { EmailAddressId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { type CodeReceiver, makeCodes } from "./Codes.ts"
import { CodeWrong } from "./EmailSignIn.ts"
import { EmailSignInStore } from "./EmailSignInStore.ts"
import { codeLetter } from "./EmailText.ts"

type Receiver = Pick<StoredEmailAddress, "id" | "accountId" | "address">

const receiverOf = ({ accountId, address, id }: Receiver): CodeReceiver<EmailAddressId> => ({
  id,
  boundTo: `${accountId} ${address}`
})

const make = Effect.gen(function* () {
  const codes = yield* makeCodes(yield* EmailSignInStore)
  const outbox = yield* Outbox
  const settings = yield* InstanceSettings
  const attempts = yield* AttemptLimit
  const addresses = yield* EmailAddressStore
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  /** Sends a code as part of the running transaction, which has locked the account. */
  const send = Effect.fnUntraced(function* (to: Receiver, { handle, name }: AddressOwner, client: Client) {
    const chosen = yield* codes.choosing(receiverOf(to), client)
    const { title } = yield* settings.general
    yield* outbox.enqueue({ address: to.address, name, ...codeLetter(title, handle, chosen) }, client)
  })

  /**
   * Sends a code to an address that an account has. One that was removed meanwhile gets none. Strangers ask for it,
   * as often as they like.
   */
  const sendIfKept = Effect.fnUntraced(function* (to: Receiver, from: ClientNetwork) {
    const client = yield* attempts.clientOf(to.accountId, from)
    const write = Effect.gen(function* () {
      const owner = yield* addresses.findOwnerForUpdate(to.accountId)
      const address = yield* addresses.findOf(to.accountId, to.id)
      if (Option.isSome(owner) && Option.isSome(address)) yield* send(address.value, owner.value, client)
    })
    yield* queue(to.accountId, transaction(write))
  })

  /** Checks a code, whose nonce it answers. Attempts that could be right count for the account. */
  const check = Effect.fnUntraced(function* (of: Receiver, code: string, from: ClientNetwork) {
    const client = yield* attempts.clientOf(of.accountId, from)
    const nonce = yield* codes.check(receiverOf(of), code, client, (attempt) =>
      attempts.guardAtOnce(of.accountId, { _tag: "Network", network: from }, attempt)
    )
    return Option.isNone(nonce) ? yield* new CodeWrong() : nonce.value
  })

  return { send, sendIfKept, check } as const
})

export class EmailCodes extends Context.Service<EmailCodes, Effect.Success<typeof make>>()(
  "forum/domain/EmailCodes"
) {
  static readonly layer = Layer.effect(EmailCodes, make).pipe(
    Layer.provide(Layer.mergeAll(InstanceSettings.layer, AttemptLimit.layer))
  )
}
