/** Pages for people, made of tables and lists. Pure. */

/** The first line of every page that is made. */
export const made =
  "<!-- Made by `npm run reference` from what the program declares: change that, not this page. -->"

/** Text as it stands in a cell of a table. */
export const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replace(/\s*\n\s*/g, " ")
    .trim()

export const code = (text: string): string => `\`${text}\``

export const table = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => [
  `| ${headings.join(" | ")} |`,
  `|${headings.map(() => "---|").join("")}`,
  ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`)
]

/** The place in a page that a heading makes. */
export const placeOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

/** A place in a page that a row makes, and a link to it from another page. */
export const mark = (name: string): string => `<a id="${name.toLowerCase()}"></a>${code(name)}`
export const linkTo = (page: string, name: string): string => `[${code(name)}](${page}#${name.toLowerCase()})`

/** Lines with an empty one between each two parts. */
export const parts = (...all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  all.filter((part) => part.length > 0).flatMap((part, n) => (n === 0 ? part : ["", ...part]))

export const page = (title: string, ...all: ReadonlyArray<ReadonlyArray<string>>): string =>
  `${parts([made], [`# ${title}`], ...all).join("\n")}\n`

export const byName =
  <A>(nameOf: (item: A) => string) =>
  (one: A, other: A): number => {
    const [name, otherName] = [nameOf(one), nameOf(other)]
    if (name === otherName) return 0
    return name < otherName ? -1 : 1
  }
