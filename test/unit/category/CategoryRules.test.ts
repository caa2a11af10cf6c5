import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import {
  decideAddition,
  decidePlaces,
  placesOfOrphans,
  type Tree,
  type TreeNode
} from "../../../src/domain/category/CategoryRules.ts"
import { limits } from "../../../src/domain/category/CategoryTree.ts"
import { CategoryId } from "../../../src/domain/shared/Id.ts"

const id = (name: string) => CategoryId.make(name.padEnd(20, "0"))

const node = (name: string, parent?: string, sort = 0): TreeNode => ({
  id: id(name),
  name,
  slug: name,
  parent: parent === undefined ? undefined : id(parent),
  sort
})

/** a contains b and c, and b contains d; e, f and g are beside a. */
const tree: Tree = [
  node("a", undefined, 0),
  node("b", "a", 0),
  node("c", "a", 1),
  node("d", "b", 0),
  node("e", undefined, 1),
  node("f", undefined, 1),
  node("g", undefined, 4)
]

const named = (name: string) => tree.find((one) => one.name === name) ?? assert.fail(name)

const placesOf = (
  places: ReadonlyArray<{ readonly id: string; readonly parent: string | undefined; readonly sort: number }>
) => places.map(({ id, parent, sort }) => `${id[0]} in ${parent?.[0] ?? "none"} ${sort}`)

interface Position {
  readonly parent?: string | null
  readonly before?: string
  readonly after?: string
}

const decide = (name: string, { after, before, parent }: Position, within = tree) =>
  decidePlaces(within, named(name), {
    ...(parent === undefined ? {} : { parent: parent === null ? null : id(parent) }),
    ...(before === undefined ? {} : { before: id(before) }),
    ...(after === undefined ? {} : { after: id(after) })
  })

describe("the places after a category is moved", () => {
  it.each<readonly [string, Position, ReadonlyArray<string>]>([
    ["g", { before: "a" }, ["g in none 0", "a in none 1", "e in none 2", "f in none 3"]],
    ["a", { after: "e" }, ["e in none 0", "a in none 1", "f in none 2", "g in none 3"]],
    ["a", { before: "e" }, ["a in none 0", "e in none 1", "f in none 2", "g in none 3"]],
    ["e", {}, ["a in none 0", "f in none 1", "g in none 2", "e in none 3"]],
    ["g", { parent: null }, ["a in none 0", "e in none 1", "f in none 2", "g in none 3"]],
    ["c", { before: "b" }, ["c in a 0", "b in a 1"]],
    [
      "d",
      { parent: null, after: "a" },
      ["a in none 0", "d in none 1", "e in none 2", "f in none 3", "g in none 4"]
    ],
    ["b", { parent: "e" }, ["b in e 0", "c in a 0"]],
    [
      "e",
      { parent: "a", before: "c" },
      ["b in a 0", "e in a 1", "c in a 2", "a in none 0", "f in none 1", "g in none 2"]
    ],
    ["d", { parent: "a" }, ["b in a 0", "c in a 1", "d in a 2"]]
  ])("%s to %j", (name, position, expected) => {
    assert.deepStrictEqual(placesOf(Result.getOrThrow(decide(name, position))), [...expected])
  })

  it.each<readonly [string, Position, string]>([
    ["a", { before: "e", after: "f" }, "one-neighbour"],
    ["a", { parent: "a" }, "parent-is-itself"],
    ["a", { parent: "b" }, "parent-is-within"],
    ["a", { parent: "d" }, "parent-is-within"],
    ["b", { parent: "d" }, "parent-is-within"],
    ["a", { before: "a" }, "neighbour-is-itself"],
    ["a", { after: "a" }, "neighbour-is-itself"],
    ["a", { before: "b" }, "neighbour-elsewhere"],
    ["b", { parent: null, after: "c" }, "neighbour-elsewhere"],
    ["b", { before: "uu" }, "neighbour-elsewhere"]
  ])("%s to %j are none", (name, position, rule) => {
    const failure = Result.getOrThrow(Result.flip(decide(name, position)))
    assert.deepStrictEqual<object>(failure.metadata, { rule })
  })

  it("need a parent that there is", () => {
    const failure = Result.getOrThrow(Result.flip(decide("a", { parent: "uu" })))
    assert.deepStrictEqual<object>(failure.metadata, { parent: id("uu") })
    assert.strictEqual(failure._tag, "CategoryParentNotFound")
  })

  it("have levels enough for all that the category contains", () => {
    const chain = Array.from({ length: limits.levels - 2 }, (_, n) =>
      node(`k${n}`, n === 0 ? undefined : `k${n - 1}`)
    )
    const deep = [...tree, ...chain]
    const last = `k${limits.levels - 3}`
    // b has two levels.
    assert.isTrue(Result.isSuccess(decide("b", { parent: last }, deep)))
    const failure = Result.getOrThrow(Result.flip(decide("a", { parent: last }, deep)))
    assert.deepStrictEqual<object>(failure.metadata, { maximum: limits.levels })
  })

  it("are a tree again, in which every group that changed is numbered from 0", () => {
    const names = tree.map(({ name }) => name)
    const anyName = fc.constantFrom(...names)
    const position = fc.record(
      { parent: fc.oneof(fc.constant(null), anyName), before: anyName, after: anyName },
      { requiredKeys: [] }
    )
    fc.assert(
      fc.property(anyName, position, (name, to) => {
        const decided = decide(name, to)
        if (Result.isFailure(decided)) return
        const places = new Map(decided.success.map((place) => [place.id, place]))
        assert.strictEqual(places.size, decided.success.length, "each once")
        const parentOf = new Map(tree.map((one) => [one.id, (places.get(one.id) ?? one).parent]))
        for (const one of tree) {
          let steps = 0
          for (let at: CategoryId | undefined = one.id; at !== undefined; at = parentOf.get(at)) {
            assert.isBelow(steps++, tree.length, "a circle")
          }
        }
        for (const group of new Set(decided.success.map(({ parent }) => parent))) {
          const members = tree.filter((one) => parentOf.get(one.id) === group)
          const sorts = members.map((one) => places.get(one.id)?.sort ?? -1).toSorted((a, b) => a - b)
          assert.deepStrictEqual(sorts, [...members.keys()])
        }
      })
    )
  })
})

