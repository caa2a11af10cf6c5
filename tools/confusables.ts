/**
 * Writes `src/domain/account/confusables.ts` from `confusables.txt` of Unicode's security data
 * (https://www.unicode.org/Public/security/latest/confusables.txt):
 *
 *     node tools/confusables.ts confusables.txt
 *
 * Of it, handles need the letters and digits beyond ASCII that look like letters and digits of ASCII.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { foldCase } from "../src/domain/account/Handle.ts"

const characters = (codes = "") =>
  String.fromCodePoint(
    ...codes
      .trim()
      .split(" ")
      .map((code) => Number.parseInt(code, 16))
  )

const lookalikes = readFileSync(process.argv[2] ?? "confusables.txt", "utf8")
  .split("\n")
  .filter((line) => /^[0-9A-F]/.test(line))
  .map((line) => {
    const [from, to] = line.split(";")
    return [characters(from), characters(to)] as const
  })

// The only letter of ASCII that the data writes as others.
const asLetters = (text: string) => (text === "rn" ? "m" : text.toLowerCase())

const byLetters = new Map<string, string>()
for (const [from, to] of lookalikes) {
  // Those that case folding changes never get as far as the table.
  const counts = /^[^\0-\x7f]$/u.test(from) && /^[\p{L}\p{N}]$/u.test(from) && foldCase(from) === from
  if (!counts || !/^[0-9A-Za-z]+$/.test(to)) continue
  const letters = asLetters(to)
  byLetters.set(letters, (byLetters.get(letters) ?? "") + from)
}

const rows = [...byLetters]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([letters, from]) => {
    const sorted = Array.from(from).toSorted((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0))
    return `  ["${letters}", "${sorted.join("")}"]`
  })

writeFileSync(
  "src/domain/account/confusables.ts",
  `/**
 * Letters and digits of ASCII, each with those beyond ASCII that look like it: from \`confusables.txt\`
 * of Unicode Technical Standard 39, by \`tools/confusables.ts\`. © Unicode, Inc., Unicode License v3
 * (https://www.unicode.org/license.txt).
 */
export const confusables: ReadonlyArray<readonly [ascii: string, lookalikes: string]> = [
${rows.join(",\n")}
]
`
)
