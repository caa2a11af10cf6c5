/** The codes that are sent to email addresses, to confirm them and to sign in. */
import { DateTime, Duration, Effect, Option } from "effect"
import { Digest, Mac, SecureRandom } from "effect/crypto"
import type { AddressOwner, StoredEmailAddress } from "../account/EmailAddressStore.ts"
import { Outbox } from "../mail/Outbox.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import type { ClientNetwork } from "./ClientNetwork.ts"
import { CodeWrong } from "./EmailSignIn.ts"
import { EmailSignInStore } from "./EmailSignInStore.ts"
import { codeLetter } from "./EmailText.ts"

/** How long a code is valid, and how many attempts there are at it. */
export const codeLimits = { validFor: Duration.hours(1), attempts: 5 }

const digits = 6

type Receiver = Pick<StoredEmailAddress, "id" | "accountId" | "address">

export const makeEmailCodes = Effect.gen(function* () {
  const store = yield* EmailSignInStore
  const outbox = yield* Outbox
  const settings = yield* InstanceSettings
  const attempts = yield* AttemptLimit
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest

  const makeCode = Effect.map(random.intBetween(0, 10 ** digits - 1), (number) =>
    String(number).padStart(digits, "0")
  )

  /** Bound to the address and its account, so that it is no code of others. */
  const hashOf = ({ accountId, address, id }: Receiver, code: string) =>
    digest.digest(Digest.sha256, new TextEncoder().encode(`${id} ${accountId} ${address} ${code}`))

  /** Sends a code as part of the running transaction. The one before is no longer valid. */
  const send = Effect.fnUntraced(function* (to: Receiver, { handle, name }: AddressOwner) {
    const code = yield* makeCode
    const { title } = yield* settings.general
    const expiresAt = DateTime.addDuration(yield* DateTime.now, codeLimits.validFor)
    yield* store.putCode(to.id, { hash: yield* hashOf(to, code), expiresAt })
    yield* outbox.enqueue({ address: to.address, name, ...codeLetter(title, handle, code) })
  })

  /**
   * Checks a code, whose hash it answers. What is left of a code is counted first, so that only attempts that
   * could be right count for the account.
   */
  const check = Effect.fnUntraced(function* (of: Receiver, code: string, from: ClientNetwork) {
    const stored = yield* store.countAttempt(of.id, codeLimits.attempts, yield* DateTime.now)
    if (Option.isNone(stored)) return yield* new CodeWrong()
    const isRight = Effect.gen(function* () {
      if (!Mac.timingSafeEqual(yield* hashOf(of, code), stored.value)) return false
      // Whatever happens to the request from now on, the code has not been guessed at.
      yield* store.uncountAttempt(of.id, stored.value)
      return true
    })
    if (!(yield* attempts.guardAtOnce(of.accountId, { _tag: "Network", network: from }, isRight))) {
      return yield* new CodeWrong()
    }
    return stored.value
  })

  return { send, check } as const
})
