/** The addresses of links. Threads that read texts load this too, so that it imports little. */

import { slugify } from "../shared/Slug.ts"
import { readableHost } from "./Punycode.ts"

/** Characters of an address, as the URL standard writes it. An index holds it. */
export const linkLengthMax = 2048

/** What a text can break that is not the address of a link. */
export const linkRules = ["address", "scheme", "credentials", "length"] as const
export type LinkRule = (typeof linkRules)[number]

/** What is known of a link before its page has been fetched. */
export interface LinkAddress {
  /** The identity of the link. */
  readonly url: string
  /** The name of the link in addresses, unless another link has the same one. */
  readonly slug: string
  readonly domain: string
}

const slugLength = 200

/** A path as people read it. Bytes that are no text stay percent-encoded. */
const readablePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The name of a link in addresses. It is for people: different links may have the same one. */
const slugOf = ({ hostname, pathname }: URL): string => {
  const path = slugify(`${readableHost(hostname.replace(/^www\./, ""))}-${readablePath(pathname)}`)
  // A host of punctuation alone leaves nothing.
  return slugify(Array.from(path).slice(0, slugLength).join("")) || "link"
}

/**
 * Reads an address, of which the fragment does not count; or answers the rule that it breaks. Credentials
 * are refused, not removed: without them the address is another one.
 */
export const readLinkAddress = (text: string): LinkAddress | LinkRule => {
  const url = URL.parse(text)
  if (url === null) return "address"
  if (url.protocol !== "http:" && url.protocol !== "https:") return "scheme"
  if (url.username !== "" || url.password !== "") return "credentials"
  url.hash = ""
  return url.href.length > linkLengthMax ? "length" : { url: url.href, slug: slugOf(url), domain: url.host }
}

/** The links at these addresses, each once, in their order; what is not the address of a link is left out. */
export const linkAddresses = (texts: Iterable<string>): ReadonlyArray<LinkAddress> => {
  const byUrl = new Map<string, LinkAddress>()
  for (const text of texts) {
    const read = readLinkAddress(text)
    if (typeof read !== "string" && !byUrl.has(read.url)) byUrl.set(read.url, read)
  }
  return [...byUrl.values()]
}
