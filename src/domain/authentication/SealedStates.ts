/**
 * What browsers keep for this service while their people are away: sealed, so that it takes back nothing but what it has
 * made itself, and stores nothing for those who never come back. What is stored is that a state was used.
 */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { SealedStateStore } from "./SealedStateStore.ts"

// What is kept has some hundred characters.
const form = /^([A-Za-z0-9_-]{1,1000})\.([A-Za-z0-9_-]{43})$/

const bytesOf = (text: string) => new TextEncoder().encode(text)

const proofBytes = 32

/** What every state has. */
interface Lasting {
  /** When it is too late to come back, in milliseconds since 1970. */
  readonly expires: number
}

const make = Effect.gen(function* () {
  const store = yield* SealedStateStore
  const random = yield* SecureRandom.SecureRandom
  const mac = yield* Mac.Mac
  const key = yield* Effect.orDie(Effect.flatMap(store.key, (bytes) => Mac.key(Mac.hmacSha256, bytes)))

  /** What nobody guesses, in base64url. */
  const proof = Effect.map(random.randomBytes(proofBytes), Base64Url.encode)

  /** Seals states of one kind. The seal of another kind, which has another purpose, does not fit them. */
  const sealing = <State extends Lasting, Encoded>(purpose: string, schema: Schema.Codec<State, Encoded>) => {
    const codec = Schema.fromJsonString(schema)
    const encode = Schema.encodeEffect(codec)
    const decode = Schema.decodeUnknownOption(codec)
    const sealed = (text: string) => bytesOf(`${purpose}.${text}`)

    const seal = Effect.fnUntraced(function* (state: State) {
      const text = Base64Url.encode(yield* Effect.orDie(encode(state)))
      return `${text}.${Base64Url.encode(yield* Effect.orDie(mac.sign(key, sealed(text))))}`
    })

    const open = Effect.fnUntraced(function* (kept: string) {
      const [, text = "", tag = ""] = form.exec(kept) ?? []
      const bytes = Option.getOrElse(Option.getSuccess(Base64Url.decode(tag)), () => new Uint8Array())
      const isOurs = yield* Effect.orDie(mac.verify(key, bytes, sealed(text)))
      return isOurs
        ? Option.flatMap(Option.getSuccess(Base64Url.decodeString(text)), decode)
        : Option.none<State>()
    })

    /** The first state among what a browser kept that is as it is asked for, and for which it is not too late. */
    const find = Effect.fnUntraced(function* (
      all: ReadonlyArray<string>,
      isIt: (state: State) => boolean = () => true
    ) {
      const now = DateTime.toEpochMillis(yield* DateTime.now)
      for (const kept of all) {
        const state = Option.filter(yield* open(kept), (one) => one.expires > now && isIt(one))
        if (Option.isSome(state)) return state
      }
      return Option.none<State>()
    })

    return { seal, find } as const
  }

  /** Uses a proof of a state up, as part of the running transaction; false if it was used before. */
  const use = (proofOf: string, { expires }: Lasting) => store.use(proofOf, DateTime.makeUnsafe(expires))

  /** Forgets what was used, once it is too old to be used, by any clock. */
  const forgetUsed = Effect.flatMap(DateTime.now, (now) => store.forget(DateTime.subtract(now, { hours: 1 })))

  return { proof, sealing, use, forgetUsed } as const
})

export class SealedStates extends Context.Service<SealedStates, Effect.Success<typeof make>>()(
  "forum/domain/SealedStates"
) {
  static readonly layer = Layer.effect(SealedStates, make)
}
