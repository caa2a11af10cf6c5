import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { mayMeet } from "../../../src/domain/library/NodeRules.ts"
import {
  checkSibling,
  contains,
  type Destination,
  decideMove,
  decideReparenting,
  decideSpot,
  mayRelate,
  type Placed
} from "../../../src/domain/library/TreeRules.ts"
import type { AccountActor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, NodeId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import { Visibility } from "../../../src/domain/shared/Visibility.ts"

const id = (name: string) => NodeId.make(name.padEnd(20, "0"))
const account = (name: string) => AccountId.make(name.padEnd(20, "0"))

/** Which page contains each; all have one visibility unless it is given. */
type Tree = ReadonlyMap<string, string | undefined>

const placed = (tree: Tree, name: string, visibility: Visibility = "published"): Placed => {
  const parent = tree.get(name)
  return { id: id(name), parentId: parent === undefined ? undefined : id(parent), visibility }
}

const namesAbove = (tree: Tree, name: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = tree.get(name); at !== undefined && found.length <= tree.size; at = tree.get(at))
    found.push(at)
  return found
}

const destination = (tree: Tree, name: string | undefined, visibility?: Visibility): Destination => ({
  parent: name === undefined ? undefined : placed(tree, name, visibility),
  above: name === undefined ? [] : namesAbove(tree, name).map(id)
})

/** a contains b, which contains c, which contains d; e is beside a. */
const tree: Tree = new Map([
  ["a", undefined],
  ["b", "a"],
  ["c", "b"],
  ["d", "c"],
  ["e", undefined]
])

const outcome = (result: Result.Result<{ readonly _tag: string }, { readonly _tag: string }>) =>
  Result.match(result, { onSuccess: ({ _tag }) => _tag, onFailure: ({ _tag }) => _tag })

describe("moving a page", () => {
  it.each<readonly [string, string | undefined, string, string]>([
    ["a", "a", "NodeInItself", "NodeInItself"],
    // Its only child takes its place; a change of the page does not move another one.
    ["a", "b", "Exchange", "NodeInItself"],
    ["a", "c", "NodeInItself", "NodeInItself"],
    ["a", "d", "NodeInItself", "NodeInItself"],
    ["a", "e", "Move", "Move"],
    ["a", undefined, "Stay", "Stay"],
    ["b", "a", "Stay", "Stay"],
    ["b", undefined, "Move", "Move"],
    ["b", "e", "Move", "Move"],
    ["b", "d", "NodeInItself", "NodeInItself"],
    ["d", "a", "Move", "Move"],
    ["d", "b", "Move", "Move"],
    ["e", "d", "Move", "Move"]
  ])("%s into %s: %s, as a change of the page %s", (node, parent, moved, reparented) => {
    assert.strictEqual(outcome(decideMove(placed(tree, node), destination(tree, parent))), moved)
    assert.strictEqual(outcome(decideReparenting(placed(tree, node), destination(tree, parent))), reparented)
  })

  const rows: ReadonlyArray<readonly [Visibility, Visibility, boolean]> = [
    ["draft", "draft", true],
    ["draft", "unlisted", false],
    ["draft", "review", false],
    ["draft", "published", false],
    ["unlisted", "draft", false],
    ["unlisted", "unlisted", true],
    ["unlisted", "review", false],
    ["unlisted", "published", false],
    ["review", "draft", true],
    ["review", "unlisted", false],
    ["review", "review", true],
    ["review", "published", false],
    ["published", "draft", true],
    ["published", "unlisted", false],
    ["published", "review", true],
    ["published", "published", true]
  ]

  it.each(rows)("into a page that is %s, of one that is %s: %s", (parent, child, isAllowed) => {
    const result = decideMove(placed(tree, "e", child), destination(tree, "a", parent))
    assert.strictEqual(outcome(result), isAllowed ? "Move" : "NodeVisibilitiesDiffer")
    if (Result.isFailure(result) && result.failure._tag === "NodeVisibilitiesDiffer") {
      assert.deepStrictEqual(result.failure.metadata, { parent, child })
    }
    assert.strictEqual(contains[parent].includes(child), isAllowed)
    // One that stays, a change of the page and the top level make no difference between visibilities.
    assert.strictEqual(outcome(decideMove(placed(tree, "b", child), destination(tree, "a", parent))), "Stay")
    assert.strictEqual(outcome(decideMove(placed(tree, "b", child), destination(tree, undefined))), "Move")
    const changed = decideReparenting(placed(tree, "e", child), destination(tree, "a", parent))
    assert.strictEqual(outcome(changed), "Move")
  })

  it("covers every pair of visibilities", () => {
    assert.strictEqual(new Set(rows.map(([parent, child]) => `${parent} ${child}`)).size, 16)
    assert.deepStrictEqual(Object.keys(contains).sort(), [...Visibility.literals].sort())
  })

  const names = ["a", "b", "c", "d", "e", "f", "g"]
  const target = fc.option(fc.constantFrom(...names), { nil: undefined })
  const moves = fc.array(fc.tuple(fc.constantFrom(...names), target, fc.boolean()), { maxLength: 40 })

  it("never makes a circle, and keeps every page reachable, whatever moves follow each other", () => {
    fc.assert(
      fc.property(moves, (all) => {
        const now = new Map<string, string | undefined>(names.map((name) => [name, undefined]))
        for (const [name, parent, isChange] of all) {
          const decide = isChange ? decideReparenting : decideMove
          const result = decide(placed(now, name), destination(now, parent))
          if (Result.isFailure(result)) {
            assert.strictEqual(result.failure._tag, "NodeInItself")
            // Refused only where the page would be in itself.
            assert.isTrue(parent === name || namesAbove(now, parent ?? "").includes(name))
            continue
          }
          if (result.success._tag === "Exchange" && parent !== undefined) now.set(parent, undefined)
          if (result.success._tag !== "Stay") now.set(name, parent)
          assert.strictEqual(now.get(name), parent)
          for (const one of names) assert.notInclude(namesAbove(now, one), one)
        }
      }),
      { numRuns: 500 }
    )
  })
})

