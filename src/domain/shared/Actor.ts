/** Who is asking, and what they may do. */
import { Context, Effect } from "effect"
import type { AccountId } from "./Id.ts"
import { Permission } from "./Permission.ts"
import { Problem } from "./Problem.ts"

export class Unauthenticated extends Problem<Unauthenticated>()("Unauthenticated", {
  status: 401,
  title: "Sign in to do this",
  explanation:
    "The operation needs an account, and the request carried no valid session cookie or bearer token. An expired or revoked credential counts as none."
}) {}

export class Forbidden extends Problem<Forbidden>()("Forbidden", {
  status: 403,
  title: "Your roles do not allow this",
  explanation: "None of the caller's roles, or of the Guest role without a session, holds the permission.",
  metadata: { permission: Permission }
}) {}

export class AccountSuspended extends Problem<AccountSuspended>()("AccountSuspended", {
  status: 403,
  title: "This account is suspended",
  explanation: "A suspended account can sign out and do nothing else until staff reinstate it."
}) {}

export class CookieRequired extends Problem<CookieRequired>()("CookieRequired", {
  status: 403,
  title: "This works with a browser session only",
  explanation: "The operation changes credentials, so it takes the session cookie and no bearer token."
}) {}

export class AccessTokenRequired extends Problem<AccessTokenRequired>()("AccessTokenRequired", {
  status: 403,
  title: "This works with an access token of OAuth only",
  explanation:
    "The operation tells a client of OAuth what it was granted, so it takes the access token of the client and no access key."
}) {}

export class AccessTokenRefused extends Problem<AccessTokenRefused>()("AccessTokenRefused", {
  status: 403,
  title: "This does not work with an access token of OAuth",
  explanation:
    "The operation decides how an account signs in, or what clients of OAuth are granted, so it takes the session cookie or an access key, and nothing that a client was granted."
}) {}

/** A caller without a valid credential; acts with the permissions of the Guest role. */
export interface GuestActor {
  readonly _tag: "Guest"
  readonly permissions: ReadonlySet<Permission>
}

/** How a request says which account it is from: by the cookie of a session, an access key or an access token of OAuth. */
export type Credential = "cookie" | "key" | "token"

/** A signed-in account, as it is at this request. With an access token it has only permissions that the token names. */
export interface AccountActor {
  readonly _tag: "Account"
  readonly accountId: AccountId
  readonly permissions: ReadonlySet<Permission>
  readonly suspended: boolean
  readonly credential: Credential
  /** The SHA-256 of the token of the session, if that is the credential. */
  readonly session?: Uint8Array
  /** The words of the access token of OAuth, if that is the credential. */
  readonly scopes?: ReadonlySet<string>
  /** What the account may do by other credentials, if that is the credential. */
  readonly held?: ReadonlySet<Permission>
}

export type Actor = GuestActor | AccountActor

/** The caller of the running request. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()("forum/domain/CurrentActor") {}

/** The caller of an operation that only accounts may call. */
export class CurrentAccount extends Context.Service<CurrentAccount, AccountActor>()(
  "forum/domain/CurrentAccount"
) {}

/** Whoever has permissions: who asks, or an account that does not ask now. */
export type PermissionHolder = Pick<Actor, "permissions">

export const holds = (actor: PermissionHolder, permission: Permission): boolean =>
  actor.permissions.has(permission) || actor.permissions.has("ADMINISTRATOR")

export const accountIdOf = (actor: Actor): AccountId | undefined =>
  actor._tag === "Account" ? actor.accountId : undefined

/**
 * Fails unless the caller holds a permission that depends on a field of the request or on the object. What an
 * operation requires of every caller is declared with it and is not checked again.
 */
export const checkPermission = (actor: Actor, permission: Permission): Effect.Effect<void, Forbidden> =>
  holds(actor, permission) ? Effect.void : Effect.fail(new Forbidden({ metadata: { permission } }))
