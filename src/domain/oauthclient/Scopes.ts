/**
 * What clients of OAuth ask for and what they are granted. Pure.
 *
 * A scope is a standard one, which says what is told of the person, or the name of a permission. Sets keep the order
 * in which they were asked for.
 */
import { Result } from "effect"
import { Permission } from "../shared/Permission.ts"
import {
  isScope,
  isStandardScope,
  permissionsAmong,
  permissionsIn,
  type Scope,
  type StandardScope,
  scopeTextMax
} from "../vocabulary/Scope.ts"

/** Words of a text of scopes, however often each occurs. */
export const scopeWordsMax = 64

/** Why scopes are refused. */
export type ScopeRefusal =
  | "too long"
  | "too many words"
  | "unknown"
  | "not allowed for the client"
  | "not as the client asks"

/** What of a client decides on its scopes. */
export interface ScopedClient {
  /** With `inherit`, who asks for no permission is granted all that the account holds. */
  readonly scopePolicy: "explicit" | "inherit"
  readonly allowedScopes: ReadonlyArray<Scope>
  /** Whether it is the client of the command line, which asks for nothing but to act as the account. */
  readonly isCommandLine: boolean
}

/** The permissions that an account holds now. */
export type Held = ReadonlySet<Permission>

type Decided = Result.Result<ReadonlyArray<Scope>, ScopeRefusal>

/** The scopes that a text names, each once. Only spaces stand between them. */
export const parseScopes = (text: string): Decided => {
  if (text.length > scopeTextMax) return Result.fail("too long")
  const words = text.split(" ").filter((word) => word !== "")
  if (words.length > scopeWordsMax) return Result.fail("too many words")
  const found = words.filter(isScope)
  return found.length === words.length ? Result.succeed([...new Set(found)]) : Result.fail("unknown")
}

export const formatScopes = (granted: ReadonlyArray<Scope>): string => granted.join(" ")

/** The standard scopes, and those permissions that all sets let through, in the order in which they were asked for. */
const granted = (
  asked: ReadonlyArray<Scope>,
  ...sets: ReadonlyArray<ReadonlySet<Scope>>
): ReadonlyArray<Scope> => {
  const permissions: ReadonlySet<Scope> = new Set(permissionsIn(asked, ...sets))
  return asked.filter((scope) => isStandardScope(scope) || permissions.has(scope))
}

const isAllowed = (client: ScopedClient) => {
  const allowed: ReadonlySet<Scope> = new Set(client.allowedScopes)
  return (scope: Scope) => allowed.has(scope) || allowed.has("ADMINISTRATOR")
}

/** What the client of the command line asks for, in any order. */
export const commandLineScopes: ReadonlyArray<StandardScope> = ["openid", "profile", "offline_access"]

/** What a browser asks for when authorisation begins. What the client or the account lacks is dropped later. */
export const decideAuthorisation = (text: string | undefined): Decided => parseScopes(text ?? "")

/** What a device asks for. Standard scopes must be allowed for the client as well. */
export const decideDevice = (text: string | undefined, client: ScopedClient): Decided => {
  const parsed = parseScopes(text ?? "")
  if (Result.isFailure(parsed)) return parsed
  const asked = parsed.success
  if (client.isCommandLine) {
    const isAsked = commandLineScopes.every((scope) => asked.includes(scope))
    return isAsked && asked.length === commandLineScopes.length
      ? parsed
      : Result.fail("not as the client asks")
  }
  return asked.every(isAllowed(client)) ? parsed : Result.fail("not allowed for the client")
}

/** Whether the account gives the client all that it may do, because the client asks for no permission by name. */
export const inheritsPermissions = (asked: ReadonlyArray<Scope>, client: ScopedClient): boolean =>
  client.scopePolicy === "inherit" && permissionsAmong(asked).length === 0

/** What an approval grants. It is decided by what the account holds at that moment. */
export const decideConsent = (
  asked: ReadonlyArray<Scope>,
  client: ScopedClient,
  held: Held
): ReadonlyArray<Scope> =>
  inheritsPermissions(asked, client)
    ? [...asked, ...Permission.literals.filter((permission) => held.has(permission))]
    : granted(asked, new Set(client.allowedScopes), held)

/** What a client is granted that acts for its owner by itself: permissions only. Without scopes it asks for all that it may have. */
export const decideClientCredentials = (
  text: string | undefined,
  client: ScopedClient,
  held: Held
): Result.Result<ReadonlyArray<Permission>, ScopeRefusal> => {
  if (text === undefined || text === "") return Result.succeed(permissionsIn(client.allowedScopes, held))
  const parsed = parseScopes(text)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  return parsed.success.every(isAllowed(client))
    ? Result.succeed(permissionsIn(parsed.success, held))
    : Result.fail("not allowed for the client")
}

/** What is left of a grant when its token is refreshed. It never grows, and what is left replaces the grant. */
export const decideRefresh = (
  existing: ReadonlyArray<Scope>,
  client: ScopedClient,
  held: Held
): ReadonlyArray<Scope> =>
  client.scopePolicy === "inherit"
    ? granted(existing, held)
    : granted(existing, new Set(client.allowedScopes), held)
