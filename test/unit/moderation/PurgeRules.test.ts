import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { decideNext, type Outcome, triesMax } from "../../../src/domain/moderation/PurgeRules.ts"

const at = (seconds: number) => DateTime.makeUnsafe(1000 * seconds)

describe("decideNext", () => {
  it.each<readonly [Outcome, tries: number, now: number, due: number | "finish" | "give up" | "nothing"]>([
    ["lost", 1, 0, "nothing"],
    ["left", 0, 2, 2],
    ["emptied", 0, 0, 60],
    ["emptied", 1, 59, 60],
    ["emptied", 1, 60, "finish"],
    ["emptied", 9, 3600, "finish"],
    ["failed", 0, 0, 60],
    ["failed", 1, 100, 160],
    ["failed", 2, 100, 220],
    ["failed", 4, 0, 480],
    ["failed", 7, 0, 3600],
    ["failed", triesMax - 1, 0, 3600],
    ["failed", triesMax, 0, "give up"],
    ["failed", triesMax + 1, 0, "give up"]
  ])("%s after %i tries, %i seconds after the request: %s", (outcome, tries, now, due) => {
    const next = decideNext({ requestedAt: at(0), tries }, outcome, at(now))
    if (typeof due === "number") expect(next).toEqual({ _tag: "Release", dueAt: at(due) })
    else if (due === "nothing") expect(next).toEqual({ _tag: "Nothing" })
    else expect(next).toEqual({ _tag: "Finish", gaveUp: due === "give up" })
  })
})
