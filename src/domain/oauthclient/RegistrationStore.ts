/** What the registration of clients needs from storage. Tokens and secrets arrive here as hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ClientNetwork } from "../shared/Client.ts"
import type { InitialAccessTokenId, OAuthClientId } from "../shared/Id.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { AuthMethod } from "./Registration.ts"
import type { ClientDetails, RegisteredValues } from "./RegistrationRules.ts"

/** What let a client register: a token of an administrator, or that the instance is open to all. */
export type LetBy = "token" | "openness"

/** A registered client as it is stored. */
export interface StoredRegistration {
  readonly client: OAuthClient
  readonly authMethod: AuthMethod
  readonly details: ClientDetails
  readonly secretHash: string | undefined
}

/** A client that is registered, or becomes another one. */
export interface RegistrationWrite extends Omit<RegisteredValues, "name"> {
  readonly id: OAuthClientId
  readonly name: string
  /** The hash of the token with which the client changes it from now on. */
  readonly tokenHash: Uint8Array
  readonly secretHash: string | undefined
  readonly at: DateTime.Utc
}

export interface RegistrationInsert extends RegistrationWrite {
  readonly clientId: string
  readonly letBy: LetBy
}

export class RegistrationStore extends Context.Service<
  RegistrationStore,
  {
    /** Whether a client can be registered with this token now. */
    readonly isUsable: (tokenHash: Uint8Array, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Counts a use of the token, if it can be used: the id of the token, or nothing. */
    readonly use: (
      tokenHash: Uint8Array,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<InitialAccessTokenId>>
    /**
     * Counts a client for its network if fewer than `limit` count since an instant. Otherwise answers when the oldest of
     * them was registered.
     */
    readonly count: (
      network: ClientNetwork,
      limit: number,
      since: DateTime.Utc,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<DateTime.Utc>>
    /**
     * Stores a client. If there are as many as there may be, the oldest that nobody uses makes room, if it registered
     * before an instant; nothing if none does.
     */
    readonly insert: (
      client: RegistrationInsert,
      unusedSince: DateTime.Utc
    ) => Effect.Effect<Option.Option<OAuthClient>>
    /** The client with this id, if this is its token. */
    readonly find: (
      clientId: string,
      tokenHash: Uint8Array
    ) => Effect.Effect<Option.Option<StoredRegistration>>
    /** The same, which nobody else changes until the transaction ends. */
    readonly findForUpdate: (
      clientId: string,
      tokenHash: Uint8Array
    ) => Effect.Effect<Option.Option<StoredRegistration>>
    /** Replaces what a client is. */
    readonly update: (client: RegistrationWrite) => Effect.Effect<OAuthClient>
    readonly delete: (id: OAuthClientId) => Effect.Effect<void>
    /** Deletes the clients that registered before an instant and that nobody uses, and what was counted before another. */
    readonly deleteOld: (unusedSince: DateTime.Utc, countedBefore: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/RegistrationStore") {}
