/** What browsers keep for this service: sealed, so that it takes back nothing but what it has made itself. */
import { Effect, Option, Schema } from "effect"
import { Mac } from "effect/crypto"
import { Base64Url } from "effect/encoding"

// What is kept has some hundred characters.
const form = /^([A-Za-z0-9_-]{1,1000})\.([A-Za-z0-9_-]{43})$/

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Seals states of one kind, with a key that no other kind has. */
export const makeSealedState = Effect.fnUntraced(function* <State, Encoded>(
  schema: Schema.Codec<State, Encoded>,
  sealKey: Effect.Effect<Uint8Array>
) {
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Effect.flatMap(sealKey, (bytes) => Mac.key(Mac.hmacSha256, bytes)))
  const codec = Schema.fromJsonString(schema)
  const encode = Schema.encodeEffect(codec)
  const decode = Schema.decodeUnknownOption(codec)

  const seal = Effect.fnUntraced(function* (state: State) {
    const text = Base64Url.encode(yield* Effect.orDie(encode(state)))
    return `${text}.${Base64Url.encode(yield* Effect.orDie(mac.sign(key, bytesOf(text))))}`
  })

  /** The state in a text that this service sealed. */
  const open = Effect.fnUntraced(function* (sealed: string) {
    const [, text = "", tag = ""] = form.exec(sealed) ?? []
    const bytes = Option.getOrElse(Option.getSuccess(Base64Url.decode(tag)), () => new Uint8Array())
    const isOurs = yield* Effect.orDie(mac.verify(key, bytes, bytesOf(text)))
    return isOurs
      ? Option.flatMap(Option.getSuccess(Base64Url.decodeString(text)), decode)
      : Option.none<State>()
  })

  return { seal, open } as const
})
