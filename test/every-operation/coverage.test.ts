/** No list and no number of the API is forgotten where lists and numbers are compared with single reads. */
import { assert, describe, it } from "@effect/vitest"
import { compared, notCalled, notCompared } from "../support/visibility/coverage.ts"
import { numbersAndLists, readsWithNumbers } from "../support/visibility/description.ts"

const namesIn = (table: Readonly<Record<string, ReadonlyArray<string>>>) => Object.values(table).flat()

/** What is in one of two lists only, as what has to be done about it. */
const differences = (found: Iterable<string>, told: ReadonlyArray<string>) => {
  const all = new Set(found)
  return {
    missing: [...all].filter((name) => !told.includes(name)),
    stale: told.filter((name) => !all.has(name)),
    twice: told.filter((name, index) => told.indexOf(name) !== index)
  }
}

const nothing = { missing: [], stale: [], twice: [] }

describe("every list and every number", () => {
  it("is compared with single reads, or there is a reason why not", () => {
    const found = numbersAndLists()
    assert.isAbove(found.size, 100)
    const told = [...namesIn(compared), ...namesIn(notCompared)]
    assert.deepStrictEqual(differences(found, told), nothing)
  })

  it("is compared by something that has at least one to compare", () => {
    for (const [name, numbers] of Object.entries(compared)) assert.isNotEmpty(numbers, name)
  })

  it("is read by an operation that there is", () => {
    const reads = readsWithNumbers()
    for (const id of namesIn(notCalled)) assert.include(reads, id)
  })

  it("would be missed if it were new, and is missed when it is gone", () => {
    const told = ["Thread.tags[]", "Thread.gone", "Thread.tags[]"]
    assert.deepStrictEqual(differences(["Thread.tags[]", "Thread.added"], told), {
      missing: ["Thread.added"],
      stale: ["Thread.gone"],
      twice: ["Thread.tags[]"]
    })
  })
})
