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

/** A permission, another one that does as well, and one that is needed beside either. */
interface Required {
  readonly permission: Permission
  readonly alternative?: Permission
  readonly also?: Permission
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

/** The first permission that the caller lacks. */
const missing = ({ alternative, also, permission }: Required, actor: Actor): Permission | undefined => {
  const holdsOne = holds(actor, permission) || (alternative !== undefined && holds(actor, alternative))
  if (!holdsOne) return permission
  return also === undefined || holds(actor, also) ? undefined : also
}

const checkRequired = (required: Required, actor: Actor): Result.Result<void, Forbidden> => {
  const permission = missing(required, actor)
  return permission === undefined ? Result.void : Result.fail(new Forbidden({ metadata: { permission } }))
}

/** Any caller may read what is public, suspended accounts included; a permission is required of guests and accounts alike. */
export const decideGuestAccess = (
  access: GuestAccess,
  actor: Actor
): Result.Result<Actor, CookieRequired | AccountSuspended | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (access._tag === "Public") return Result.succeed(actor)
  if (actor._tag === "Account" && actor.suspended) return Result.fail(new AccountSuspended())
  return Result.map(checkRequired(access, actor), () => actor)
}

/** What an operation for accounts says to guests. */
const refusalOfGuest = (
  access: AccountAccess,
  guest: Actor
): Result.Result<never, Forbidden | Unauthenticated> =>
  Result.flatMap(access._tag === "Contributor" ? checkRequired(access, guest) : Result.void, () =>
    Result.fail(new Unauthenticated())
  )

/** The caller as an account that may go on, or why it may not. */
export const decideAccountAccess = (
  access: AccountAccess,
  actor: Actor
): Result.Result<AccountActor, CookieRequired | AccountSuspended | Unauthenticated | Forbidden> => {
  if (isWrongCredential(access, actor)) return Result.fail(new CookieRequired())
  if (actor._tag === "Guest") return refusalOfGuest(access, actor)
  if (actor.suspended) return Result.fail(new AccountSuspended())
  if (access._tag === "SignedIn") return Result.succeed(actor)
  return Result.map(checkRequired(access, actor), () => actor)
}
