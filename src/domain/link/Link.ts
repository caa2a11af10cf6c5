import { Schema } from "effect"
import { LinkId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields } from "../shared/Resource.ts"
import { slugify } from "../shared/Slug.ts"

/** A web page that content links to. */
export const LinkReference = Schema.Struct({
  id: LinkId,
  ...resourceFields,
  url: Schema.String.annotate({ description: "The address without its fragment" }),
  slug: Schema.String.annotate({ description: "The name of the link in addresses" }),
  domain: Schema.String.annotate({ description: "The host of the address" }),
  title: Schema.String.annotate({ description: "Empty until its page has been read" }),
  description: Schema.String.annotate({ description: "Empty until its page has been read" })
}).annotate({
  identifier: "LinkReference",
  description: "A web page that content links to"
})
export interface LinkReference extends Schema.Schema.Type<typeof LinkReference> {}

export class LinkInvalid extends Problem<LinkInvalid>()("LinkInvalid", {
  status: 400,
  title: "This is not a web address",
  explanation: "A link is an absolute http or https address.",
  metadata: { field: Schema.String, url: Schema.String }
}) {}

/** What is known of a link before its page has been fetched. */
export interface LinkAddress {
  readonly url: string
  readonly slug: string
  readonly domain: string
}

// Short enough for a unique index; addresses may be of any length.
const slugLength = 250

/**
 * Reads an http or https address; its fragment does not count. A host of
 * punctuation alone would leave the link without an address here, so it is none.
 */
export const linkAddress = (text: string): LinkAddress | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
  const written = text.replace(/#.*$/su, "").trim()
  const path = slugify(`${url.hostname.replace(/^www\./, "")}-${url.pathname}`)
  const slug = slugify(path.slice(0, slugLength))
  return slug === "" ? undefined : { url: written, slug, domain: url.host }
}
