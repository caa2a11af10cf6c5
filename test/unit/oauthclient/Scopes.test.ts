import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  decideAuthorisation,
  decideClientCredentials,
  decideConsent,
  decideDevice,
  decideRefresh,
  formatScopes,
  inheritsPermissions,
  parseScopes,
  type ScopedClient,
  scopeWordsMax
} from "../../../src/domain/oauthclient/Scopes.ts"
import { permissionsOfToken } from "../../../src/domain/session/CallerRules.ts"
import { Permission } from "../../../src/domain/shared/Permission.ts"
import { isScope, type Scope, scopes, scopeTextMax } from "../../../src/domain/vocabulary/Scope.ts"

/** The scopes that a text names, which are all known. */
const named = (text: string): ReadonlyArray<Scope> => text.split(" ").filter(isScope)

const explicit = (allowed: string): ScopedClient => ({
  scopePolicy: "explicit",
  allowedScopes: named(allowed),
  isCommandLine: false
})

const inherit = (allowed: string): ScopedClient => ({ ...explicit(allowed), scopePolicy: "inherit" })

const commandLine: ScopedClient = {
  scopePolicy: "inherit",
  allowedScopes: scopes,
  isCommandLine: true
}

const held = (text: string): ReadonlySet<Permission> =>
  new Set(Permission.literals.filter((permission) => named(text).includes(permission)))

const outcome = (result: Result.Result<ReadonlyArray<Scope>, string>) =>
  Result.match(result, { onSuccess: formatScopes, onFailure: (refusal) => `refused: ${refusal}` })

describe("a text of scopes", () => {
  it.each<readonly [text: string, outcome: string]>([
    ["", ""],
    [" ", ""],
    ["openid", "openid"],
    ["openid profile email offline_access", "openid profile email offline_access"],
    ["MANAGE_LIBRARY openid ADMINISTRATOR", "MANAGE_LIBRARY openid ADMINISTRATOR"],
    ["  openid   profile ", "openid profile"],
    ["openid openid CREATE_POST openid", "openid CREATE_POST"],
    ["openid nonsense", "refused: unknown"],
    ["OPENID", "refused: unknown"],
    ["create_post", "refused: unknown"],
    ["openid\tprofile", "refused: unknown"],
    ["openid\nprofile", "refused: unknown"],
    ["openid,profile", "refused: unknown"],
    ["openid\u00a0profile", "refused: unknown"],
    ["openid\0", "refused: unknown"],
    ["toString", "refused: unknown"],
    ["__proto__ constructor", "refused: unknown"],
    ["ОPENID", "refused: unknown"],
    [scopes.join(" "), scopes.join(" ")],
    ["x".repeat(scopeTextMax), "refused: unknown"],
    ["x".repeat(scopeTextMax + 1), "refused: too long"],
    [`openid${" ".repeat(scopeTextMax)}`, "refused: too long"],
    [Array(scopeWordsMax).fill("openid").join(" "), "openid"],
    [
      Array(scopeWordsMax + 1)
        .fill("openid")
        .join(" "),
      "refused: too many words"
    ]
  ])("%j is %j", (text, expected) => {
    expect(outcome(parseScopes(text))).toBe(expected)
    expect(outcome(decideAuthorisation(text))).toBe(expected)
  })

  it("may be absent, which asks for nothing", () => {
    expect(outcome(decideAuthorisation(undefined))).toBe("")
    expect(outcome(decideDevice(undefined, explicit("")))).toBe("")
  })
})

