import { Context } from "effect"
import type { KeyPair } from "./SigningKey.ts"

/** What a deployment says of keys and tokens; fixed from its start. */
export class SigningSettings extends Context.Service<
  SigningSettings,
  {
    /** How long an access token is valid. */
    readonly accessTokenSeconds: number
    /** Signs instead of the keys that the service makes. */
    readonly ownKey: KeyPair | undefined
  }
>()("forum/domain/SigningSettings") {}
