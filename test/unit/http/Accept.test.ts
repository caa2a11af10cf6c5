import { assert, describe, it } from "@effect/vitest"
import { preferredOf } from "../../../src/http/bytes/Accept.ts"

const cases: ReadonlyArray<readonly [header: string | undefined, language: "en" | "de"]> = [
  [undefined, "en"],
  ["", "en"],
  ["*", "en"],
  ["de", "de"],
  ["DE-at", "de"],
  ["de-DE-1996,en;q=0.9", "de"],
  ["en-GB,de;q=0.9", "en"],
  ["en;q=0.2, de;q=0.3", "de"],
  ["fr, de;q=0.1", "de"],
  ["fr;q=1", "en"],
  ["de;q=0", "en"],
  ["de;q=much", "en"],
  ["de, en", "de"],
  ["deutsch", "en"],
  [",;,;q=,", "en"]
]

describe("the language that a client prefers", () => {
  it.each(cases)("%s is %s", (header, language) => {
    assert.strictEqual(preferredOf(["en", "de"], header), language)
  })
})
