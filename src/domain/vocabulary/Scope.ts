/** The words that say what a program may do for an account. */
import { Permission } from "../shared/Permission.ts"

/** Scopes that are no permissions: what a program may know of the account, and whether it may come back later. */
export const standardScopes = ["openid", "profile", "email", "offline_access"] as const

export type StandardScope = (typeof standardScopes)[number]

export type Scope = StandardScope | Permission

/** All scopes, in the order in which they are listed. */
export const scopes: ReadonlyArray<Scope> = [...standardScopes, ...Permission.literals]

/** Characters of a text of scopes. All of them together have about 600. */
export const scopeTextMax = 1024

const standard: ReadonlySet<string> = new Set(standardScopes)

export const isStandardScope = (scope: string): scope is StandardScope => standard.has(scope)

const isPermission = (scope: Scope): scope is Permission => !isStandardScope(scope)

/** Whether a set has a permission. ADMINISTRATOR implies all. */
const lets = (set: ReadonlySet<Scope>, permission: Permission): boolean =>
  set.has(permission) || set.has("ADMINISTRATOR")

/** The permissions among scopes, in their order. */
export const permissionsAmong = (given: ReadonlyArray<Scope>): ReadonlyArray<Permission> =>
  given.filter(isPermission)

/** The permissions among the first scopes that all other sets let through. Nothing is added to the first. */
export const permissionsIn = (
  first: ReadonlyArray<Scope>,
  ...others: ReadonlyArray<ReadonlySet<Scope>>
): ReadonlyArray<Permission> =>
  permissionsAmong(first).filter((permission) => others.every((set) => lets(set, permission)))

const known: ReadonlySet<string> = new Set(scopes)

export const isScope = (word: string): word is Scope => known.has(word)

/** The scopes of a text, which are separated by single spaces; undefined, if one of them is unknown or named twice. */
export const readScopes = (text: string): ReadonlyArray<Scope> | undefined => {
  const words = text === "" ? [] : text.split(" ")
  return words.every(isScope) && new Set(words).size === words.length ? words : undefined
}
