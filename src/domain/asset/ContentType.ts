/** What a file is, by its contents. Its name decides only between kinds of text that look alike. */
import { Effect } from "effect"

export const plainText = "text/plain; charset=utf-8"
const unknown = "application/octet-stream"
const svg = "image/svg+xml"

/** What is known of a file once its contents have been seen. */
export interface Seen {
  /** The first bytes of the file. */
  readonly head: Uint8Array
  readonly isText: boolean
  /** The extension of the file's name, in lower case, without the dot. */
  readonly extension: string
}

/** How many bytes of the beginning are looked at. Archives that are documents say so a little later than others. */
export const headLength = 16 * 1024

// What browsers refuse under the type of plain text, and what people open with a program of their own.
const typesByExtension: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["json", "application/json"],
  ["csv", "text/csv; charset=utf-8"],
  ["md", "text/markdown; charset=utf-8"]
])

/**
 * Formats that may consist of text. Any other format has bytes that no text has: text whose first letters happen
 * to be its signature ("BM", "MZ") is text.
 */
const textual = new Set([
  "application/eps",
  "application/pdf",
  "application/postscript",
  "application/rtf",
  "application/xml",
  "text/calendar",
  "text/vcard",
  "text/vtt"
])

// Too long to be there by chance: who begins a text with it wants it to be taken for an image.
const gifSignature = /^GIF8[79]a/

const isTextual = (type: string, head: Uint8Array) =>
  textual.has(type) ||
  (type === "image/gif" && gifSignature.test(String.fromCharCode(...head.subarray(0, 6))))

/** Where the markup goes on after what begins here, which may come before the first element. */
const endOfProlog = (markup: string, start: number): number | undefined => {
  const after = (end: string, from = start) => {
    const found = markup.indexOf(end, from)
    return found < 0 ? undefined : found + end.length
  }
  if (markup.startsWith("<?", start)) return after("?>")
  if (markup.startsWith("<!--", start)) return after("-->", start + 4)
  if (!/^<!doctype$/i.test(markup.slice(start, start + 9))) return undefined
  const close = markup.indexOf(">", start)
  const subset = markup.indexOf("[", start)
  if (subset < 0 || subset > close) return after(">")
  const subsetEnd = after("]", subset)
  return subsetEnd === undefined ? undefined : after(">", subsetEnd)
}

/** Whether the first element of the text is that of SVG. */
export const isSvg = (head: Uint8Array): boolean => {
  const markup = new TextDecoder().decode(head)
  for (let at: number | undefined = 0; at !== undefined; ) {
    while (/\s/.test(markup[at] ?? "")) at++
    if (/^<(?:svg|svg:svg)[\s/>]/.test(markup.slice(at, at + 9))) return true
    at = endOfProlog(markup, at)
  }
  return false
}

/** The type of a file that was recognised by a signature, or was not. */
export const decideContentType = ({ extension, head, isText }: Seen, recognised: string | undefined) => {
  if (!isText) return recognised ?? unknown
  if (isSvg(head)) return svg
  if (recognised !== undefined && isTextual(recognised, head)) return recognised
  return typesByExtension.get(extension) ?? plainText
}

/** A compressed file is not looked into: who made it decides for how long its contents can be read. */
const isGzip = ([first, second, method]: Uint8Array) => first === 0x1f && second === 0x8b && method === 8

// Loaded with the first file, as a start waits for each module, and this one has fifty.
const library = () => import("file-type")

/** The type of a file by its contents. */
export const contentTypeOf = (seen: Seen): Effect.Effect<string> => {
  if (isGzip(seen.head)) return Effect.succeed(decideContentType(seen, "application/gzip"))
  // What cannot be read by the rules of the format that it begins like is of no known type.
  return Effect.promise(library).pipe(
    Effect.flatMap(({ fileTypeFromBuffer }) => Effect.tryPromise(() => fileTypeFromBuffer(seen.head))),
    Effect.map((found) => decideContentType(seen, found?.mime)),
    Effect.catch(() => Effect.succeed(decideContentType(seen, undefined)))
  )
}
