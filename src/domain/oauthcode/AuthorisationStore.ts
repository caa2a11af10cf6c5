/** What authorisations need from storage. What names a question, and codes, arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, OAuthAuthorisationId, OAuthClientId, OAuthGrantId } from "../shared/Id.ts"
import type { Scope } from "../vocabulary/Scope.ts"

export interface NewAuthorisation {
  readonly id: OAuthAuthorisationId
  readonly requestHash: Uint8Array
  readonly clientId: OAuthClientId
  readonly accountId: AccountId
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<Scope>
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly challenge: string
  readonly at: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** A question that nobody has decided. */
export interface OpenAuthorisation {
  readonly id: OAuthAuthorisationId
  /** The internal id of the client. */
  readonly clientId: OAuthClientId
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<Scope>
  readonly state: string | undefined
  readonly expiresAt: DateTime.Utc
}

export interface Approval {
  readonly codeHash: Uint8Array
  readonly expiresAt: DateTime.Utc
  readonly scopes: ReadonlyArray<Scope>
}

export interface FoundCode {
  readonly id: OAuthAuthorisationId
  readonly clientId: OAuthClientId
  readonly accountId: AccountId
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<Scope>
  readonly nonce: string | undefined
  readonly challenge: string
  readonly expiresAt: DateTime.Utc
  readonly isUsed: boolean
  /** What it was exchanged for. */
  readonly grantId: OAuthGrantId | undefined
}

export class AuthorisationStore extends Context.Service<
  AuthorisationStore,
  {
    /**
     * Stores a question; false if the client was deleted meanwhile. Of more than an account may have open, the oldest are
     * forgotten.
     */
    readonly insert: (authorisation: NewAuthorisation) => Effect.Effect<boolean>
    /** A question to an account that can be decided at this time. */
    readonly findOpen: (
      requestHash: Uint8Array,
      account: AccountId,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<OpenAuthorisation>>
    /** Decides a question, with an approval or without; false if it was decided meanwhile. */
    readonly decide: (
      id: OAuthAuthorisationId,
      approval: Approval | undefined,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    readonly findCode: (codeHash: Uint8Array) => Effect.Effect<Option.Option<FoundCode>>
    /** Uses up a code for a grant, as part of the running transaction; false if it was used meanwhile. */
    readonly use: (id: OAuthAuthorisationId, grant: OAuthGrantId, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Forgets questions that can no longer be decided, and codes a day after they could be used. */
    readonly forget: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/AuthorisationStore") {}