describe("what a device asks for", () => {
  const member = explicit("CREATE_POST MANAGE_LIBRARY")
  it.each<readonly [text: string | undefined, client: ScopedClient, outcome: string]>([
    [undefined, member, ""],
    ["CREATE_POST", member, "CREATE_POST"],
    ["openid", member, "refused: not allowed for the client"],
    ["CREATE_POST openid", member, "refused: not allowed for the client"],
    ["CREATE_POST MANAGE_POSTS", member, "refused: not allowed for the client"],
    ["CREATE_POST nonsense", member, "refused: unknown"],
    ["openid CREATE_POST", explicit("openid CREATE_POST"), "openid CREATE_POST"],
    ["openid MANAGE_POSTS", explicit("ADMINISTRATOR"), "openid MANAGE_POSTS"],
    ["ADMINISTRATOR", explicit("ADMINISTRATOR"), "ADMINISTRATOR"],
    ["ADMINISTRATOR", member, "refused: not allowed for the client"],
    ["nonsense", explicit("ADMINISTRATOR"), "refused: unknown"],
    ["openid", inherit(""), "refused: not allowed for the client"],
    ["openid", inherit("openid"), "openid"],
    ["openid profile offline_access", commandLine, "openid profile offline_access"],
    ["offline_access openid profile openid", commandLine, "offline_access openid profile"],
    ["openid profile", commandLine, "refused: not as the client asks"],
    ["openid profile offline_access email", commandLine, "refused: not as the client asks"],
    ["openid profile offline_access CREATE_POST", commandLine, "refused: not as the client asks"],
    [undefined, commandLine, "refused: not as the client asks"],
    ["openid nonsense", commandLine, "refused: unknown"]
  ])("%j of %o is %j", (text, client, expected) => {
    expect(outcome(decideDevice(text, client))).toBe(expected)
  })
})

describe("what an approval grants", () => {
  it.each<readonly [asked: string, client: ScopedClient, held: string, granted: string]>([
    // What the client or the account lacks is dropped.
    ["CREATE_POST MANAGE_POSTS", explicit("CREATE_POST"), "CREATE_POST MANAGE_POSTS", "CREATE_POST"],
    ["CREATE_POST MANAGE_POSTS", explicit("CREATE_POST MANAGE_POSTS"), "MANAGE_POSTS", "MANAGE_POSTS"],
    ["CREATE_POST", explicit(""), "CREATE_POST", ""],
    ["", explicit("CREATE_POST"), "CREATE_POST", ""],
    // Standard scopes are granted as they are asked for, whatever the client is allowed.
    ["openid email CREATE_POST", explicit("CREATE_POST"), "", "openid email"],
    ["openid profile email offline_access", explicit(""), "", "openid profile email offline_access"],
    ["CREATE_POST openid", explicit("CREATE_POST"), "CREATE_POST", "CREATE_POST openid"],
    // ADMINISTRATOR lets the others through, on each side.
    ["MANAGE_POSTS", explicit("ADMINISTRATOR"), "MANAGE_POSTS", "MANAGE_POSTS"],
    ["MANAGE_POSTS", explicit("MANAGE_POSTS"), "ADMINISTRATOR", "MANAGE_POSTS"],
    ["MANAGE_POSTS CREATE_POST", explicit("ADMINISTRATOR"), "ADMINISTRATOR", "MANAGE_POSTS CREATE_POST"],
    ["ADMINISTRATOR", explicit("ADMINISTRATOR"), "ADMINISTRATOR", "ADMINISTRATOR"],
    ["ADMINISTRATOR", explicit("MANAGE_POSTS"), "ADMINISTRATOR", ""],
    ["ADMINISTRATOR", explicit("ADMINISTRATOR"), "MANAGE_POSTS", ""],
    ["MANAGE_POSTS", explicit("ADMINISTRATOR"), "ADMINISTRATOR", "MANAGE_POSTS"],
    // Who inherits and asks for no permission is granted all that the account holds.
    ["", inherit(""), "MANAGE_POSTS CREATE_POST", "CREATE_POST MANAGE_POSTS"],
    ["openid", inherit(""), "CREATE_POST", "openid CREATE_POST"],
    ["openid", inherit(""), "ADMINISTRATOR CREATE_POST", "openid CREATE_POST ADMINISTRATOR"],
    ["openid", inherit(""), "", "openid"],
    // Who inherits and asks for permissions is granted these, as others are.
    ["openid CREATE_POST", inherit("CREATE_POST"), "CREATE_POST MANAGE_POSTS", "openid CREATE_POST"],
    ["CREATE_POST", inherit(""), "CREATE_POST", ""],
    ["CREATE_POST", inherit("ADMINISTRATOR"), "CREATE_POST MANAGE_POSTS", "CREATE_POST"],
    [
      "openid profile offline_access",
      commandLine,
      "CREATE_POST ADMINISTRATOR",
      "openid profile offline_access CREATE_POST ADMINISTRATOR"
    ]
  ])("%j of %o, with %j, is %j", (asked, client, holding, expected) => {
    expect(formatScopes(decideConsent(named(asked), client, held(holding)))).toBe(expected)
  })

  it.each<readonly [asked: string, client: ScopedClient, inherits: boolean]>([
    ["", inherit(""), true],
    ["openid email", inherit("CREATE_POST"), true],
    ["openid CREATE_POST", inherit("CREATE_POST"), false],
    ["", explicit(""), false]
  ])("of %j by %o is all that the account may do: %j", (asked, client, expected) => {
    expect(inheritsPermissions(named(asked), client)).toBe(expected)
  })
})

