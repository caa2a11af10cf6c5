/** The codes that are sent to email addresses, to confirm them and to sign in. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import {
  type AddressOwner,
  EmailAddressStore,
  type StoredEmailAddress
} from "../account/EmailAddressStore.ts"
import { Outbox } from "../mail/Outbox.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { Client, ClientNetwork } from "../shared/Client.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { codeLimits, decideCode, minutesLeft } from "./EmailCodeRules.ts"
import { CodeWrong } from "./EmailSignIn.ts"
import { EmailSignInStore } from "./EmailSignInStore.ts"
import { codeLetter } from "./EmailText.ts"

const digits = 6
const nonceBytes = 16

type Receiver = Pick<StoredEmailAddress, "id" | "accountId" | "address">

const bytesOf = (text: string) => new TextEncoder().encode(text)

const make = Effect.gen(function* () {
  const store = yield* EmailSignInStore
  const outbox = yield* Outbox
  const settings = yield* InstanceSettings
  const attempts = yield* AttemptLimit
  const addresses = yield* EmailAddressStore
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const random = yield* SecureRandom.SecureRandom
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Effect.flatMap(store.codeKey, (bytes) => Mac.key(Mac.hmacSha256, bytes)))

  /** The code that is made with a nonce. Bound to the address and its account, so that it is no code of others. */
  const codeOf = Effect.fnUntraced(function* ({ accountId, address, id }: Receiver, nonce: Uint8Array) {
    const tag = yield* Effect.orDie(mac.sign(key, bytesOf(`${id} ${accountId} ${address} ${nonce.toHex()}`)))
    const number = new DataView(tag.buffer, tag.byteOffset).getBigUint64(0) % 10n ** BigInt(digits)
    return String(number).padStart(digits, "0")
  })

  /** The code to send: a new one, or the one that there is. */
  const choose = Effect.fnUntraced(function* (to: Receiver, client: Client) {
    const now = yield* DateTime.now
    const stored = Option.getOrUndefined(yield* store.findCode(to.id))
    const decision = decideCode(stored, client, now)
    if (decision._tag === "Again") {
      if (decision.isShared) yield* store.shareCode(to.id)
      return decision.code
    }
    const code = {
      ...decision.code,
      nonce: yield* random.randomBytes(nonceBytes),
      expiresAt: DateTime.addDuration(now, codeLimits.validFor),
      askedBy: client.network
    }
    yield* store.putCode(to.id, code)
    return code
  })

  /** Sends a code as part of the running transaction, which has locked the account. */
  const send = Effect.fnUntraced(function* (to: Receiver, { handle, name }: AddressOwner, client: Client) {
    const { expiresAt, nonce } = yield* choose(to, client)
    const { title } = yield* settings.general
    const [code, minutes] = [yield* codeOf(to, nonce), minutesLeft(expiresAt, yield* DateTime.now)]
    const letter = codeLetter(title, handle, { code, minutes })
    yield* outbox.enqueue({ address: to.address, name, ...letter }, client)
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

  /**
   * Checks a code, whose nonce it answers. What is left of a code is counted first, so that only attempts that
   * could be right count for the account.
   */
  const check = Effect.fnUntraced(function* (of: Receiver, code: string, from: ClientNetwork) {
    const client = yield* attempts.clientOf(of.accountId, from)
    const nonce = yield* store.countAttempt(of.id, client, yield* DateTime.now)
    if (Option.isNone(nonce)) return yield* new CodeWrong()
    const isRight = Effect.gen(function* () {
      const expected = yield* codeOf(of, nonce.value)
      if (!Mac.timingSafeEqual(bytesOf(code), bytesOf(expected))) return false
      // Whatever happens to the request from now on, the code has not been guessed at.
      yield* store.uncountAttempt(of.id, client, nonce.value)
      return true
    })
    if (!(yield* attempts.guardAtOnce(of.accountId, { _tag: "Network", network: from }, isRight))) {
      return yield* new CodeWrong()
    }
    return nonce.value
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
