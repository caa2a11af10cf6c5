/** What a browser keeps, sealed, while its person is at another service. */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { Mac } from "effect/crypto"
import { servicesElsewhere } from "../authentication/AuthProvider.ts"
import { SealedStates } from "../authentication/SealedStates.ts"
import { AccountId } from "../shared/Id.ts"
import { awayMinutes } from "./Elsewhere.ts"

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

const bytesOf = (text: string) => new TextEncoder().encode(text)

const make = Effect.gen(function* () {
  const { proof, sealing, use } = yield* SealedStates
  const { find, seal } = sealing("elsewhere", Departure)

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
    return { departure, kept: yield* seal(departure), expiresAt } as const
  })

  return {
    begin,
    /** The departure with this state among what a browser kept, if it is not too late. */
    find: (all: ReadonlyArray<string>, state: string) =>
      find(all, (departure) => Mac.timingSafeEqual(bytesOf(departure.state), bytesOf(state))),
    /** Uses a departure up, as part of the running transaction; false if it was used before. */
    use: (departure: Departure) => use(departure.state, departure)
  } as const
})

export class Departures extends Context.Service<Departures, Effect.Success<typeof make>>()(
  "forum/domain/Departures"
) {
  static readonly layer = Layer.effect(Departures, make).pipe(Layer.provide(SealedStates.layer))
}
