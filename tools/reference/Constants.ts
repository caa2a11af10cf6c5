/**
 * The bounds that are constants of the program: their values and what they are, from where they are declared. A bound is
 * a constant at the top of a file whose name says so (`…Max`, `…Limits`, `kept…` and the like) and which a docstring
 * describes, as numbers, times, or objects of these.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Duration } from "effect"

export interface Constant {
  /** The file, from the root of the repository. */
  readonly file: string
  readonly name: string
  readonly text: string
  readonly value: string
}

const root = join(import.meta.dirname, "../..")

const endings = [
  ["Max", "Min", "Most", "Least", "Limit", "Limits", "Bounds", "Length", "Room", "Costs"],
  [
    "Days",
    "Hours",
    "Minutes",
    "Seconds",
    "Lifetime",
    "For",
    "Every",
    "Time",
    "Within",
    "PerDay",
    "PerSecond"
  ],
  ["AtOnce", "Kept", "OnPage", "Shown", "Participants"]
].flat()

const beginnings = [
  ["max", "min", "kept", "keep", "longest", "shortest", "fewest", "largest", "usual", "maxima", "lifetime"],
  [
    "limit",
    "limits",
    "bounds",
    "lanes",
    "patience",
    "pace",
    "room",
    "parallel",
    "pageSize",
    "fetched",
    "within"
  ],
  [
    "atOnce",
    "deadline",
    "waiting",
    "retirement",
    "retries",
    "digits",
    "period",
    "present",
    "recently",
    "fewPages"
  ]
].flat()

const isBound = new RegExp(`(?:${endings.join("|")})$|^(?:${beginnings.join("|")})`)

const declaration = /^(?:export )?const (\w+)(?:: [^=]+)? = /

/** What stands before the constant: the docstring of its paragraph. */
const docstringAbove = (lines: ReadonlyArray<string>, place: number): string | undefined => {
  let end = place - 1
  while (end >= 0 && declaration.test(lines[end] ?? "")) end--
  if (!/\*\/$/.test(lines[end] ?? "")) return undefined
  let begin = end
  while (begin >= 0 && !/^\/\*\*/.test(lines[begin] ?? "")) begin--
  const text = lines.slice(begin, end + 1).join(" ")
  return text
    .replace(/\/\*\*|\*\//g, "")
    .replace(/ +\* +/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}

/** The text of an expression that begins in a line: to the end of the line, or to the bracket that closes it. */
const expressionAt = (lines: ReadonlyArray<string>, place: number, begin: string): string => {
  const taken: Array<string> = [begin]
  const depth = () => {
    const text = taken.join("\n")
    return (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0)
  }
  for (let next = place + 1; depth() > 0 && next < lines.length; next++) taken.push(lines[next] ?? "")
  return taken
    .join("\n")
    .replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "")
    .replace(/ as const\b| satisfies [\w<>[\] ]+$/g, "")
}

type Known = ReadonlyMap<string, unknown>

/** The value of an expression of numbers, times and constants; undefined where it needs more. */
const valueOf = (expression: string, known: Known): unknown => {
  try {
    const run = new Function("Duration", ...known.keys(), `"use strict"; return (${expression})`)
    const value: unknown = run(Duration, ...known.values())
    return value
  } catch {
    return undefined
  }
}

const units: ReadonlyArray<readonly [number, string]> = [
  [1024 ** 3, "GiB"],
  [1024 ** 2, "MiB"],
  [1024, "KiB"]
]

/** A number, as bytes or characters where it is one of these. */
const numberText = (value: number, isSize: boolean): string => {
  const unit = isSize ? units.find(([size]) => value >= size && value % size === 0) : undefined
  return unit === undefined ? value.toLocaleString("en") : `${value / unit[0]} ${unit[1]}`
}

const timeForm = /^\d+(?: (?:millis|seconds?|minutes?|hours?|days?)|s)$/

const saysSize = /bytes|byte\b|characters|larger|body\b|markup|\bforms? |takes? in memory/i

/** A value as people read it, by what is said of it; undefined for what is no bound. */
export const textOf = (value: unknown, about: string): string | undefined => {
  if (typeof value === "number") return numberText(value, saysSize.test(about))
  if (typeof value === "string")
    return timeForm.test(value) ? value.replace("millis", "milliseconds") : undefined
  if (Duration.isDuration(value)) return Duration.format(value)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const parts = Object.entries(value).map(([name, part]) => [name, textOf(part, `${name} ${about}`)] as const)
  return parts.length === 0 || parts.some(([, part]) => part === undefined)
    ? undefined
    : parts.map(([name, part]) => `${name} ${/: |; /.test(part ?? "") ? `(${part})` : part}`).join("; ")
}

/** How expressions begin that may be numbers, times, names of them, or objects. */
const mayBeBound = /^(?:[\d(]|\{|"\d+ \w+"|Duration\.|Math\.|[a-z]\w*(?:$|[ .*+-]))(?!.*=>)/

const imports = /^import (?:type )?\{([^}]*)\} from "(\.[^"]+)"/gm

/** What a file imports of others of the program, by the names that it has here. */
const importedBy = (
  file: string,
  source: string
): ReadonlyArray<readonly [name: string, from: string, original: string]> =>
  [...source.matchAll(imports)].flatMap(([, names = "", path = ""]) =>
    names.split(",").map((entry) => {
      const [original = "", name = original] = entry
        .trim()
        .replace(/^type /, "")
        .split(" as ")
      return [name, join(file, "..", path), original] as const
    })
  )

/** Reads the constants of all files, each file after those whose constants it uses. */
const makeReader = () => {
  const read = new Map<string, Known>()
  const found: Array<Constant> = []

  const readFile = (file: string): Known => {
    const met = read.get(file)
    if (met !== undefined) return met
    const known = new Map<string, unknown>()
    read.set(file, known)
    const source = readFileSync(join(root, file), "utf8")
    const lines = source.split("\n")
    const used = importedBy(file, source)
    const scope = () => {
      const imported = used.flatMap(([name, from, original]): ReadonlyArray<readonly [string, unknown]> => {
        const value =
          from.startsWith("src/") && from.endsWith(".ts") ? readFile(from).get(original) : undefined
        return value === undefined ? [] : [[name, value]]
      })
      return new Map([...imported, ...known])
    }
    for (const [place, line] of lines.entries()) {
      const [whole = "", name = ""] = declaration.exec(line) ?? []
      if (name === "") continue
      const begin = line.slice(whole.length)
      if (!mayBeBound.test(begin)) continue
      const value = valueOf(expressionAt(lines, place, begin), scope())
      const described = docstringAbove(lines, place)
      const text = textOf(value, described ?? "")
      if (text === undefined) continue
      known.set(name, value)
      if (isBound.test(name) && described !== undefined)
        found.push({ file, name, text: described, value: text })
    }
    return known
  }

  return { readFile, found }
}

/** All bounds that are constants, by their files. */
export const constants = (): ReadonlyArray<Constant> => {
  const { found, readFile } = makeReader()
  for (const file of globSync("src/{domain,http,persistence,layers,operator}/**/*.ts", {
    cwd: root
  }).toSorted())
    readFile(file)
  return found.toSorted((one, other) => (`${one.file} ${one.name}` < `${other.file} ${other.name}` ? -1 : 1))
}
