import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Access } from "../../../src/domain/shared/Access.ts"
import type { AccountActor, Actor, GuestActor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import { Permission } from "../../../src/domain/shared/Permission.ts"
import { refusalOf } from "../../support/access.ts"

const guestWith = (...permissions: ReadonlyArray<Permission>): GuestActor => ({
  _tag: "Guest",
  permissions: new Set(permissions)
})

const account: AccountActor = {
  _tag: "Account",
  accountId: AccountId.make("00000000000000000000"),
  permissions: new Set(["CREATE_POST"]),
  suspended: false,
  credential: "cookie"
}
const holding = (...permissions: ReadonlyArray<Permission>): AccountActor => ({
  ...account,
  permissions: new Set(permissions)
})
const suspended: AccountActor = { ...holding("ADMINISTRATOR"), suspended: true }
const byKey: AccountActor = { ...holding("ADMINISTRATOR"), credential: "key" }
const suspendedByKey: AccountActor = { ...suspended, credential: "key" }
const byToken: AccountActor = { ...holding("ADMINISTRATOR"), credential: "token" }
const suspendedByToken: AccountActor = { ...suspended, credential: "token" }

const anyone: Access = { _tag: "Public" }
const anyoneByCookie: Access = { _tag: "Public", takes: "cookie" }
const anyoneByCookieOrKey: Access = { _tag: "Public", takes: "cookie or key" }
const accounts: Access = { _tag: "SignedIn" }
const accountsByCookie: Access = { _tag: "SignedIn", takes: "cookie" }
const accountsByCookieOrKey: Access = { _tag: "SignedIn", takes: "cookie or key" }
const accountsByToken: Access = { _tag: "SignedIn", takes: "token" }
const readers: Access = { _tag: "Reader", permission: "READ_PROFILE" }
const members: Access = { _tag: "Member", permission: "READ_PROFILE" }
const eitherReaders: Access = { ...readers, alternative: "LIST_PROFILES" }
const contributors: Access = { _tag: "Contributor", permission: "READ_PROFILE", alternative: "LIST_PROFILES" }
const eitherMembers: Access = { ...members, alternative: "LIST_PROFILES" }
const bothMembers: Access = { ...members, also: "LIST_PROFILES" }
const bothReaders: Access = { ...readers, alternative: "READ_COLLECTION", also: "LIST_PROFILES" }
const membersByCookie: Access = { ...members, takes: "cookie" }
const membersByCookieOrKey: Access = { ...members, takes: "cookie or key" }
const membersByToken: Access = { ...members, takes: "token" }

describe("the access that an operation declares", () => {
  it.each<readonly [string, Access, string, Actor, string | undefined]>([
    ["anyone", anyone, "a guest", guestWith(), undefined],
    ["anyone", anyone, "an account", account, undefined],
    ["anyone", anyone, "a key", byKey, undefined],
    ["anyone", anyone, "a token", byToken, undefined],
    ["anyone", anyone, "a suspended account", suspended, undefined],
    ["anyone", anyone, "a suspended account's token", suspendedByToken, undefined],
    ["anyone by cookie", anyoneByCookie, "a guest", guestWith(), undefined],
    ["anyone by cookie", anyoneByCookie, "an account", account, undefined],
    ["anyone by cookie", anyoneByCookie, "a key", byKey, "CookieRequired"],
    ["anyone by cookie", anyoneByCookie, "a token", byToken, "CookieRequired"],
    ["anyone by cookie", anyoneByCookie, "a suspended account", suspended, undefined],
    ["anyone by cookie or key", anyoneByCookieOrKey, "a guest", guestWith(), undefined],
    ["anyone by cookie or key", anyoneByCookieOrKey, "an account", account, undefined],
    ["anyone by cookie or key", anyoneByCookieOrKey, "a key", byKey, undefined],
    ["anyone by cookie or key", anyoneByCookieOrKey, "a token", byToken, "AccessTokenRefused"],
    [
      "anyone by cookie or key",
      anyoneByCookieOrKey,
      "a suspended account's token",
      suspendedByToken,
      "AccessTokenRefused"
    ],
    ["accounts", accounts, "a guest", guestWith("ADMINISTRATOR"), "Unauthenticated"],
    ["accounts", accounts, "an account", account, undefined],
    ["accounts", accounts, "a key", byKey, undefined],
    ["accounts", accounts, "a token", byToken, undefined],
    ["accounts", accounts, "a suspended account's token", suspendedByToken, "AccountSuspended"],
    ["accounts", accounts, "a suspended account", suspended, "AccountSuspended"],
    ["accounts by cookie", accountsByCookie, "a guest", guestWith(), "Unauthenticated"],
    ["accounts by cookie", accountsByCookie, "an account", account, undefined],
    ["accounts by cookie", accountsByCookie, "a key", byKey, "CookieRequired"],
    ["accounts by cookie", accountsByCookie, "a token", byToken, "CookieRequired"],
    ["accounts by cookie", accountsByCookie, "a suspended account", suspended, "AccountSuspended"],
    ["accounts by cookie", accountsByCookie, "a suspended account's key", suspendedByKey, "CookieRequired"],
    ["accounts by cookie or key", accountsByCookieOrKey, "a guest", guestWith(), "Unauthenticated"],
    ["accounts by cookie or key", accountsByCookieOrKey, "an account", account, undefined],
    ["accounts by cookie or key", accountsByCookieOrKey, "a key", byKey, undefined],
    ["accounts by cookie or key", accountsByCookieOrKey, "a token", byToken, "AccessTokenRefused"],
    [
      "accounts by cookie or key",
      accountsByCookieOrKey,
      "a suspended account's key",
      suspendedByKey,
      "AccountSuspended"
    ],
    [
      "accounts by cookie or key",
      accountsByCookieOrKey,
      "a suspended account's token",
      suspendedByToken,
      "AccessTokenRefused"
    ],
    ["accounts by token", accountsByToken, "a guest", guestWith(), "Unauthenticated"],
    ["accounts by token", accountsByToken, "an account", account, "Unauthenticated"],
    ["accounts by token", accountsByToken, "a suspended account", suspended, "Unauthenticated"],
    ["accounts by token", accountsByToken, "a key", byKey, "AccessTokenRequired"],
    [
      "accounts by token",
      accountsByToken,
      "a suspended account's key",
      suspendedByKey,
      "AccessTokenRequired"
    ],
    ["accounts by token", accountsByToken, "a token", byToken, undefined],
    [
      "accounts by token",
      accountsByToken,
      "a suspended account's token",
      suspendedByToken,
      "AccountSuspended"
    ],
    ["readers", readers, "a guest without the permission", guestWith("READ_COLLECTION"), "Forbidden"],
    ["readers", readers, "a guest with it", guestWith("READ_PROFILE"), undefined],
    ["readers", readers, "an account without it", account, "Forbidden"],
    ["readers", readers, "an account with it", holding("READ_PROFILE"), undefined],
    ["readers", readers, "an administrator", holding("ADMINISTRATOR"), undefined],
    ["readers", readers, "a suspended account", suspended, "AccountSuspended"],
    ["members", members, "a guest without the permission", guestWith(), "Unauthenticated"],
    ["members", members, "a guest with it", guestWith("READ_PROFILE"), "Unauthenticated"],
    ["members", members, "an account without it", account, "Forbidden"],
    ["members", members, "an account with it", holding("READ_PROFILE"), undefined],
    ["members", members, "an administrator", holding("ADMINISTRATOR"), undefined],
    ["members", members, "an administrator's key", byKey, undefined],
    ["members", members, "a suspended account", suspended, "AccountSuspended"],
    ["readers with either", eitherReaders, "a guest with the other", guestWith("LIST_PROFILES"), undefined],
    ["readers with either", eitherReaders, "a guest with neither", guestWith("READ_COLLECTION"), "Forbidden"],
    ["members with either", eitherMembers, "an account with the first", holding("READ_PROFILE"), undefined],
    ["members with either", eitherMembers, "an account with the other", holding("LIST_PROFILES"), undefined],
    ["members with either", eitherMembers, "an account with neither", account, "Forbidden"],
    ["contributors", contributors, "a guest with neither", guestWith("READ_COLLECTION"), "Forbidden"],
    ["contributors", contributors, "a guest with the first", guestWith("READ_PROFILE"), "Unauthenticated"],
    ["contributors", contributors, "a guest with the other", guestWith("LIST_PROFILES"), "Unauthenticated"],
    ["contributors", contributors, "an account with neither", account, "Forbidden"],
    ["contributors", contributors, "an account with the first", holding("READ_PROFILE"), undefined],
    ["contributors", contributors, "an account with the other", holding("LIST_PROFILES"), undefined],
    ["contributors", contributors, "an administrator's key", byKey, undefined],
    ["contributors", contributors, "a suspended account", suspended, "AccountSuspended"],
    ["members with both", bothMembers, "an account with the first", holding("READ_PROFILE"), "Forbidden"],
    ["members with both", bothMembers, "an account with the other", holding("LIST_PROFILES"), "Forbidden"],
    ["members with both", bothMembers, "one with both", holding("READ_PROFILE", "LIST_PROFILES"), undefined],
    ["members with both", bothMembers, "an administrator", holding("ADMINISTRATOR"), undefined],
    ["members with both", bothMembers, "a guest with neither", guestWith(), "Unauthenticated"],
    [
      "readers with both",
      bothReaders,
      "a guest with two",
      guestWith("READ_COLLECTION", "LIST_PROFILES"),
      undefined
    ],
    ["readers with both", bothReaders, "a guest with one", guestWith("READ_COLLECTION"), "Forbidden"],
    ["readers with both", bothReaders, "a guest with the other", guestWith("LIST_PROFILES"), "Forbidden"],
    ["members by cookie", membersByCookie, "a guest", guestWith("READ_PROFILE"), "Unauthenticated"],
    ["members by cookie", membersByCookie, "an account without the permission", account, "Forbidden"],
    ["members by cookie", membersByCookie, "an account with it", holding("READ_PROFILE"), undefined],
    ["members by cookie", membersByCookie, "an administrator's key", byKey, "CookieRequired"],
    ["members by cookie", membersByCookie, "an administrator's token", byToken, "CookieRequired"],
    ["members by cookie", membersByCookie, "a suspended account", suspended, "AccountSuspended"],
    [
      "members by cookie or key",
      membersByCookieOrKey,
      "an administrator's token",
      byToken,
      "AccessTokenRefused"
    ],
    ["members by cookie or key", membersByCookieOrKey, "an administrator's key", byKey, undefined],
    ["members by token", membersByToken, "an administrator's token", byToken, undefined],
    [
      "members by token",
      membersByToken,
      "a token without it",
      { ...account, credential: "token" },
      "Forbidden"
    ]
  ])("for %s, called by %3$s: %5$s", (_policy, access, _who, actor, refusal) => {
    expect(refusalOf(access, actor)?._tag).toBe(refusal)
  })

  it("names the permission that is missing", () => {
    expect(refusalOf(members, account)?.metadata).toEqual({ permission: "READ_PROFILE" })
  })

  it("requires its permission or ADMINISTRATOR", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Permission.literals),
        fc.subarray([...Permission.literals]),
        fc.constantFrom("Reader" as const, "Member" as const, "Contributor" as const),
        (permission, held, _tag) => {
          const open = held.includes(permission) || held.includes("ADMINISTRATOR")
          expect(refusalOf({ _tag, permission }, holding(...held)) === undefined).toBe(open)
        }
      )
    )
  })
})
