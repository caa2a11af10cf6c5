import { assert, describe, it } from "@effect/vitest"
import { parseChildSort } from "../../../src/domain/library/ChildSort.ts"

describe("what children are sorted by", () => {
  it.each([
    ["name", { descending: false, own: "name" }],
    ["-description", { descending: true, own: "description" }],
    ["link", { descending: false, own: "link" }],
    ["Name", { descending: false, property: "Name" }],
    ["-Weight", { descending: true, property: "Weight" }],
    ["--odd", { descending: true, property: "-odd" }],
    ["-", { descending: true, property: "" }],
    ["", { descending: false, property: "" }]
  ] as const)("is read from %j", (text, sort) => {
    assert.deepStrictEqual(parseChildSort(text), sort)
  })
})
