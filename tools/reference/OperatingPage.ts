/** What docs/operating.md says of each setting. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface DescribedSetting {
  readonly name: string
  /** The default as operators read it, such as `8000` in quotes, or words. */
  readonly usual: string
  readonly meaning: string
  /** What the settings beside it are about: the sentence before their table. */
  readonly about: string
}

const file = join(import.meta.dirname, "../../docs/operating.md")

const row = /^\| (`[A-Z0-9_]+`(?:, `[A-Z0-9_]+`)*) \| ((?:[^|]|\\\|)*) \| (.*) \|$/

const unescaped = (text: string) => text.replaceAll("\\|", "|").trim()

/** Links of a page in `docs`, as they lead there from a page in a folder of it. */
const fromReference = (text: string): string =>
  text
    .replace(/\]\((#[^)]*)\)/g, "](../operating.md$1)")
    .replace(/\]\((?!\.\.|https?:)([^)]+)\)/g, "](../$1)")

/** All settings, in the order of the page. */
export const describedSettings = (): ReadonlyArray<DescribedSetting> => {
  const [, section = ""] = /\n## Settings\n([\s\S]*?)\n## /.exec(readFileSync(file, "utf8")) ?? []
  return section.split(/\n\| Variable \|[^\n]*\n\|[-|]+\n/).flatMap((part, n, all) => {
    const lines = (all[n - 1] ?? "").trimEnd().split("\n\n").at(-1) ?? ""
    if (n === 0) return []
    const about = fromReference(lines.replace(/\s+/g, " ").replace(/:$/, ""))
    return part.split("\n").flatMap((line) => {
      const [, names = "", usual = "", meaning = ""] = row.exec(line) ?? []
      return names
        .replaceAll("`", "")
        .split(", ")
        .filter((name) => name !== "")
        .map((name) => ({ name, usual: unescaped(usual), meaning: fromReference(unescaped(meaning)), about }))
    })
  })
}
