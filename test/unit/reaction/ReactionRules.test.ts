import { assert, describe, it } from "@effect/vitest"
import { reactionsMax } from "../../../src/domain/reaction/Reaction.ts"
import { decideAddition, mayRemove, type StoredReaction } from "../../../src/domain/reaction/ReactionRules.ts"
import type { AccountActor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, Id } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"

const idOf = (n: number) => String(n).padStart(20, "0")
const account = (n: number) => AccountId.make(idOf(n))

const reaction = (n: number, by: number, emoji: string): StoredReaction => ({
  id: Id.make(idOf(n)),
  accountId: account(by),
  emoji
})

/** Reactions of so many accounts with the same emoji. */
const crowd = (count: number, emoji = "👍") =>
  Array.from({ length: count }, (_, n) => reaction(n, 1000 + n, emoji))

/** So many different reactions of one account. */
const ofOne = (count: number, by: number) =>
  Array.from({ length: count }, (_, n) => reaction(n, by, `emoji ${n}`))

const mine = { accountId: account(1), emoji: "👍" }

describe("a reaction", () => {
  const { account: perAccount, emoji: different, post } = reactionsMax
  it.each([
    ["is added to none", [], { _tag: "Add" }],
    ["is added to those of others", crowd(3), { _tag: "Add" }],
    ["is added to others of its account", [reaction(7, 1, "🎉")], { _tag: "Add" }],
    [
      "is the one that is there",
      [reaction(6, 2, "👍"), reaction(7, 1, "👍")],
      { _tag: "Exists", id: idOf(7) }
    ],
    ["is the last that a post may have", crowd(post - 1), { _tag: "Add" }],
    ["is one too many for a post", crowd(post), { _tag: "Refuse", limit: "post" }],
    [
      "is the one that is there, though the post is full",
      [...crowd(post - 1), reaction(777, 1, "👍")],
      { _tag: "Exists", id: idOf(777) }
    ],
    ["is the last of an account", ofOne(perAccount - 1, 1), { _tag: "Add" }],
    ["is one too many of an account", ofOne(perAccount, 1), { _tag: "Refuse", limit: "account" }],
    ["is the last different one", ofOne(different - 1, 2), { _tag: "Add" }],
    ["is one too many different ones", ofOne(different, 2), { _tag: "Refuse", limit: "emoji" }],
    [
      "is one of those that are there already",
      [...ofOne(different - 1, 2), reaction(888, 2, "👍")],
      { _tag: "Add" }
    ]
  ] as const)("%s", (_, present, expected) => {
    assert.deepStrictEqual<unknown>(decideAddition(present, mine), expected)
  })
})

describe("a reaction may be removed by", () => {
  const actor = (n: number, ...permissions: ReadonlyArray<Permission>): AccountActor => ({
    _tag: "Account",
    accountId: account(n),
    permissions: new Set(permissions),
    suspended: false,
    credential: "cookie"
  })
  it.each([
    ["its account", actor(1), true],
    ["another account", actor(2, "CREATE_REACTION"), false],
    ["a moderator", actor(2, "MANAGE_POSTS"), false],
    ["an administrator", actor(2, "ADMINISTRATOR"), true]
  ])("%s: %#", (_, who, expected) => {
    assert.strictEqual(mayRemove({ accountId: account(1) }, who), expected)
  })
})
