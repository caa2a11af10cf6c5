import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId } from "../../../src/domain/shared/Id.ts"
import { Visibility } from "../../../src/domain/shared/Visibility.ts"
import { countChanges, type Placement } from "../../../src/domain/thread/ThreadCounts.ts"
import {
  decideVisibilityFilter,
  mayChange,
  mayReadReply,
  mayReadThread,
  publishedChange,
  storedFilter,
  textToCheck
} from "../../../src/domain/thread/ThreadRules.ts"
import { account } from "../../support/actors.ts"

const freya = AccountId.make("f".repeat(20))
const loki = AccountId.make("l".repeat(20))

const actors = {
  guest: { _tag: "Guest", permissions: new Set() },
  author: account(freya, "CREATE_POST"),
  stranger: account(loki, "CREATE_POST", "MANAGE_CATEGORIES"),
  moderator: account(loki, "MANAGE_POSTS"),
  administrator: account(loki, "ADMINISTRATOR")
} satisfies Record<string, Actor>

const visibilities = Visibility.literals

type Who = keyof typeof actors
const everyone: ReadonlyArray<Who> = ["guest", "author", "stranger", "moderator", "administrator"]
const staff: ReadonlyArray<Who> = ["moderator", "administrator"]

describe("reading and changing", () => {
  it.each([
    ["published", everyone, everyone],
    ["review", ["author", ...staff], ["author", ...staff]],
    ["draft", ["author", ...staff], staff],
    ["unlisted", ["author", ...staff], staff]
  ] as const)("shows and lets change what is %s as the table says", (visibility, ofThread, ofReply) => {
    const target = { authorId: freya, visibility }
    expect(everyone.filter((who) => mayReadThread(target, actors[who]))).toEqual(ofThread)
    expect(everyone.filter((who) => mayReadReply(target, actors[who]))).toEqual(ofReply)
    expect(everyone.filter((who) => mayChange(target, actors[who]))).toEqual(["author", ...staff])
  })
})

const subsets = fc.uniqueArray(fc.constantFrom(...visibilities))
const anActor = fc.constantFrom(...everyone).map((who) => actors[who])

describe("decideVisibilityFilter", () => {
  it.each([
    ["guest", [], false, ["published"], undefined],
    ["guest", ["draft"], true, ["published"], undefined],
    ["author", [], false, ["published"], ["published", "review"]],
    ["author", ["published"], false, ["published"], ["published"]],
    ["author", ["draft", "review"], false, ["published"], ["published"]],
    ["author", ["draft", "review"], true, ["published"], ["draft", "review"]],
    ["author", [], true, ["published"], ["published", "review"]],
    ["moderator", [], false, ["published", "review"], ["published", "review"]],
    ["moderator", ["published"], false, ["published"], ["published"]],
    ["moderator", ["draft"], false, ["draft"], ["draft"]],
    ["administrator", ["draft"], true, ["draft"], ["draft"]]
  ] as const)("for a %s who asks for %j", (who, visibility, ofOneAuthor, others, own) => {
    const listing = decideVisibilityFilter(actors[who], { visibility, ofOneAuthor })
    expect(listing.others).toEqual(others)
    if (own !== undefined) expect(listing.own).toEqual(own)
  })

  it("never lists what the caller may not read", () => {
    fc.assert(
      fc.property(anActor, subsets, fc.boolean(), (actor, visibility, ofOneAuthor) => {
        const { others, own } = decideVisibilityFilter(actor, { visibility, ofOneAuthor })
        const stranger = AccountId.make("s".repeat(20))
        for (const one of others)
          expect(mayReadThread({ authorId: stranger, visibility: one }, actor)).toBe(true)
        if (actor._tag === "Account") {
          for (const one of own) {
            expect(mayReadThread({ authorId: actor.accountId, visibility: one }, actor)).toBe(true)
          }
        }
      })
    )
  })
})

const aVisibility = fc.option(fc.constantFrom(...visibilities), { nil: undefined })

describe("publishedChange", () => {
  it("is the difference between being published after and before", () => {
    const one = (visibility: Visibility | undefined) => (visibility === "published" ? 1 : 0)
    fc.assert(
      fc.property(aVisibility, aVisibility, (before, after) => {
        expect(publishedChange(before, after)).toBe(one(after) - one(before))
      })
    )
  })
})

describe("textToCheck", () => {
  it.each([
    ["draft", "draft", undefined, "none"],
    ["draft", "draft", "new", "none"],
    ["published", "draft", "new", "none"],
    ["draft", "published", undefined, "stored"],
    ["review", "published", undefined, "stored"],
    ["draft", "published", "new", "new"],
    ["published", "published", undefined, "none"],
    ["published", "published", "new", "new"]
  ] as const)("from %s to %s with the text %s is %s", (before, after, text, expected) => {
    expect(textToCheck(before, after, text)).toBe(expected)
  })
})

describe("filtering the text that a post has already", () => {
  it.each([
    ["draft", "published", "block and hold"],
    ["unlisted", "published", "block and hold"],
    ["review", "published", "block"],
    ["published", "published", "nothing"],
    ["draft", "unlisted", "nothing"],
    ["draft", "review", "nothing"],
    ["published", "draft", "nothing"]
  ] as const)("from %s to %s is: %s; by a moderator, nothing", (before, after, expected) => {
    expect(storedFilter(before, after, false)).toBe(expected)
    expect(storedFilter(before, after, true)).toBe("nothing")
  })
})

const aPlacement: fc.Arbitrary<Placement | undefined> = fc.option(
  fc.record({
    visibility: fc.constantFrom(...visibilities),
    categoryId: fc.constantFrom("a", "b", null),
    tagIds: fc.uniqueArray(fc.constantFrom("p", "q", "r", "s"))
  }),
  { nil: undefined }
)

describe("countChanges", () => {
  const counts = (thread: Placement | undefined): Record<string, number> => {
    if (thread?.visibility !== "published") return {}
    const keys = ["total", ...thread.tagIds, ...(thread.categoryId === null ? [] : [thread.categoryId])]
    return Object.fromEntries(keys.map((key) => [key, 1]))
  }

  const placeOf = (thread: Placement | undefined): Record<string, number> =>
    thread?.visibility === "published" ? { [String(thread.categoryId)]: 1 } : {}

  it("leads from the counts before to the counts after, changing each once and in order", () => {
    fc.assert(
      fc.property(aPlacement, aPlacement, (before, after) => {
        const { categories, places, tags, total } = countChanges(before, after)
        const result: Record<string, number> = { ...counts(before) }
        for (const { by, id } of [...tags, ...categories, { id: "total", by: total }]) {
          result[id] = (result[id] ?? 0) + by
        }
        const left = Object.fromEntries(Object.entries(result).filter(([, count]) => count !== 0))
        expect(left).toEqual(counts(after))
        for (const changes of [tags, categories]) {
          const ids = changes.map(({ id }) => id)
          expect(ids).toEqual([...new Set(ids)].sort())
        }
        const ofAuthor: Record<string, number> = { ...placeOf(before) }
        for (const { by, categoryId } of places) {
          ofAuthor[String(categoryId)] = (ofAuthor[String(categoryId)] ?? 0) + by
        }
        const kept = Object.fromEntries(Object.entries(ofAuthor).filter(([, count]) => count !== 0))
        expect(kept).toEqual(placeOf(after))
        const order = places.map(({ categoryId }) => categoryId ?? "")
        expect(order).toEqual([...new Set(order)].sort())
      })
    )
  })
})
