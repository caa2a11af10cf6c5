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

/** A permission, and another one that does as well. */
interface Required {
  readonly permission: Permission
  readonly alternative?: Permission
}

/** Operations that guests may call: all of them, or those whose role holds the permission. */
export type GuestAccess =
  | { readonly _tag: "Public"; readonly cookieOnly: boolean }
  | ({ readonly _tag: "Reader" } & Required)

/**
 * Operations for accounts: any of them, or those that hold the permission. A contributor is a member, but that guests
 * are refused like anybody whose role does not hold the permission; only if theirs does, they have to sign in.
 */
export type AccountAccess =
  | { readonly _tag: "SignedIn"; readonly cookieOnly: boolean }
  | ({ readonly _tag: "Member" | "Contributor"; readonly cookieOnly?: true } & Required)

/** What an operation requires of its caller. */
export type Access = GuestAccess | AccountAccess

/** Whether the session cookie is the only credential that an operation takes. */
export const isCookieOnly = (access: Access): boolean => "cookieOnly" in access && access.cookieOnly === true

const isWrongCredential = (access: Access, actor: Actor): boolean =>
  isCookieOnly(access) && actor._tag === "Account" && actor.credential === "bearer"

const holdsRequired = ({ alternative, permission }: Required, actor: Actor): boolean =>
  holds(actor, permission) || (alternative !== undefined && holds(actor, alternative))

const forbidden = ({ permission }: Required) => new Forbidden({ metadata: { permission } })

/** Any caller may read what is public, suspended accounts included; a permission is required of guests and accounts alike. */
export const decideGuestAccess = (
  access: GuestAccess,
  actor: Actor
): Result.Result<Actor, CookieRequired | AccountSuspended | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (access._tag === "Public") return Result.succeed(actor)
  if (actor._tag === "Account" && actor.suspended) return Result.fail(new AccountSuspended())
  return holdsRequired(access, actor) ? Result.succeed(actor) : Result.fail(forbidden(access))
}

/** What an operation for accounts says to guests. */
const refusalOfGuest = (access: AccountAccess, guest: Actor): Forbidden | Unauthenticated =>
  access._tag === "Contributor" && !holdsRequired(access, guest) ? forbidden(access) : new Unauthenticated()

/** The caller as an account that may go on, or why it may not. */
export const decideAccountAccess = (
  access: AccountAccess,
  actor: Actor
): Result.Result<AccountActor, CookieRequired | AccountSuspended | Unauthenticated | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (actor._tag === "Guest") return Result.fail(refusalOfGuest(access, actor))
  if (actor.suspended) return Result.fail(new AccountSuspended())
  if (access._tag === "SignedIn" || holdsRequired(access, actor)) return Result.succeed(actor)
  return Result.fail(forbidden(access))
}
