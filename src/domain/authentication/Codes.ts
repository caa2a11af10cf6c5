/** The codes that are sent to prove that an address or a number is one's own. */
import { DateTime, Effect, Option } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import type { Client } from "../shared/Client.ts"
import { codeLimits, decideCode, minutesLeft } from "./CodeRules.ts"
import type { CodeStore } from "./CodeStore.ts"

const digits = 6
const nonceBytes = 16

/** Where a code is sent to. */
export interface CodeReceiver<Id extends string> {
  readonly id: Id
  /** What the code is made for beside the id, so that it is no code of others: whose it is, and the address. */
  readonly boundTo: string
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

export const makeCodes = Effect.fnUntraced(function* <Id extends string>(store: CodeStore<Id>) {
  const random = yield* SecureRandom.SecureRandom
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Effect.flatMap(store.codeKey, (bytes) => Mac.key(Mac.hmacSha256, bytes)))

  /** The code that is made with a nonce. */
  const codeOf = Effect.fnUntraced(function* ({ boundTo, id }: CodeReceiver<Id>, nonce: Uint8Array) {
    const tag = yield* Effect.orDie(mac.sign(key, bytesOf(`${id} ${boundTo} ${nonce.toHex()}`)))
    const number = new DataView(tag.buffer, tag.byteOffset).getBigUint64(0) % 10n ** BigInt(digits)
    return String(number).padStart(digits, "0")
  })

  const choose = Effect.fnUntraced(function* (id: Id, client: Client) {
    const now = yield* DateTime.now
    const stored = Option.getOrUndefined(yield* store.findCode(id))
    const decision = decideCode(stored, client, now)
    if (decision._tag === "Again") {
      if (decision.isShared) yield* store.shareCode(id)
      return decision.code
    }
    const code = {
      ...decision.code,
      nonce: yield* random.randomBytes(nonceBytes),
      expiresAt: DateTime.addDuration(now, codeLimits.validFor),
      askedBy: client.network
    }
    yield* store.putCode(id, code)
    return code
  })

  /**
   * The code to send, a new one or the one that there is, and for how long it is valid. Part of the running
   * transaction, in which nobody else chooses one for the receiver.
   */
  const choosing = Effect.fnUntraced(function* (to: CodeReceiver<Id>, client: Client) {
    const { expiresAt, nonce } = yield* choose(to.id, client)
    return {
      code: yield* codeOf(to, nonce),
      expiresAt,
      minutes: minutesLeft(expiresAt, yield* DateTime.now)
    }
  })

  /**
   * Checks a code, whose nonce it answers if it is right. What is left of a code is counted first, so that only
   * attempts that could be right run guarded.
   */
  const check = Effect.fnUntraced(function* <E, R>(
    of: CodeReceiver<Id>,
    code: string,
    client: Client,
    guarded: (attempt: Effect.Effect<boolean>) => Effect.Effect<boolean, E, R>
  ) {
    const nonce = yield* store.countAttempt(of.id, client, yield* DateTime.now)
    if (Option.isNone(nonce)) return nonce
    const isRight = Effect.gen(function* () {
      const expected = yield* codeOf(of, nonce.value)
      if (!Mac.timingSafeEqual(bytesOf(code), bytesOf(expected))) return false
      // Whatever happens to the request from now on, the code has not been guessed at.
      yield* store.uncountAttempt(of.id, client, nonce.value)
      return true
    })
    return (yield* guarded(isRight)) ? nonce : Option.none<Uint8Array>()
  })

  return { choosing, check } as const
})
