/** The tokens of external plugins: made at random, stored sealed to be shown again, and found by their hash. */
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { PluginId } from "../shared/Id.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { SecretBox } from "../storage/SecretBox.ts"
import { tokenOf } from "./PluginRules.ts"

const purposeOf = (id: PluginId) => `token of plugin ${id}`

// Of as many bytes, nearly always enough are of use.
const randomLength = 64

export const makePluginTokens = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const box = yield* SecretBox
  const tokens = yield* makeTokens

  const any: Effect.Effect<string> = Effect.flatMap(random.randomBytes(randomLength), (bytes) => {
    const token = tokenOf(bytes)
    return token === undefined ? any : Effect.succeed(token)
  })

  /** A new token for a plugin. Where the key of the instance cannot be read, that is a defect. */
  const issue = Effect.fnUntraced(function* (id: PluginId) {
    const token = Redacted.make(yield* any)
    const sealedToken = yield* Effect.orDie(box.seal(purposeOf(id), token))
    return { token, sealedToken, tokenHash: yield* tokens.hash(Redacted.value(token)) } as const
  })

  const open = (id: PluginId, sealedToken: Uint8Array) => Effect.orDie(box.open(purposeOf(id), sealedToken))

  return { issue, open } as const
})
