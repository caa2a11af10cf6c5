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

/** Somebody without a valid credential; acts with the permissions of the Guest role. */
export interface Guest {
  readonly _tag: "Guest"
  readonly permissions: ReadonlySet<Permission>
}

/** A signed-in account, as it is at this request. */
export interface Account {
  readonly _tag: "Account"
  readonly accountId: AccountId
  readonly permissions: ReadonlySet<Permission>
  readonly suspended: boolean
  readonly credential: "cookie" | "bearer"
}

export type Actor = Guest | Account

/** The caller of the running request. */
export class CurrentActor extends Context.Service<CurrentActor, Actor>()("forum/domain/CurrentActor") {}

/** What an operation asks of its caller before anything else of the request is read. */
export type Access =
  | { readonly _tag: "Public"; readonly cookieOnly: boolean }
  | { readonly _tag: "SignedIn"; readonly cookieOnly: boolean }
  /** Guests too, when their role holds the permission. */
  | { readonly _tag: "Reader"; readonly permission: Permission }
  | { readonly _tag: "Member"; readonly permission: Permission }

export const holds = (actor: Actor, permission: Permission): boolean =>
  actor.permissions.has(permission) || actor.permissions.has("ADMINISTRATOR")

export const accountIdOf = (actor: Actor): AccountId | undefined =>
  actor._tag === "Account" ? actor.accountId : undefined

export type Refusal = Unauthenticated | Forbidden | AccountSuspended | CookieRequired

/** The door: why this caller may not enter, or nothing. */
export const decideAccess = (access: Access, actor: Actor): Refusal | undefined => {
  const cookieOnly = "cookieOnly" in access && access.cookieOnly
  if (cookieOnly && actor._tag === "Account" && actor.credential === "bearer") return new CookieRequired()
  if (access._tag === "Public") return undefined
  if (actor._tag === "Account" && actor.suspended) return new AccountSuspended()
  if (actor._tag === "Guest" && access._tag !== "Reader") return new Unauthenticated()
  if (access._tag === "SignedIn" || holds(actor, access.permission)) return undefined
  return new Forbidden({ metadata: { permission: access.permission } })
}

export const checkPermission = (actor: Actor, permission: Permission): Effect.Effect<void, Forbidden> =>
  holds(actor, permission) ? Effect.void : Effect.fail(new Forbidden({ metadata: { permission } }))

/** The caller as an account. The door has turned guests away where this is used; they would fail here too. */
export const signedIn: Effect.Effect<Account, Unauthenticated, CurrentActor> = Effect.flatMap(
  CurrentActor,
  (actor) => (actor._tag === "Account" ? Effect.succeed(actor) : Effect.fail(new Unauthenticated()))
)
