import { assert, describe, it } from "@effect/vitest"
import { LinkedList } from "../../src/http/pipeline/LinkedList.ts"

describe("a linked list", () => {
  it("has its values in the order in which they were added, whichever are removed", () => {
    const list = new LinkedList<number>()
    const expected: Array<number> = []
    const entries = new Map<number, ReturnType<typeof list.add>>()
    const shows = () => {
      assert.deepStrictEqual(list.values(), expected)
      assert.strictEqual(list.size, expected.length)
      assert.strictEqual(list.first?.value, expected[0])
    }
    shows()
    // The first, the last and one between, until the list is empty, and once more.
    for (const order of [
      [0, 4, 2, 3, 1],
      [4, 3, 2, 1, 0],
      [0, 1, 2, 3, 4]
    ]) {
      for (const value of [0, 1, 2, 3, 4]) {
        entries.set(value, list.add(value))
        expected.push(value)
        shows()
      }
      for (const value of order) {
        const entry = entries.get(value)
        assert.isDefined(entry)
        assert.isTrue(entry.isIn)
        assert.isTrue(list.remove(entry))
        assert.isFalse(entry.isIn)
        assert.isFalse(list.remove(entry))
        expected.splice(expected.indexOf(value), 1)
        shows()
      }
    }
  })

  it("does not lead from a removed entry to others", () => {
    const list = new LinkedList<object>()
    const [before, entry, behind] = [{}, {}, {}].map((value) => list.add(value))
    assert.isDefined(entry)
    list.remove(entry)
    const reached = Object.values(entry)
    assert.notInclude(reached, before)
    assert.notInclude(reached, behind)
  })
})
