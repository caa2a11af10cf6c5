/** What grants of OAuth need from storage. Refresh tokens arrive here as SHA-256 hashes only. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, OAuthClientId, OAuthGrantId, OAuthTokenId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Permission } from "../shared/Permission.ts"
import type { Scope } from "../vocabulary/Scope.ts"
import type { OAuthRefreshToken } from "./RefreshToken.ts"

/** The account that tokens are for, as it is now. */
export interface Subject {
  readonly accountId: AccountId
  readonly handle: string
  readonly name: string
  readonly suspended: boolean
  readonly permissions: ReadonlySet<Permission>
  /** The oldest address that is verified, or else the newest one. */
  readonly email: { readonly address: string; readonly verified: boolean } | undefined
}

/** Tokens that are issued together. */
export interface NewTokens {
  readonly id: OAuthTokenId
  readonly accessId: string
  readonly accessExpiresAt: DateTime.Utc
  readonly scopes: ReadonlyArray<Scope>
  readonly refresh: { readonly hash: Uint8Array; readonly expiresAt: DateTime.Utc } | undefined
  readonly at: DateTime.Utc
}

export interface NewGrant {
  readonly id: OAuthGrantId
  readonly clientId: OAuthClientId
  readonly accountId: AccountId
}

/** What is known of tokens that were issued together. */
interface FoundTokens {
  readonly id: OAuthTokenId
  readonly grantId: OAuthGrantId
  /** The internal id of the client. */
  readonly clientId: OAuthClientId
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: DateTime.Utc
  /** Whether the grant has ended, or its access token alone. */
  readonly isEnded: boolean
}

export interface FoundRefresh extends FoundTokens {
  readonly number: number
  readonly expiresAt: DateTime.Utc
  /** Whether it was refreshed, so that another one has replaced it. */
  readonly isSpent: boolean
  readonly subject: Subject
}

export interface FoundAccess extends FoundTokens {
  readonly expiresAt: DateTime.Utc
  readonly subject: Pick<Subject, "accountId" | "handle" | "suspended">
}

export interface RefreshTokenPage extends ListExtent {
  readonly tokens: ReadonlyArray<OAuthRefreshToken>
}

/** What lists show a refresh token of. */
export interface ListedGrant {
  readonly grantId: OAuthGrantId
  readonly accountId: AccountId
  readonly client: { readonly id: OAuthClientId; readonly client_id: string }
}

/** Refresh tokens on a page of a list. */
export const pageSize = 50

export class GrantStore extends Context.Service<
  GrantStore,
  {
    readonly findSubject: (account: AccountId) => Effect.Effect<Option.Option<Subject>>
    /**
     * Stores a grant with its first tokens, as part of the running transaction; false if the client was deleted
     * meanwhile. Of more than an account may give one client, the oldest end.
     */
    readonly insert: (grant: NewGrant, tokens: NewTokens) => Effect.Effect<boolean>
    /** Stores tokens of what a client may do for its owner by itself; false if the client was deleted meanwhile. */
    readonly insertOwn: (grant: NewGrant, tokens: NewTokens) => Effect.Effect<boolean>
    readonly findRefresh: (hash: Uint8Array) => Effect.Effect<Option.Option<FoundRefresh>>
    readonly findAccess: (accessId: string) => Effect.Effect<Option.Option<FoundAccess>>
    /** Replaces a refresh token; false if it is spent or its grant has ended meanwhile. */
    readonly replace: (spent: FoundRefresh, tokens: NewTokens) => Effect.Effect<boolean>
    /** Ends a grant with all its tokens; false if it has ended before. */
    readonly end: (grant: OAuthGrantId, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Ends one access token. */
    readonly endAccess: (accessId: string, at: DateTime.Utc) => Effect.Effect<void>
    /** Refresh tokens, newest first: of an account, or of all. */
    readonly list: (place: ListPlace, account?: AccountId) => Effect.Effect<RefreshTokenPage>
    /** The grant of a refresh token, by the id that lists show. */
    readonly findById: (id: OAuthTokenId) => Effect.Effect<Option.Option<ListedGrant>>
    /** Forgets tokens that were of no use for the time that they are kept, and grants without tokens. */
    readonly forget: (at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/GrantStore") {}
