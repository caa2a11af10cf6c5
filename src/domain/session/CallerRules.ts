/** What a caller may do, by the account and the credential. Pure. */
import { type Actor, holds } from "../shared/Actor.ts"
import type { Permission } from "../shared/Permission.ts"
import { permissionsIn, type Scope } from "../vocabulary/Scope.ts"

/** What a token lets its bearer do now: the permissions among its scopes that the account still holds. */
export const permissionsOfToken = (
  scopes: ReadonlyArray<Scope>,
  held: ReadonlySet<Permission>
): ReadonlySet<Permission> => new Set(permissionsIn(scopes, held))

/** The caller, who may do less than the account where an access token says who it is. */
export const withinToken = (caller: Actor, scopes: ReadonlyArray<Scope> | undefined): Actor =>
  scopes === undefined || caller._tag === "Guest" || caller.credential !== "token"
    ? caller
    : {
        ...caller,
        permissions: permissionsOfToken(scopes, caller.permissions),
        scopes: new Set(scopes),
        held: caller.permissions
      }

/**
 * The scopes of a token that would let do what needs this permission: those that it has and one more. Undefined where
 * the account may not do it either, or there is no token.
 */
export const scopesThatSuffice = (actor: Actor, permission: Permission): ReadonlyArray<string> | undefined =>
  actor._tag === "Account" &&
  actor.held !== undefined &&
  !holds(actor, permission) &&
  holds({ permissions: actor.held }, permission)
    ? [...(actor.scopes ?? []), permission]
    : undefined
