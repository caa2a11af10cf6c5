/** The page for those who follow changes shows data as it is. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { ChangeEntry } from "../../../src/domain/change/ChangeList.ts"
import { positionOf } from "../../../src/domain/change/ChangePosition.ts"

const page = readFileSync("docs/changes.md", "utf8")

describe("the page about changes", () => {
  it("shows a change as it is", () => {
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? "")
    const { cursor } = Schema.decodeUnknownSync(ChangeEntry, { onExcessProperty: "error" })(shown)
    assert.isTrue(Option.isSome(positionOf(cursor)))
  })
})
