/** What passkeys need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, PasskeyId } from "../shared/Id.ts"
import type { PasskeyTaken, TooManyPasskeys, Transport } from "./Passkey.ts"

/** A passkey as authenticators know it. */
export interface KnownPasskey {
  readonly credentialId: string
  readonly transports: ReadonlyArray<Transport>
}

/** An account with its passkeys, oldest first. */
export interface PasskeyOwner {
  readonly accountId: AccountId
  readonly handle: string
  readonly name: string
  readonly suspended: boolean
  /** How its passkeys know it, in base64url; absent if it has none. */
  readonly userHandle: string | undefined
  readonly passkeys: ReadonlyArray<KnownPasskey>
}

/** An account that signs in with a passkey, which is absent if it is not one of the account's. */
export interface PasskeyCandidate {
  readonly suspended: boolean
  readonly passkey:
    | {
        readonly id: PasskeyId
        readonly publicKey: Uint8Array
        /** How the passkey knows its account. */
        readonly userHandle: string
      }
    | undefined
}

export interface PasskeyInsert extends KnownPasskey {
  readonly id: PasskeyId
  readonly accountId: AccountId
  readonly publicKey: Uint8Array
  readonly userHandle: string
  readonly signatures: number
  readonly name: string
  readonly at: DateTime.Utc
}

export class PasskeyStore extends Context.Service<
  PasskeyStore,
  {
    readonly findOwner: (handle: string) => Effect.Effect<Option.Option<PasskeyOwner>>
    readonly findCandidate: (
      accountId: AccountId,
      credentialId: string
    ) => Effect.Effect<Option.Option<PasskeyCandidate>>
    readonly insert: (passkey: PasskeyInsert) => Effect.Effect<void, PasskeyTaken | TooManyPasskeys>
    /**
     * Notes a signature; false if the passkey is gone, or if it has counted no more signatures than before though it
     * counts them.
     */
    readonly noteSignature: (id: PasskeyId, signatures: number, at: DateTime.Utc) => Effect.Effect<boolean>
  }
>()("forum/domain/PasskeyStore") {}