describe("what a client is granted by itself", () => {
  it.each<readonly [text: string | undefined, client: ScopedClient, held: string, outcome: string]>([
    [undefined, explicit("CREATE_POST MANAGE_POSTS"), "MANAGE_POSTS", "MANAGE_POSTS"],
    ["", explicit("CREATE_POST MANAGE_POSTS"), "MANAGE_POSTS", "MANAGE_POSTS"],
    [undefined, explicit("openid CREATE_POST"), "CREATE_POST", "CREATE_POST"],
    [undefined, explicit("ADMINISTRATOR"), "ADMINISTRATOR", "ADMINISTRATOR"],
    [undefined, explicit("ADMINISTRATOR"), "MANAGE_POSTS", ""],
    [undefined, explicit("MANAGE_POSTS"), "ADMINISTRATOR", "MANAGE_POSTS"],
    [undefined, inherit("MANAGE_POSTS"), "CREATE_POST", ""],
    ["CREATE_POST", explicit("CREATE_POST MANAGE_POSTS"), "CREATE_POST MANAGE_POSTS", "CREATE_POST"],
    ["CREATE_POST", explicit("CREATE_POST"), "", ""],
    ["MANAGE_POSTS", explicit("CREATE_POST"), "MANAGE_POSTS", "refused: not allowed for the client"],
    ["openid", explicit("CREATE_POST"), "CREATE_POST", "refused: not allowed for the client"],
    ["openid CREATE_POST", explicit("openid CREATE_POST"), "CREATE_POST", "CREATE_POST"],
    ["openid MANAGE_POSTS", explicit("ADMINISTRATOR"), "MANAGE_POSTS", "MANAGE_POSTS"],
    ["ADMINISTRATOR", explicit("MANAGE_POSTS"), "ADMINISTRATOR", "refused: not allowed for the client"],
    ["nonsense", explicit("ADMINISTRATOR"), "ADMINISTRATOR", "refused: unknown"],
    ["x".repeat(scopeTextMax + 1), explicit("ADMINISTRATOR"), "ADMINISTRATOR", "refused: too long"]
  ])("by %j, %o and an account with %j is %j", (text, client, holding, expected) => {
    expect(outcome(decideClientCredentials(text, client, held(holding)))).toBe(expected)
  })
})

