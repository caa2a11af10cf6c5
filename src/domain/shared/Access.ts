/** Who may call an operation: decided once, before anything else of the request is read. Pure. */
import { Result } from "effect"
import {
  AccessTokenRefused,
  AccessTokenRequired,
  type AccountActor,
  AccountSuspended,
  type Actor,
  CookieRequired,
  type Credential,
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

/** The credentials that an operation takes, where it does not take all of them. */
export type TakenCredentials = "cookie" | "cookie or key" | "token"

/** Guests may do what needs no credential, so that a kind of credential is only refused there. */
type TakenFromGuests = Exclude<TakenCredentials, "token">

/** Operations that guests may call: all of them, or those whose role holds the permission. */
export type GuestAccess =
  | { readonly _tag: "Public"; readonly takes?: TakenFromGuests }
  | ({ readonly _tag: "Reader" } & Required)

/**
 * Operations for accounts: any of them, or those that hold the permission. A contributor is a member, but that guests
 * are refused like anybody whose role does not hold the permission; only if theirs does, they have to sign in.
 */
export type AccountAccess =
  | { readonly _tag: "SignedIn"; readonly takes?: TakenCredentials }
  | ({ readonly _tag: "Member" | "Contributor"; readonly takes?: TakenCredentials } & Required)

/** What an operation requires of its caller. */
export type Access = GuestAccess | AccountAccess

/** Whether an operation is for accounts alone. */
export const isForAccounts = (access: Access): access is AccountAccess =>
  access._tag !== "Public" && access._tag !== "Reader"

/** The credentials that an operation takes, if it does not take all. */
export const takenBy = (access: Access): TakenCredentials | undefined =>
  "takes" in access ? access.takes : undefined

type WrongCredential = CookieRequired | AccessTokenRefused | AccessTokenRequired

/** Refuses credentials of the wrong kind where guests may call, too. */
const checkTakenFromGuests = (
  takes: TakenFromGuests | undefined,
  credential: Credential
): Result.Result<void, CookieRequired | AccessTokenRefused> => {
  if (takes === "cookie" && credential !== "cookie") return Result.fail(new CookieRequired())
  if (takes === "cookie or key" && credential === "token") return Result.fail(new AccessTokenRefused())
  return Result.void
}

/** Refuses credentials of the wrong kind. Browsers send cookies with everything, so that one counts as none. */
const checkTaken = (
  takes: TakenCredentials | undefined,
  credential: Credential
): Result.Result<void, Unauthenticated | WrongCredential> => {
  if (takes !== "token") return checkTakenFromGuests(takes, credential)
  if (credential === "cookie") return Result.fail(new Unauthenticated())
  return credential === "token" ? Result.void : Result.fail(new AccessTokenRequired())
}

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
): Result.Result<Actor, CookieRequired | AccessTokenRefused | AccountSuspended | Forbidden> => {
  if (access._tag === "Public") {
    if (actor._tag === "Guest") return Result.succeed(actor)
    return Result.map(checkTakenFromGuests(access.takes, actor.credential), () => actor)
  }
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
): Result.Result<AccountActor, WrongCredential | AccountSuspended | Unauthenticated | Forbidden> => {
  if (actor._tag === "Guest") return refusalOfGuest(access, actor)
  const taken = checkTaken(access.takes, actor.credential)
  if (Result.isFailure(taken)) return Result.fail(taken.failure)
  if (actor.suspended) return Result.fail(new AccountSuspended())
  if (access._tag === "SignedIn") return Result.succeed(actor)
  return Result.map(checkRequired(access, actor), () => actor)
}
