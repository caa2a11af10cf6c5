/** The secrets of webhooks: made at random, stored sealed, and with what they sign, as Standard Webhooks says. */
import { Effect, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import type { WebhookId } from "../shared/Id.ts"
import { SecretBox } from "../storage/SecretBox.ts"

const prefix = "whsec_"

const secretBytes = 32

const purposeOf = (id: WebhookId) => `secret of webhook ${id}`

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What is signed of a request. */
export interface Signed {
  /** What the header `webhook-id` says. */
  readonly messageId: string
  /** The second of the attempt. */
  readonly timestamp: number
  readonly body: string
}

export const makeWebhookSecrets = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const box = yield* SecretBox
  const mac = yield* Mac.Mac

  /** A new secret for a webhook. Where the key of the instance cannot be read, that is a defect. */
  const issue = Effect.fnUntraced(function* (id: WebhookId) {
    const bytes = yield* random.randomBytes(secretBytes)
    const secret = Redacted.make(`${prefix}${Base64.encode(bytes)}`)
    return { secret, sealed: yield* Effect.orDie(box.seal(purposeOf(id), secret)) } as const
  })

  const signature = Effect.fnUntraced(function* (
    id: WebhookId,
    sealed: Uint8Array,
    { body, messageId, timestamp }: Signed
  ) {
    const secret = Redacted.value(yield* box.open(purposeOf(id), sealed))
    const bytes = yield* Effect.fromResult(Base64.decode(secret.slice(prefix.length)))
    const key = yield* Mac.key(Mac.hmacSha256, bytes)
    return `v1,${Base64.encode(yield* mac.sign(key, bytesOf(`${messageId}.${timestamp}.${body}`)))}`
  })

  /** What the header `webhook-signature` says: a signature with each secret. */
  const sign = (id: WebhookId, sealed: ReadonlyArray<Uint8Array>, signed: Signed) =>
    Effect.orDie(Effect.forEach(sealed, (one) => signature(id, one, signed))).pipe(
      Effect.map((signatures) => signatures.join(" "))
    )

  return { issue, sign } as const
})
