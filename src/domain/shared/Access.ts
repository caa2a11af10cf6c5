/** Who may call an operation: decided once, before anything else of the request is read. Pure. */
import { Result } from "effect"
import {
  type AccountActor,
  AccountSuspended,
  type Actor,
  CookieRequired,
  Forbidden,
  holds,
  Unauthenticated
} from "./Actor.ts"
import type { Permission } from "./Permission.ts"

/** Operations that guests may call: all of them, or those whose role holds the permission. */
export type GuestAccess =
  | { readonly _tag: "Public"; readonly cookieOnly: boolean }
  | { readonly _tag: "Reader"; readonly permission: Permission }

/** Operations for accounts: any of them, or those that hold the permission. */
export type AccountAccess =
  | { readonly _tag: "SignedIn"; readonly cookieOnly: boolean }
  | { readonly _tag: "Member"; readonly permission: Permission; readonly cookieOnly?: true }

/** What an operation requires of its caller. */
export type Access = GuestAccess | AccountAccess

/** Whether the session cookie is the only credential that an operation takes. */
export const isCookieOnly = (access: Access): boolean => "cookieOnly" in access && access.cookieOnly === true

const isWrongCredential = (access: Access, actor: Actor): boolean =>
  isCookieOnly(access) && actor._tag === "Account" && actor.credential === "bearer"

/** Any caller may read what is public, suspended accounts included; a permission is required of guests and accounts alike. */
export const decideGuestAccess = (
  access: GuestAccess,
  actor: Actor
): Result.Result<Actor, CookieRequired | AccountSuspended | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (access._tag === "Public") return Result.succeed(actor)
  if (actor._tag === "Account" && actor.suspended) return Result.fail(new AccountSuspended())
  if (holds(actor, access.permission)) return Result.succeed(actor)
  return Result.fail(new Forbidden({ metadata: { permission: access.permission } }))
}

/** The caller as an account that may go on, or why it may not. */
export const decideAccountAccess = (
  access: AccountAccess,
  actor: Actor
): Result.Result<AccountActor, CookieRequired | AccountSuspended | Unauthenticated | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (actor._tag === "Guest") return Result.fail(new Unauthenticated())
  if (actor.suspended) return Result.fail(new AccountSuspended())
  if (access._tag === "SignedIn" || holds(actor, access.permission)) return Result.succeed(actor)
  return Result.fail(new Forbidden({ metadata: { permission: access.permission } }))
}