describe("the spot of a page among its siblings", () => {
  const [node, other, third] = [id("a"), id("b"), id("c")]

  it.each([
    [{}, "Last"],
    [{ before: other }, "Before"],
    [{ after: other }, "After"],
    [{ before: other, after: third }, "both"],
    [{ before: other, after: other }, "both"],
    [{ before: node }, "itself"],
    [{ after: node }, "itself"]
  ] as const)("%j: %s", (position, expected) => {
    const result = decideSpot(node, position)
    const found = Result.match(result, {
      onSuccess: ({ _tag }): string => _tag,
      onFailure: ({ metadata }) => metadata.rule
    })
    assert.strictEqual(found, expected)
    if (Result.isSuccess(result) && result.success._tag !== "Last") {
      assert.strictEqual(result.success.sibling, other)
    }
  })

  it("is next to a page that is there", () => {
    assert.isTrue(Result.isSuccess(checkSibling({ parentId: other }, other)))
    assert.isTrue(Result.isSuccess(checkSibling({ parentId: undefined }, undefined)))
    assert.isTrue(Result.isFailure(checkSibling({ parentId: undefined }, other)))
    assert.isTrue(Result.isFailure(checkSibling({ parentId: other }, undefined)))
    assert.isTrue(Result.isFailure(checkSibling({ parentId: other }, third)))
  })
})

describe("putting a page into another one", () => {
  const actor = (name: string, ...permissions: ReadonlyArray<Permission>): AccountActor => ({
    _tag: "Account",
    accountId: account(name),
    permissions: new Set(permissions),
    suspended: false,
    credential: "cookie"
  })
  const parent = { ownerId: account("p") }
  const child = { ownerId: account("c") }

  it.each([
    ["the owner of the parent", actor("p"), true],
    ["the owner of the child", actor("c"), true],
    ["a manager", actor("m", "MANAGE_LIBRARY"), true],
    ["an administrator", actor("m", "ADMINISTRATOR"), true],
    ["a stranger", actor("s", "SUBMIT_LIBRARY_NODE", "MANAGE_POSTS"), false]
  ] as const)("by %s", (_who, who, isAllowed) => {
    assert.strictEqual(mayRelate(parent, child, who), isAllowed)
  })

  it.each(Visibility.literals)("shows who may know of one that is %s", (visibility) => {
    const page = { ownerId: account("p"), visibility }
    assert.isTrue(mayMeet(page, actor("p")))
    assert.isTrue(mayMeet(page, actor("m", "MANAGE_LIBRARY")))
    assert.isFalse(mayMeet(page, actor("s")))
    assert.strictEqual(mayMeet(page, actor("s", "READ_PUBLISHED_LIBRARY")), visibility === "published")
  })
})
