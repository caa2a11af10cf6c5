/**
 * The text that clients send: what of it is stored, and how much. Every string of a request has
 * one of these fields. Lengths are numbers of characters (code points), after the changes made here.
 */
import { Schema, SchemaGetter } from "effect"
import { withFewMarks } from "./TextPieces.ts"

/** Whether a text can be stored: PostgreSQL takes no NUL characters, encodings of Unicode no unpaired surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const highSurrogate = /[\ud800-\udbff]/

/** How many pairs of surrogates a text has, each of which is one character. */
const pairsIn = (text: string): number => {
  const first = text.search(highSurrogate)
  if (first === -1) return 0
  let pairs = 0
  // An array of the characters of a long text would be garbage of many megabytes.
  for (let index = first; index < text.length; index++) {
    if ((text.codePointAt(index) ?? 0) <= 0xffff) continue
    pairs++
    index++
  }
  return pairs
}

/** Whether a text has this many characters at most. */
export const hasAtMost = (text: string, characters: number): boolean =>
  text.length <= characters || (text.length <= 2 * characters && text.length - pairsIn(text) <= characters)

const printable = /^[\x20-\x7e]*$/
const printableLines = /^[\x20-\x7e\n\t]*$/

// Scripts whose letters join or stack, which invisible characters between them may change.
const joining = ["Arab", "Syrc", "Mong", "Nkoo", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu"]
  .concat(["Knda", "Mlym", "Sinh", "Mymr", "Khmr", "Tibt"])
  .map((script) => `\\p{scx=${script}}`)
  .join("")

/** Invisible characters that change how the character before them looks, or whether it joins the next one. */
const shaping = [
  // The flags of regions: a black flag and the name of the region in tag characters.
  "\\u{1F3F4}[\\u{E0020}-\\u{E007E}]{1,6}\\u{E007F}",
  "(?<=[^\\p{Cc}\\p{DI}\\p{Z}\\uFFF9-\\uFFFB])\\p{VS}",
  "(?<=\\p{Extended_Pictographic}[\\p{EMod}\\uFE0F]?)\\u200D(?=\\p{Extended_Pictographic})",
  `(?<=(?!\\p{DI})[${joining}]\\p{VS}?)[\\u200C\\u200D\\u180E]`
].join("|")

// Control characters, default-ignorable ones, among them those that change the direction of text, and annotations.
const invisible = "[\\p{Cc}\\p{DI}\\uFFF9-\\uFFFB]"

const shapingOrInvisible = new RegExp(`(${shaping})|${invisible}`, "gu")
const visible = /[^\p{Cc}\p{DI}\p{White_Space}\u2800\uFFF9-\uFFFB]/u

/** Whether anything of a text can be seen. */
export const isVisible = (text: string): boolean => visible.test(text)

/** The text in Unicode's normal form C. */
const normalised = (text: string): string => withFewMarks(text).normalize("NFC")

/** The text as one line: white space inside it becomes spaces, and what nobody sees is removed, unless it shapes letters or emoji. */
export const toLine = (text: string): string => {
  if (printable.test(text)) return text.trim()
  const line = text.replace(/[\t\n\v\f\r\x85\u2028\u2029]+/g, " ").replace(shapingOrInvisible, "$1")
  return normalised(line).trim()
}

/** The text with line feeds as ends of lines, and without control characters but these and tabs. */
export const toLines = (text: string): string => {
  if (printableLines.test(text)) return text
  return normalised(text.replace(/\r\n?|[\v\f\x85]/g, "\n").replace(/[^\P{Cc}\n\t]/gu, ""))
}

/** The text as it is compared with what is stored. Nothing is removed from it. */
export const toTerm = (text: string): string => (printable.test(text) ? text : normalised(text))

interface Description {
  readonly description: string
  readonly examples?: readonly [string, ...ReadonlyArray<string>]
  readonly format?: string
}

interface Bounds extends Description {
  /** The characters that the text has at most. */
  readonly max: number
  /** What the description of the API says of a check that follows: as much of it as a pattern can say. */
  readonly pattern?: string
}

const storable = Schema.makeFilter(isStorable, {
  expected: "text without NUL characters and unpaired surrogates",
  toJsonSchema: () => [{}, true]
})

const atMost = (max: number, counted = max) =>
  Schema.makeFilter<string>((text) => hasAtMost(text, counted), {
    expected: `at most ${max.toLocaleString("en")} characters`,
    toJsonSchema: () => [{ maxLength: max }, true]
  })

const notBlank = Schema.makeFilter(isVisible, {
  expected: "text that is not blank",
  toJsonSchema: () => [{}, true]
})

const noneOrVisible = Schema.makeFilter((text: string) => text === "" || isVisible(text), {
  expected: "text of which something can be seen, or none",
  toJsonSchema: () => [{}, true]
})

/** Tells clients what will be checked once the text has been changed. */
const told = (rule: { readonly minLength?: number; readonly pattern?: string }) =>
  Schema.makeFilter<string>(() => true, { toJsonSchema: () => [rule, true] })

// Patterns know no invisible characters in every language; what is refused beside white space is rare.
const atLeastOne = told({ minLength: 1, pattern: "\\S" })

const changedBy = (change: (text: string) => string) => ({
  decode: SchemaGetter.transform(change),
  encode: SchemaGetter.passthrough<string>()
})

const stored = Schema.String.check(storable)

const bounded = ({ max, pattern, ...description }: Bounds, counted: number) => {
  const text = stored.check(atMost(max, counted))
  return (pattern === undefined ? text : text.check(told({ pattern }))).annotate(description)
}

/** What is sent may be longer than what is stored, but not by so much that changing it takes long. */
const sent = (bounds: Bounds) => bounded(bounds, 4 * bounds.max)

/** One line: a name or a title. It may be blank. */
export const line = (bounds: Bounds) =>
  sent(bounds).pipe(Schema.decodeTo(Schema.String.check(atMost(bounds.max)), changedBy(toLine)))

/** One line in which something can be seen. */
export const visibleLine = ({ max, ...description }: Omit<Bounds, "pattern">) =>
  stored
    .check(atMost(max, 4 * max), atLeastOne)
    .annotate(description)
    .pipe(Schema.decodeTo(Schema.String.check(atMost(max), notBlank), changedBy(toLine)))

/** One line in which something can be seen, or an empty text. */
export const visibleLineOrNone = (bounds: Bounds) =>
  sent(bounds).pipe(
    Schema.decodeTo(Schema.String.check(atMost(bounds.max), noneOrVisible), changedBy(toLine))
  )

/** Any number of lines, plain or with markup. */
export const lines = (bounds: Bounds) =>
  sent(bounds).pipe(Schema.decodeTo(Schema.String.check(atMost(bounds.max)), changedBy(toLines)))

/** Any number of lines in which something can be seen, without white space around them. */
export const visibleLines = ({ max, ...description }: Omit<Bounds, "pattern">) =>
  stored
    .check(atMost(max, 4 * max), atLeastOne)
    .annotate(description)
    .pipe(
      Schema.decodeTo(
        Schema.String.check(atMost(max), notBlank),
        changedBy((text) => toLines(text).trim())
      )
    )

/** What is looked for: a handle, a slug, words. Nothing is removed from it. */
export const term = (bounds: Bounds) =>
  sent(bounds).pipe(Schema.decodeTo(Schema.String.check(atMost(bounds.max)), changedBy(toTerm)))

/** Text that is another one if it is changed in any way: a password, an address. */
export const verbatim = (bounds: Bounds) => bounded(bounds, bounds.max)

// The address and the headers of a request have 16 KiB together.
const addressLength = 16 * 1024

/** A part of a path that names something. What names nothing is not found, however long it is. */
export const mark = (description: Description) => term({ max: addressLength, ...description })

// HTML of which little is text; JSON bodies have 1 MiB.
const markupLength = 1_000_000

/** HTML or plain text, to be sanitised. */
export const markup = (description: Description) => lines({ max: markupLength, ...description })
