/** Reads markup of other programs as the service reads that of its clients. What it would refuse becomes plain text. Pure. */
import { empty, RichText } from "../../../domain/text/RichText.ts"
import type { Analysis } from "../../../domain/text/richtext/Analysis.ts"
import { maxima } from "../../../domain/text/richtext/Budget.ts"
import { readPlainMarkup } from "../../../domain/text/richtext/PlainMarkup.ts"
import { sanitise } from "../../../domain/text/richtext/Sanitise.ts"
import { cut, type Notes } from "./Repair.ts"

export interface Read {
  readonly document: RichText
  readonly analysis: Analysis
}

/** A text without tags. In one pass, whatever the markup is. */
const withoutTags = (html: string): string =>
  html
    .split("<")
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf(">") + 1)))
    .join(" ")

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => escapes[character] ?? character)

// The longest escape.
const growth = 5

const nothing = { plaintext: "", description: "", links: [], media: [], references: [] }

const readWithin = (html: string, most: number): Read | undefined => {
  if (html.length > maxima.size) return undefined
  const result = readPlainMarkup(html) ?? sanitise(html, maxima.steps)
  if ("exceeded" in result || result.document.length > most) return undefined
  return { document: RichText.make(result.document), analysis: result.analysis }
}

/** The sanitised document of a field, with `most` characters at most. */
export const readMarkup = (html: string, most: number, field: string, notes: Notes): Read => {
  const read = readWithin(html, most)
  if (read !== undefined) return read
  notes.repaired("markup_too_complex", field)
  const plain = escaped(cut(withoutTags(html), Math.floor((most - 100) / growth)))
  return readWithin(`<p>${plain}</p>`, most) ?? { document: empty, analysis: nothing }
}

/** A list of what was found; absent where nothing was. */
export const noneIfEmpty = <A>(list: ReadonlyArray<A> | undefined) => (list?.length === 0 ? undefined : list)
