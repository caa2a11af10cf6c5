/** What administrators are told of failures of the service, and which of them are one. Pure. */
import { Cause, Predicate } from "effect"
import { CarriedProblem } from "../shared/Problem.ts"

/** Characters of a text. */
const textMax = 1000

/** The innermost cause: where a statement failed, what PostgreSQL says. */
const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error)

// PostgreSQL quotes values in messages of this class, "data exception", and nowhere else in their first line.
const quotesValues = (error: Error) => Predicate.hasProperty(error, "code") && /^22/.test(String(error.code))

const errorLine = (error: Error) =>
  quotesValues(error) ? "PostgreSQL refused a value" : `${error.name}: ${error.message}`

export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return "A value that is not an error"
  const root = rootOf(error)
  const text = root === error ? errorLine(error) : `${error.name}: ${errorLine(root)}`
  return text.replaceAll("\0", "").slice(0, textMax)
}

/** How something failed: its cause, or a sentence that says so. */
export type Failure = Cause.Cause<unknown> | string

/** Characters of what an entry says. */
export const messageMax = 500
export const whereMax = 100

/** Entries of one hour. What fails in yet another way then is counted in one more. */
export const causesMax = 100

const hidden = "…"

/**
 * What may be secret or personal in a message, and what is left of it. Patterns that begin with any number of characters
 * begin where such characters begin, so that a long word is not searched again from each of its letters.
 */
const secrets: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  [/(?<![a-z\d+.-])([a-z][a-z\d+.-]*:\/\/)[^\s/@"'<>]*@/gi, `$1${hidden}@`],
  [/(?<![a-z\d+.-])([a-z][a-z\d+.-]*:\/\/[^\s"'<>?#]*)[?#][^\s"'<>]*/gi, `$1?${hidden}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${hidden}`],
  [
    /(?<![\w-])([\w-]*(?:passw(?:or)?d|secret|token|authorization|cookie|api[_-]?key))(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi,
    `$1$2${hidden}`
  ],
  [/\b(?:fpk|fbk|fiat|foc|fos|sdprt)_[\w-]+/g, hidden],
  [/(?<![\p{L}\p{N}.+%_-])[\p{L}\p{N}.+%_-]+@[\p{L}\p{N}.-]+/gu, hidden],
  [/\b[\da-f]{32,}\b/gi, hidden],
  // Random bytes in base 64: letters of both cases and digits, too long for a word.
  [/(?<![\w+/=-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[\w+/=-]{24,}/g, hidden],
  [/(?<=[\s([=:,])'[^'\n]*'/g, `'${hidden}'`],
  [/`[^`\n]*`/g, `\`${hidden}\``]
]

// What PostgreSQL puts between quotation marks after these words are names.
const quoted =
  /(\b(?:constraint|relation|column|table|index|function|type|role|database|schema|trigger) )?"[^"]*"/gi

const withoutQuotations = (text: string) =>
  text.replace(quoted, (all, named?: string) => (named === undefined ? `"${hidden}"` : all))

// A message is cut before it is searched, so that a long one takes no longer.
const readMax = 4 * messageMax

const oneLine = (text: string) => text.replace(/[\p{Cc}\p{DI}\s]+/gu, " ").trim()

const atMost = (text: string, characters: number) => {
  const all = Array.from(text)
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}${hidden}`
}

/** The text as one line of limited length, without what may be secret or personal. */
export const redacted = (text: string): string => {
  const line = oneLine(text.slice(0, readMax).toWellFormed())
  const open = secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), line)
  return atMost(withoutQuotations(open), messageMax)
}

const textOf = (failure: Failure) =>
  typeof failure === "string" ? failure : errorText(Cause.squash(failure))

/** What an entry says of a failure. */
export const messageOf = (what: string, failure: Failure): string => redacted(`${what}: ${textOf(failure)}`)

/** The place of a failure as entries name it. */
export const placeOf = (where: string): string => atMost(oneLine(where.toWellFormed()), whereMax)

/**
 * What two failures have in common that are one: where they happened, and what they say, except for numbers and ids,
 * which differ from one time to the next.
 */
export const causeOf = (where: string, message: string): string =>
  `${where}: ${message.replace(/\b[\da-v]{20}\b/g, "#").replace(/\d+/g, "#")}`

/** Whether a failure is that the database does not answer, or that the service stops: there is nothing to be repaired in the service. */
export const isPassing = (failure: Failure): boolean =>
  typeof failure !== "string" &&
  (Cause.hasInterruptsOnly(failure) || Cause.squash(failure) instanceof CarriedProblem)
