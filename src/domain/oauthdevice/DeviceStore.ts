/** What devices that wait need from storage. Their own codes arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ScopedClient } from "../oauthclient/Scopes.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId, OAuthClientId, OAuthDeviceId } from "../shared/Id.ts"
import type { Scope } from "../vocabulary/Scope.ts"
import type { OAuthDeviceAuthorisationRecord } from "./DeviceAuthorisation.ts"
import type { DeviceState, Guesses } from "./DeviceRules.ts"
import type { UserCode } from "./UserCode.ts"

export interface NewDevice {
  readonly id: OAuthDeviceId
  readonly clientId: OAuthClientId
  readonly deviceHash: Uint8Array
  readonly userCode: UserCode
  readonly scopes: ReadonlyArray<Scope>
  readonly network: ClientNetwork
  readonly pollSeconds: number
  readonly at: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export interface FoundDevice extends DeviceState {
  readonly id: OAuthDeviceId
  /** What is asked for or, once it is approved, what was granted. */
  readonly scopes: ReadonlyArray<Scope>
}

/** A device with what people are told of its client. */
export interface DeviceOfClient extends FoundDevice {
  readonly client: ScopedClient & { readonly clientId: string; readonly name: string }
}

/**
 * What becomes of a device that begins: another one may have its code for people, there may be no room for it, or its
 * client was deleted meanwhile.
 */
export type Kept = "kept" | "code taken" | "network full" | "full" | "client gone"

/** Who types codes. */
export interface Typing {
  readonly account: AccountId
  readonly network: ClientNetwork
}

export class DeviceStore extends Context.Service<
  DeviceStore,
  {
    readonly insert: (device: NewDevice) => Effect.Effect<Kept>
    /** When the next code expires, of a network or of all. */
    readonly findNextExpiry: (
      at: DateTime.Utc,
      network?: ClientNetwork
    ) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** The device by its code for people, which nobody else changes until the transaction ends. */
    readonly findByUserCodeForUpdate: (code: UserCode) => Effect.Effect<Option.Option<DeviceOfClient>>
    /** The device by its own code, which nobody else changes until the transaction ends. */
    readonly findByHashForUpdate: (hash: Uint8Array) => Effect.Effect<Option.Option<FoundDevice>>
    readonly claim: (id: OAuthDeviceId, account: AccountId) => Effect.Effect<void>
    /** Approves a device for the account that has claimed it, and replaces what it asked for by what it is granted. */
    readonly approve: (
      id: OAuthDeviceId,
      granted: ReadonlyArray<Scope>,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    readonly deny: (id: OAuthDeviceId, at: DateTime.Utc) => Effect.Effect<void>
    /** Notes when a device has asked, and how long it waits from then on. */
    readonly notePoll: (id: OAuthDeviceId, at: DateTime.Utc, pollSeconds: number) => Effect.Effect<void>
    /** Uses an approval up, as part of the running transaction; false if it was used up before. */
    readonly consume: (id: OAuthDeviceId, at: DateTime.Utc) => Effect.Effect<boolean>
    /** All devices, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<OAuthDeviceAuthorisationRecord>>
    /** Removes some of the devices whose codes have expired, so that this is quick. */
    readonly removeSomeExpired: (at: DateTime.Utc) => Effect.Effect<void>
    /** Removes all devices whose codes have expired. */
    readonly removeExpired: (at: DateTime.Utc) => Effect.Effect<void>
    /**
     * How many wrong codes came from an account and from its network, which nobody else counts until the transaction
     * ends. A window that began at `windowStart` or before is over, and a new one begins.
     */
    readonly findGuessesForUpdate: (
      by: Typing,
      windowStart: DateTime.Utc,
      at: DateTime.Utc
    ) => Effect.Effect<{ readonly account: Guesses; readonly network: Guesses }>
    /** Counts a wrong code of both. */
    readonly countGuess: (by: Typing) => Effect.Effect<void>
    /** Removes the counts of windows that began at `windowStart` or before. */
    readonly forgetGuesses: (windowStart: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/DeviceStore") {}
