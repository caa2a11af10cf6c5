/** The page for those who follow changes says of each event who is told of it, and shows data as it is. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import type { Audience } from "../../../src/domain/change/Audience.ts"
import { ChangeEntry } from "../../../src/domain/change/ChangeList.ts"
import { positionOf } from "../../../src/domain/change/ChangePosition.ts"
import { changeNames } from "../../../src/domain/change/Changes.ts"
import { isTelling, toldOf } from "../../../src/domain/change/ChangesOfEvents.ts"
import { DomainEvent } from "../../../src/domain/event/EventLog.ts"

const page = readFileSync("docs/changes.md", "utf8")

const golden = new URL("../../event/golden/", import.meta.url)
const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(DomainEvent)))

const told = readdirSync(golden)
  .flatMap((file) => readFileSync(new URL(file, golden), "utf8").trimEnd().split("\n"))
  .filter((line) => line.startsWith('{"_tag"'))
  .map((line) => decodeEvent(line))
  .flatMap((event) => (isTelling(event) ? (toldOf(event) ?? []) : []))

const textOf = (audience: Audience): string | undefined => {
  switch (audience._tag) {
    case "Everyone":
      return "everyone"
    case "Nobody":
      return undefined
    case "Post":
      return "who may read the post"
    case "Node":
      return "who may read the page"
    case "Version":
      return audience.isApplied
        ? "who may read the page, and its author"
        : "its author, those who review it, and the owner of a page that is not published"
    case "CalendarEvent":
      return "who may see the event of the calendar"
    case "Account": {
      const permissions = [
        "VIEW_ACCOUNTS",
        ...(audience.permission === undefined ? [] : [audience.permission])
      ]
      const holders = `holders of ${permissions.join(" and ")}; of administrators, administrators alone`
      return audience.itself === "always" ? `the account, and ${holders}` : `${holders}; not the account`
    }
    case "Holders":
      return audience.permission === "MANAGE_REPORTS"
        ? "who reported it, and holders of MANAGE_REPORTS"
        : `holders of ${audience.permission}`
  }
}

const rowOf = (name: string): string => {
  const texts = new Set(
    told.flatMap(({ audience, change }) => (change.event === name ? (textOf(audience) ?? []) : []))
  )
  assert.strictEqual(texts.size, 1, name)
  return `| \`${name}\` | ${[...texts].join()} |`
}

describe("the page about changes", () => {
  it("has every event with those who are told of it", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| `Event"))
    assert.deepStrictEqual(rows, changeNames.map(rowOf))
  })

  it("shows a change as it is", () => {
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? "")
    const { cursor } = Schema.decodeUnknownSync(ChangeEntry, { onExcessProperty: "error" })(shown)
    assert.isTrue(Option.isSome(positionOf(cursor)))
  })
})
