import { assert, describe, it } from "@effect/vitest"
import { scopes } from "../../../src/domain/vocabulary/Scope.ts"
import { languages, textsFor } from "../../../src/http/page/texts/Texts.ts"

/** All texts of a catalogue by where they stand; functions are given an example. */
const textsIn = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof value === "string") return [[path, value]]
  if (typeof value === "function") return [[path, String(value(/tooMany/.test(path) ? 90 : "Valhalla"))]]
  return Object.entries(Object(value)).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`))
}

describe("the texts of pages", () => {
  const catalogues = languages.map((language) => textsIn(textsFor(language)))

  it("are there in every language, none empty and none as in another language but those that are the same", () => {
    const [english = [], german = []] = catalogues.map((texts) => new Map(texts))
    const same = [...new Map(english)].flatMap(([path, text]) =>
      text === new Map(german).get(path) ? [path] : []
    )
    assert.deepStrictEqual([...new Map(english).keys()], [...new Map(german).keys()])
    assert.deepStrictEqual(same, [
      ".code.code",
      ".device.code",
      ".front.version",
      ".problems.status",
      ".problems.name"
    ])
    for (const [path, text] of catalogues.flat()) assert.match(text, /^\S(.*\S)?$/, path)
  })

  it("describe each scope in its own words", () => {
    for (const language of languages) {
      const texts = scopes.map((scope) => textsFor(language).scopes[scope])
      assert.strictEqual(new Set(texts).size, scopes.length)
      for (const text of texts) assert.notMatch(text, /[A-Z]_|\.$/)
    }
  })

  it("tell how long to wait", () => {
    assert.include(textsFor("en").failures.tooMany(59), "in a minute")
    assert.include(textsFor("en").failures.tooMany(61), "in 2 minutes")
    assert.include(textsFor("de").failures.tooMany(1), "in einer Minute")
    assert.include(textsFor("de").failures.tooMany(900), "in 15 Minuten")
  })
})