describe("what a refresh leaves", () => {
  it.each<readonly [existing: string, client: ScopedClient, held: string, left: string]>([
    [
      "openid offline_access CREATE_POST",
      explicit("CREATE_POST"),
      "CREATE_POST",
      "openid offline_access CREATE_POST"
    ],
    ["openid CREATE_POST", explicit(""), "CREATE_POST", "openid"],
    ["openid CREATE_POST", explicit("CREATE_POST"), "", "openid"],
    ["openid CREATE_POST", inherit(""), "CREATE_POST MANAGE_POSTS", "openid CREATE_POST"],
    ["openid CREATE_POST", inherit(""), "", "openid"],
    // It never grows, after a promotion either.
    ["CREATE_POST", inherit("ADMINISTRATOR"), "ADMINISTRATOR MANAGE_POSTS", "CREATE_POST"],
    ["openid", inherit(""), "CREATE_POST", "openid"],
    ["", explicit("ADMINISTRATOR"), "ADMINISTRATOR", ""],
    ["CREATE_POST ADMINISTRATOR", inherit(""), "CREATE_POST", "CREATE_POST"],
    ["CREATE_POST ADMINISTRATOR", inherit(""), "ADMINISTRATOR", "CREATE_POST ADMINISTRATOR"],
    ["profile email openid offline_access", explicit(""), "", "profile email openid offline_access"]
  ])("of %j, with %o and %j, is %j", (existing, client, holding, expected) => {
    expect(formatScopes(decideRefresh(named(existing), client, held(holding)))).toBe(expected)
  })
})

describe("what a token lets its bearer do", () => {
  it.each<readonly [scope: string, held: string, permissions: string]>([
    ["openid CREATE_POST", "CREATE_POST MANAGE_POSTS", "CREATE_POST"],
    ["CREATE_POST MANAGE_POSTS", "CREATE_POST", "CREATE_POST"],
    ["MANAGE_LIBRARY", "ADMINISTRATOR CREATE_POST", "MANAGE_LIBRARY"],
    ["MANAGE_LIBRARY", "ADMINISTRATOR MANAGE_LIBRARY", "MANAGE_LIBRARY"],
    ["ADMINISTRATOR", "ADMINISTRATOR", "ADMINISTRATOR"],
    ["ADMINISTRATOR", "CREATE_POST", ""],
    ["", "ADMINISTRATOR", ""],
    ["openid profile email offline_access", "ADMINISTRATOR", ""]
  ])("%j with %j are %j", (scope, holding, expected) => {
    expect([...permissionsOfToken(named(scope), held(holding))].join(" ")).toBe(expected)
  })
})

describe("all decisions", () => {
  const anyScopes = fc.subarray([...scopes])
  const anyHeld = fc.subarray([...Permission.literals]).map((list): ReadonlySet<Permission> => new Set(list))
  const anyClient = fc.record<ScopedClient>({
    scopePolicy: fc.constantFrom("explicit", "inherit"),
    allowedScopes: anyScopes,
    isCommandLine: fc.constant(false)
  })
  const mayHave = (permission: Permission, of: ReadonlySet<Permission>) =>
    of.has(permission) || of.has("ADMINISTRATOR")
  const permissionsOf = (list: ReadonlyArray<Scope>) =>
    Permission.literals.filter((permission) => list.includes(permission))

  it("grant no permission that the account does not hold", () => {
    fc.assert(
      fc.property(anyScopes, anyClient, anyHeld, (asked, client, of) => {
        const byItself = decideClientCredentials(formatScopes(asked), client, of)
        const all = [
          ...decideConsent(asked, client, of),
          ...decideRefresh(asked, client, of),
          ...permissionsOfToken(asked, of),
          ...(Result.isSuccess(byItself) ? byItself.success : [])
        ]
        for (const permission of permissionsOf(all)) expect(mayHave(permission, of)).toBe(true)
      })
    )
  })

  it("grant an explicit client nothing beside what it asked for, and leave less at each refresh", () => {
    fc.assert(
      fc.property(anyScopes, anyClient, anyHeld, anyHeld, (asked, client, before, after) => {
        const first = decideConsent(asked, client, before)
        if (!inheritsPermissions(asked, client)) expect(asked).toEqual(expect.arrayContaining([...first]))
        const second = decideRefresh(first, client, after)
        expect(first).toEqual(expect.arrayContaining([...second]))
        expect(decideRefresh(second, client, after)).toEqual(second)
      })
    )
  })
})