describe("the places of the children of a category that is deleted", () => {
  it.each([
    ["a", ["b in none 5", "c in none 6"]],
    ["b", ["d in none 5"]],
    ["g", []]
  ])("%s", (name, expected) => {
    assert.deepStrictEqual(placesOf(placesOfOrphans(tree, named(name))), expected)
  })

  it("begin with 0 where there is no other", () => {
    const two = [node("a", undefined, 3), node("b", "a", 2)]
    assert.deepStrictEqual(placesOf(placesOfOrphans(two, node("a"))), ["b in none 0"])
  })
})

describe("another category", () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => node(`n${n}`))

  it("needs a parent that there is", () => {
    assert.isTrue(Result.isSuccess(decideAddition(tree, undefined)))
    assert.isTrue(Result.isSuccess(decideAddition(tree, id("d"))))
    const failure = Result.getOrThrow(Result.flip(decideAddition(tree, id("uu"))))
    assert.deepStrictEqual<object>(failure.metadata, { field: "parent", id: id("uu") })
  })

  it("has room up to the limit", () => {
    assert.isTrue(Result.isSuccess(decideAddition(many(limits.categories - 1), undefined)))
    const failure = Result.getOrThrow(Result.flip(decideAddition(many(limits.categories), undefined)))
    assert.deepStrictEqual<object>(failure.metadata, { limit: "categories", maximum: limits.categories })
  })

  it("is on the last level at most", () => {
    const chain = Array.from({ length: limits.levels }, (_, n) =>
      node(`k${n}`, n === 0 ? undefined : `k${n - 1}`)
    )
    assert.isTrue(Result.isSuccess(decideAddition(chain, id(`k${limits.levels - 2}`))))
    const failure = Result.getOrThrow(Result.flip(decideAddition(chain, id(`k${limits.levels - 1}`))))
    assert.deepStrictEqual<object>(failure.metadata, { maximum: limits.levels })
  })
})
