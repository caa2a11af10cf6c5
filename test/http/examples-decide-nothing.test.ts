/** Examples are for the description of the API: nothing that the service does depends on one. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const source = (path: string) => readFileSync(`src/${path}`, "utf8")

const isExamples = (path: string) => path.endsWith("Examples.ts")

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".ts") && !isExamples(path)
)

const importing = /import (?:type )?\{([^}]*)\} from "[^"]*Examples\.ts"\n/g

/** The part of a text from an opening bracket to the one that closes it. */
const bracketed = (text: string, from: number): string => {
  let depth = 0
  for (let end = from; end < text.length; end++) {
    if (text[end] === "(") depth += 1
    if (text[end] === ")") depth -= 1
    if (depth === 0) return text.slice(from, end + 1)
  }
  return text.slice(from)
}

/** A text without what it gives to `withExample`. */
const withoutExamples = (text: string): string => {
  const at = text.indexOf("withExample(")
  if (at === -1) return text
  const given = bracketed(text, at + "withExample".length)
  return text.slice(0, at) + withoutExamples(text.slice(at + "withExample".length + given.length))
}

const withoutWords = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$|"[^"\n]*"|'[^'\n]*'|`(?:\\.|[^`\\])*`/gm, "")

/** What a source takes from examples and uses for anything but the description. */
const misused = (text: string): ReadonlyArray<string> => {
  const names = [...text.matchAll(importing)].flatMap(([, list = ""]) =>
    list.split(",").flatMap((one) => one.trim().split(" as ").at(-1) || [])
  )
  const rest = withoutExamples(withoutWords(text.replace(importing, ""))).replace(/examples: \[.*?\]/g, "")
  // Keys and fields of the same name are something else.
  return names.filter((name) => new RegExp(`(?<![.\\w])${name}\\b(?!\\??:)`).test(rest))
}

describe("an example", () => {
  it.each(files.filter((path) => [...source(path).matchAll(importing)].length > 0))(
    "decides nothing in %s",
    (path) => {
      assert.deepStrictEqual(misused(source(path)), [])
    }
  )

  it("is imported by name, so that its use is seen", () => {
    const other = files.filter((path) => /Examples\.ts"/.test(source(path).replace(importing, "")))
    assert.deepStrictEqual(other, [])
  })

  it.each([
    [`import { a } from "./XExamples.ts"\nconst b = S.pipe(withExample({ x: f(a) }))`, []],
    [`import { a, c as d } from "./XExamples.ts"\nconst b = [a.x]\nwithExample(d)`, ["a"]],
    [`import { c as d } from "./XExamples.ts"\nwithExample(d)\nexport const e = new Set(d.y)`, ["d"]],
    [`import { a } from "./XExamples.ts"\n// a\nS.pipe({ a: "a", b: x.a }, withExample(a))`, []]
  ])("is found in %j where it decides something", (text, expected) => {
    assert.deepStrictEqual(misused(text), expected)
  })
})
