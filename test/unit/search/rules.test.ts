import { assert, describe, it } from "@effect/vitest"
import { bestOf, typed } from "../../../src/domain/search/Matches.ts"
import { decideKinds } from "../../../src/domain/search/SearchRules.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import { decideWay, hasTrigram } from "../../../src/persistence/search/SearchPlan.ts"

const account = (suspended: boolean): Actor => ({
  _tag: "Account",
  accountId: AccountId.make("a".repeat(20)),
  permissions: new Set(["READ_PUBLISHED_THREADS"]),
  suspended,
  credential: "cookie"
})

const guest = (...permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Guest",
  permissions: new Set(permissions)
})

describe("what a search covers", () => {
  it.each([
    [account(false), [], ["thread", "reply"]],
    [account(false), ["post", "thread"], ["thread", "reply"]],
    [account(false), ["reply", "node"], ["reply"]],
    [account(false), ["event", "profile"], []],
    [account(true), [], []],
    [guest("READ_PUBLISHED_THREADS"), [], ["thread", "reply"]],
    [guest("READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"), [], ["thread", "reply", "node"]],
    [
      guest("READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"),
      ["node", "post"],
      ["thread", "reply", "node"]
    ],
    [guest("READ_PUBLISHED_LIBRARY"), [], ["node"]],
    [guest("READ_PUBLISHED_LIBRARY"), ["post"], []],
    [guest("READ_PUBLISHED_LIBRARY"), ["node"], ["node"]],
    [guest(), ["thread"], []],
    [guest("ADMINISTRATOR"), ["thread"], ["thread"]]
  ] as const)("case %#", (actor, asked, kinds) => {
    assert.deepStrictEqual(decideKinds(actor, asked), kinds)
  })
})

describe("how a term is looked for", () => {
  it.each([
    ["body", 1000, 10, true, "newest"],
    ["body", 1000, 9, true, "indexed"],
    ["body", 1000, 0, true, "indexed"],
    ["body", 1000, 0, false, "newest"],
    // There are no others.
    ["body", 999, 0, true, "newest"],
    ["body", 0, 0, true, "newest"],
    ["title", 200, 7, true, "newest"],
    ["title", 200, 6, true, "indexed"],
    ["title", 200, 0, false, "newest"],
    ["title", 199, 0, true, "newest"]
  ] as const)("in the %s of %i texts %i, indexed: %s: %s", (place, looked, found, isIndexed, way) => {
    assert.strictEqual(decideWay(place, { looked, found }, isIndexed), way)
  })

  it.each([
    ["abc", true],
    ["a b", true],
    ["ab", false],
    ["a-b-c", false],
    ["日本語", true],
    ["日本", false],
    ["%%%", false]
  ])("%s has letters next to each other: %s", (term, has) => {
    assert.strictEqual(hasTrigram(term), has)
  })
})

describe("the best titles", () => {
  const titles = ["matlab data", "dark data", "data", "matlab", "about matlab dates"].map((title, n) => ({
    id: String(n),
    title
  }))
  const bestFor = (q: string) => bestOf(titles, typed(q)).map((id) => titles[Number(id)]?.title)

  it.each([
    ["matlab da", ["matlab data", "about matlab dates", "matlab", "data", "dark data"]],
    ["DATA", ["data", "dark data", "matlab data"]],
    ["dat", ["data", "about matlab dates", "dark data", "matlab data"]],
    ["x", []],
    ["", []]
  ])("for %j", (q, best) => {
    assert.deepStrictEqual(bestFor(q), best)
  })

  it("are twenty, the newest of equal ones", () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ id: String(n).padStart(2, "0"), title: "same" }))
    const best = bestOf(many, typed("same"))
    assert.deepStrictEqual([best.length, best[0], best[19]], [20, "29", "10"])
  })
})
