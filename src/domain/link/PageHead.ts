/** What the head of an HTML page says of the page. */
import { Effect } from "effect"
import { Parser } from "htmlparser2"
import { hasAtMost, toLine } from "../field/Text.ts"
import { linkLengthMax } from "../text/LinkAddress.ts"
import { linkTextMax, type PagePictures, type PageText } from "./LinkText.ts"

// Elements that a head consists of. With any other, the body has begun.
const headElements = new Set("html head title meta link base script style noscript template".split(" "))

// Those that can be open inside each other, which the parser keeps in a list; far more than pages have.
const nesting = new Set(["html", "head", "noscript", "template"])
const nestingMax = 50

// The parser runs for about a millisecond on so many characters.
const slice = 16 * 1024

// What metas are read for.
const properties = new Set([
  "og:title",
  "title",
  "og:site_name",
  "og:url",
  "og:description",
  "description",
  "og:image",
  "og:image:url",
  "og:image:secure_url"
])

// Attributes, of metas and of links.
const read = new Set(["content", "href", "name", "property", "rel"])

/** Reads elements until the head has ended. */
const makeReader = () => {
  const metas = new Map<string, string>()
  let attributes = new Map<string, string>()
  let base: string | undefined
  let icon: string | undefined
  let title = ""
  let isInTitle = false
  let nested = 0
  let isDone = false

  // The first that has an address counts, whatever it is, and for what came before it too.
  const noteBase = () => {
    base ??= attributes.get("href")
  }

  const noteLink = () => {
    const href = attributes.get("href")?.trim() ?? ""
    const isIcon = /(?:^|\s)icon(?:\s|$)/i.test(attributes.get("rel")?.slice(0, 100) ?? "")
    if (isIcon && href !== "") icon ??= href
  }

  const noteMeta = () => {
    const property = (attributes.get("property") ?? attributes.get("name") ?? "").trim().toLowerCase()
    const content = attributes.get("content") ?? ""
    if (properties.has(property) && content.trim() !== "" && !metas.has(property)) {
      metas.set(property, content)
    }
  }

  const parser = new Parser({
    onopentagname: (element) => {
      if (isDone) return
      nested += nesting.has(element) ? 1 : 0
      isDone = !headElements.has(element) || nested > nestingMax
      attributes = new Map()
      isInTitle = element === "title" && title === ""
    },
    // Collected one by one: an object of all takes long to make where there are many.
    onattribute: (name, value) => {
      if (read.has(name) && !attributes.has(name)) attributes.set(name, value)
    },
    ontext: (text) => {
      if (isInTitle && !isDone && title.length < 4 * linkTextMax.title) title += text
    },
    onclosetag: (element) => {
      if (isDone) return
      if (element === "meta") noteMeta()
      if (element === "link") noteLink()
      if (element === "base") noteBase()
      isInTitle = false
      isDone = element === "head"
    }
  })

  return {
    /** Whether the head goes on. */
    read: (html: string): boolean => {
      parser.write(html)
      return !isDone
    },
    found: () => ({ base, icon, metas, title })
  }
}

/** The text on one line, with at most so many characters; longer ones end with an ellipsis, between words if possible. */
export const lineWithin = (text: string, characters: number): string => {
  // Four times as much is enough to be left with as many characters, unless most are invisible.
  const line = toLine(text.slice(0, 4 * characters).toWellFormed()).replace(/ {2,}/g, " ")
  if (hasAtMost(line, characters)) return line
  const cut = Array.from(line)
    .slice(0, characters - 1)
    .join("")
  const end = cut.lastIndexOf(" ")
  return `${(end > cut.length / 2 ? cut.slice(0, end) : cut).trimEnd()}…`
}

/** The first text that is not blank, on one line and cut to this many characters. */
const firstOf = (characters: number, texts: ReadonlyArray<string | undefined>): string =>
  texts.map((text) => lineWithin(text ?? "", characters)).find((text) => text !== "") ?? ""

/** An address in a page, if it can be one of the web. */
const addressIn = (text: string | undefined, base: string): string | undefined => {
  const url = text === undefined ? null : URL.parse(text.trim(), base)
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= linkLengthMax
    ? url.href
    : undefined
}

/** Reads a page, which is at this address, up to the end of its head, and lets others run in between. */
export const readHead = Effect.fnUntraced(function* (html: string, address: string) {
  const reader = makeReader()
  for (let start = 0; start < html.length; start += slice) {
    if (!reader.read(html.slice(start, start + slice))) break
    yield* Effect.yieldNow
  }
  const { base, icon, metas, title } = reader.found()
  const page: PageText = {
    title: firstOf(linkTextMax.title, [
      metas.get("og:title"),
      metas.get("title"),
      title,
      metas.get("og:site_name"),
      metas.get("og:url")
    ]),
    description: firstOf(linkTextMax.pageDescription, [metas.get("og:description"), metas.get("description")])
  }
  const image = metas.get("og:image") ?? metas.get("og:image:url") ?? metas.get("og:image:secure_url")
  // What relative addresses are relative to.
  const from = addressIn(base, address) ?? address
  const pictures: PagePictures = {
    favicon: addressIn(icon, from) ?? new URL("/favicon.ico", address).href,
    primaryImage: addressIn(image, from)
  }
  return { page, pictures }
})

// A page has to name its encoding within so many bytes.
const declaredWithin = 1024

const decoderOf = (label: string | undefined) => {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

/** Decodes a page as its content type says, or else as it says itself, or else as UTF-8. */
export const decodePage = (bytes: Uint8Array, contentType: string): string => {
  const [, stated] = /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(contentType) ?? []
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, declaredWithin))
  const [, declared] = /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(beginning) ?? []
  const hasMark = beginning.startsWith("\u00ef\u00bb\u00bf")
  const decoder = hasMark ? undefined : ((stated && decoderOf(stated)) ?? (declared && decoderOf(declared)))
  return (decoder || new TextDecoder()).decode(bytes)
}
