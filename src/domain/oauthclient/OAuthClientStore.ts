/** What clients of OAuth need from storage. Secrets arrive here as hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, OAuthClientId } from "../shared/Id.ts"
import type { Scope } from "../vocabulary/Scope.ts"
import type {
  OAuthClient,
  OAuthClientIdTaken,
  OAuthClientOwnerUnknown,
  OAuthClientsFull,
  TooManyOAuthClients
} from "./OAuthClient.ts"
import type { ClientType, Grant, ScopePolicy } from "./OAuthClientFields.ts"

/** A client as it is stored. */
export interface StoredClient {
  readonly shown: OAuthClient
  readonly isBuiltIn: boolean
  readonly pkceRequired: boolean
}

/** What of a client can be changed. */
export interface ClientValues {
  readonly name: string
  readonly scopePolicy: ScopePolicy
  readonly redirectUris: ReadonlyArray<string>
  readonly allowedScopes: ReadonlyArray<Scope>
  readonly allowedGrants: ReadonlyArray<Grant>
}

export interface ClientInsert extends ClientValues {
  readonly id: OAuthClientId
  readonly accountId: AccountId
  readonly clientId: string
  readonly type: ClientType
  readonly pkceRequired: boolean
  readonly secretHash: string | undefined
  readonly at: DateTime.Utc
}

export class OAuthClientStore extends Context.Service<
  OAuthClientStore,
  {
    /** All clients, newest first. */
    readonly list: Effect.Effect<ReadonlyArray<StoredClient>>
    /** The clients of an account, newest first. */
    readonly listOf: (account: AccountId) => Effect.Effect<ReadonlyArray<StoredClient>>
    readonly find: (id: OAuthClientId) => Effect.Effect<Option.Option<StoredClient>>
    /** The client that programs name so, with the hash of its secret if it has one; none that a document describes. */
    readonly findByClientId: (
      clientId: string
    ) => Effect.Effect<Option.Option<StoredClient & { readonly secretHash: string | undefined }>>
    /** A client that nobody else changes until the transaction ends. */
    readonly findForUpdate: (id: OAuthClientId) => Effect.Effect<Option.Option<StoredClient>>
    readonly insert: (
      client: ClientInsert
    ) => Effect.Effect<
      StoredClient,
      OAuthClientIdTaken | OAuthClientOwnerUnknown | TooManyOAuthClients | OAuthClientsFull
    >
    /** Changes a client. Without a hash its secret stays as it is. */
    readonly update: (
      id: OAuthClientId,
      values: ClientValues,
      secretHash: string | undefined,
      at: DateTime.Utc
    ) => Effect.Effect<StoredClient>
    readonly delete: (id: OAuthClientId) => Effect.Effect<void>
  }
>()("forum/domain/OAuthClientStore") {}
