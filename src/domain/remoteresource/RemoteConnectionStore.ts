/** What connections to remote resources need from storage. Secrets and tokens arrive here encrypted. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, RemoteConnectionId } from "../shared/Id.ts"
import type { AuthMethod, RemoteConnection } from "./RemoteConnection.ts"
import type { RemoteMode } from "./RemoteMetadata.ts"
import type { TooManyRemoteConnections } from "./RemoteRefusal.ts"

/** What there is one connection of. */
export interface Identity {
  readonly accountId: AccountId
  readonly resourceUrl: string
  readonly authorisationServer: string | undefined
}

/** How tokens are asked for. */
export interface Terms {
  readonly clientId: string
  readonly authorisationEndpoint: string
  readonly tokenEndpoint: string
  readonly method: AuthMethod
  readonly redirectUri: string
  readonly resource: string | undefined
  readonly scope: string | undefined
  /** What answers of the server name it by (RFC 9207), if that is known, and whether all of them do. */
  readonly issuer: string | undefined
  readonly namesItself: boolean
}

/** Who refreshes the tokens of a connection, and until when nobody else does. */
export interface Lease {
  /** Absent if the last one failed, and nobody tries again for a while. */
  readonly holder: string | undefined
  readonly until: DateTime.Utc
}

/** A connection as it is stored. */
export interface StoredConnection {
  readonly shown: RemoteConnection
  readonly identity: Identity
  readonly terms: Terms
  readonly sealedSecret: Uint8Array | undefined
  readonly sealedAccessToken: Uint8Array | undefined
  readonly sealedRefreshToken: Uint8Array | undefined
  readonly expiry: DateTime.Utc | undefined
  readonly lease: Lease | undefined
  /** Another one whenever the tokens have changed, or could not be. */
  readonly revision: number
}

export interface ConnectionInsert {
  readonly id: RemoteConnectionId
  readonly identity: Identity
  readonly terms: Terms
  readonly mode: RemoteMode
  readonly resourceName: string | undefined
  readonly registrationEndpoint: string | undefined
  readonly redirectUris: ReadonlyArray<string>
  readonly sealedSecret: Uint8Array | undefined
  readonly at: DateTime.Utc
}

/** Somebody who was sent to a server. The state is kept as its hash. */
export interface AuthorisationInsert {
  readonly stateHash: Uint8Array
  readonly connectionId: RemoteConnectionId
  readonly accountId: AccountId
  readonly sealedVerifier: Uint8Array
  readonly at: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export interface StoredAuthorisation {
  readonly connectionId: RemoteConnectionId
  readonly accountId: AccountId
  readonly sealedVerifier: Uint8Array
  readonly expiresAt: DateTime.Utc
  readonly isUsed: boolean
}

/** Tokens to keep. What is absent of them stays as it is. */
export interface TokensUpdate {
  readonly sealedAccessToken: Uint8Array
  readonly sealedRefreshToken: Uint8Array | undefined
  readonly tokenType: string
  /** Replaces the one before, also if it is absent. */
  readonly expiry: DateTime.Utc | undefined
  readonly scope: string | undefined
  readonly at: DateTime.Utc
}

export class RemoteConnectionStore extends Context.Service<
  RemoteConnectionStore,
  {
    /** All connections, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<StoredConnection>>
    readonly find: (id: RemoteConnectionId) => Effect.Effect<Option.Option<StoredConnection>>
    readonly findOf: (identity: Identity) => Effect.Effect<Option.Option<StoredConnection>>
    /** A connection that nobody else changes until the transaction ends. */
    readonly findForUpdate: (id: RemoteConnectionId) => Effect.Effect<Option.Option<StoredConnection>>
    /** The same of an identity, of which nobody else makes one until the transaction ends either. */
    readonly findOfForUpdate: (identity: Identity) => Effect.Effect<Option.Option<StoredConnection>>
    /** Fails if there are as many connections as there may be. */
    readonly checkRoom: Effect.Effect<void, TooManyRemoteConnections>
    readonly insert: (
      connection: ConnectionInsert
    ) => Effect.Effect<StoredConnection, TooManyRemoteConnections>
    readonly delete: (id: RemoteConnectionId) => Effect.Effect<void>
    /** Notes who was sent to a server. Of one connection a few are kept, the newest. */
    readonly insertAuthorisation: (authorisation: AuthorisationInsert) => Effect.Effect<void>
    readonly findAuthorisation: (stateHash: Uint8Array) => Effect.Effect<Option.Option<StoredAuthorisation>>
    /** Uses a state up; false if it was used before. */
    readonly useAuthorisation: (stateHash: Uint8Array, at: DateTime.Utc) => Effect.Effect<boolean>
    readonly forgetAuthorisations: (before: DateTime.Utc) => Effect.Effect<void>
    /** Keeps the first tokens of an approval, whatever was before. Answers nothing if the connection is gone. */
    readonly connect: (
      id: RemoteConnectionId,
      tokens: TokensUpdate
    ) => Effect.Effect<Option.Option<StoredConnection>>
    readonly noteFailure: (id: RemoteConnectionId, message: string, at: DateTime.Utc) => Effect.Effect<void>
    /** Lets one refresh the tokens of this revision; false if another one does, or they have changed. */
    readonly takeLease: (
      id: RemoteConnectionId,
      revision: number,
      lease: Lease & { readonly holder: string },
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Keeps refreshed tokens and ends the lease; false if the lease was lost. */
    readonly keepRefreshed: (
      id: RemoteConnectionId,
      holder: string,
      tokens: TokensUpdate
    ) => Effect.Effect<boolean>
    /** Notes that tokens could not be refreshed. Nobody tries again until the lease ends. */
    readonly noteRefreshFailure: (
      id: RemoteConnectionId,
      holder: string,
      message: string,
      at: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("forum/domain/RemoteConnectionStore") {}
