import { Context, type DateTime, type Effect, type Option, type Schema } from "effect"
import type { KeyPair, PublicKey } from "./SigningKey.ts"

/** What a token has to say of itself to be taken. */
export interface Expected {
  readonly issuer: string
  readonly audience: string
  readonly at: DateTime.Utc
}

/** Makes RSA keys, and signs and checks tokens with them (RS256). */
export class JsonWebTokens extends Context.Service<
  JsonWebTokens,
  {
    /** Makes a key of 2048 bits. */
    readonly makeKey: Effect.Effect<KeyPair>
    readonly sign: (key: KeyPair, claims: Readonly<Record<string, Schema.Json>>) => Effect.Effect<string>
    /** The id of the key that a token names; none, if it is no token that this service could have signed. */
    readonly kidOf: (token: string) => Effect.Effect<Option.Option<string>>
    /** The claims of a token; none, unless its signature, issuer, audience and time are good. */
    readonly verify: (
      token: string,
      key: PublicKey,
      expected: Expected
    ) => Effect.Effect<Option.Option<unknown>>
  }
>()("forum/domain/JsonWebTokens") {}
