/**
 * What a browser keeps while its person is at another service: sealed, so that nothing has to be stored for those who
 * never come back. What is stored is that somebody came back with a state.
 */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { servicesElsewhere } from "../authentication/AuthProvider.ts"
import { makeSealedState } from "../authentication/SealedState.ts"
import { AccountId } from "../shared/Id.ts"
import { awayMinutes } from "./Elsewhere.ts"
import { IdentityStore } from "./IdentityStore.ts"

const Departure = Schema.Struct({
  /** The provider that the person was sent to: the answer of another one is refused. */
  service: Schema.Literals(servicesElsewhere),
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** The account that was signed in; absent, if none was. */
  account: Schema.optionalKey(AccountId),
  invitation: Schema.optionalKey(Schema.String),
  /** When it is too late to come back, in milliseconds since 1970. */
  expires: Schema.Int
})
export interface Departure extends Schema.Schema.Type<typeof Departure> {}

/** Who leaves for which provider. */
export type Leaving = Pick<Departure, "service" | "account" | "invitation">

const proofBytes = 32

const bytesOf = (text: string) => new TextEncoder().encode(text)

const make = Effect.gen(function* () {
  const store = yield* IdentityStore
  const random = yield* SecureRandom.SecureRandom
  const seals = yield* makeSealedState(Departure, store.sealKey)

  const proof = Effect.map(random.randomBytes(proofBytes), Base64Url.encode)

  /** A departure with its sealed text for the browser to keep until it is too late. */
  const begin = Effect.fn("Departures.begin")(function* (leaving: Leaving) {
    const expiresAt = DateTime.add(yield* DateTime.now, { minutes: awayMinutes })
    const departure: Departure = {
      ...leaving,
      state: yield* proof,
      nonce: yield* proof,
      verifier: yield* proof,
      expires: DateTime.toEpochMillis(expiresAt)
    }
    return { departure, kept: yield* seals.seal(departure), expiresAt } as const
  })

  /** The departure with this state among what a browser kept, if it is not too late. */
  const find = Effect.fn("Departures.find")(function* (all: ReadonlyArray<string>, state: string) {
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    for (const kept of all) {
      const departure = yield* seals.open(kept)
      if (Option.isNone(departure) || departure.value.expires <= now) continue
      if (Mac.timingSafeEqual(bytesOf(departure.value.state), bytesOf(state))) return departure
    }
    return Option.none<Departure>()
  })

  /** Uses a departure up, as part of the running transaction; false if it was used before. */
  const use = ({ expires, state }: Departure) => store.useState(state, DateTime.makeUnsafe(expires))

  /** Forgets which states were used, once they are too old to be used, by any clock. */
  const forgetUsed = Effect.flatMap(DateTime.now, (now) =>
    store.forgetStates(DateTime.subtract(now, { hours: 1 }))
  )

  return { begin, find, use, forgetUsed } as const
})

export class Departures extends Context.Service<Departures, Effect.Success<typeof make>>()(
  "forum/domain/Departures"
) {
  static readonly layer = Layer.effect(Departures, make)
}
