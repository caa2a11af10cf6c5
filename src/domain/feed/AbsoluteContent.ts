/** Sanitised documents as others show them: somewhere else, so that every address in them has to be absolute. Pure. */
import type { WebPages } from "./WebPages.ts"

const decoded: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&nbsp;": "\u00a0"
}
const encoded = new Map(Object.entries(decoded).map(([reference, character]) => [character, reference]))

const decode = (value: string) =>
  value.replace(/&(?:amp|lt|gt|quot|nbsp);/g, (reference) => decoded[reference] ?? reference)

const encode = (value: string) =>
  value.replace(/[&<>"\u00a0]/g, (character) => encoded.get(character) ?? character)

const reference = /^sdr:([a-z]+)\/([0-9a-v]{20})$/

/** The web page of what a document refers to by `sdr:<kind>/<id>`; undefined if it has none. */
const pageOf = (url: string, pages: WebPages): string | undefined => {
  const [, kind, id = ""] = reference.exec(url) ?? []
  if (kind === "thread" || kind === "post") return pages.thread(id)
  if (kind === "node") return pages.node(id)
  if (kind === "profile") return pages.profile(id)
  return kind === "event" ? pages.event(id) : undefined
}

/** An address in a document that people read on a page; undefined if it leads nowhere. */
const absolute = (url: string, page: string, pages: WebPages): string | undefined => {
  if (url.startsWith("sdr:")) return pageOf(url, pages)
  if (/^\/api(?:\/|$)/.test(url)) return pages.file(url)
  return URL.canParse(url, page) ? new URL(url, page).href : undefined
}

// As sanitised documents are written: names in lower case, values in double quotes, which are references within. A `<`
// begins a tag wherever it does not stand in a value.
const tags = /<([a-z][a-z0-9]*)((?:\s[^\s=<>"]+(?:="[^"]*")?)+)>/g
const attributes = /\s([^\s=<>"]+)(?:="([^"]*)")?/g

const addresses: ReadonlySet<string> = new Set(["href", "src", "cite"])

/** What is in a document that people read on a page, with absolute addresses; one that leads nowhere is left out. */
export const absoluteContent = (document: string, page: string, pages: WebPages): string => {
  const attribute = (whole: string, name: string, value: string | undefined) => {
    if (value === undefined || !addresses.has(name)) return whole
    const url = absolute(decode(value), page, pages)
    return url === undefined ? "" : ` ${name}="${encode(url)}"`
  }
  return document
    .replace(/^<body>|<\/body>$/g, "")
    .replace(tags, (_, name: string, given: string) => `<${name}${given.replace(attributes, attribute)}>`)
}
