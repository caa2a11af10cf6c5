import { Effect, Schema } from "effect"
import { Asset } from "../asset/Asset.ts"
import { onePage, withExample } from "../field/Example.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { LinkId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { type LinkAddress, linkLengthMax, linkRules, readLinkAddress } from "../text/LinkAddress.ts"
import { editorPage } from "./LinkExamples.ts"
import { linkTextMax } from "./LinkText.ts"

/** A web page that content links to. */
export const LinkReference = Schema.Struct({
  id: LinkId,
  ...resourceFields,
  url: Schema.String.annotate({
    description: "The address as the URL standard writes it, without its fragment; no two links have the same"
  }),
  slug: Schema.String.annotate({
    description: "The name of the link in addresses, with its id at the end where another link has the name"
  }),
  domain: Schema.String.annotate({ description: "The host of the address" }),
  title: Schema.String.annotate({ description: "Empty until its page has been read, or if it has none" }),
  description: Schema.String.annotate({
    description: "Empty until its page has been read, or if it has none"
  }),
  favicon_image: Schema.optionalKey(Asset).annotateKey({
    description: "A copy of the icon of the page, once it has been made"
  }),
  primary_image: Schema.optionalKey(Asset).annotateKey({
    description: "A copy of the picture that the page has for previews, once it has been made"
  })
})
  .annotate({
    identifier: "LinkReference",
    description: "A web page that content links to"
  })
  .pipe(withExample(editorPage))
export interface LinkReference extends Schema.Schema.Type<typeof LinkReference> {}

export const LinkListResult = Schema.Struct({ ...PageFields, links: Schema.Array(LinkReference) })
  .annotate({ identifier: "LinkListResult", description: "A page of links, newest first" })
  .pipe(withExample({ ...onePage, links: [editorPage] }))
export interface LinkListResult extends Schema.Schema.Type<typeof LinkListResult> {}

export const NewLink = Schema.Struct({
  url: Text.verbatim({
    max: linkLengthMax,
    description: "The http or https address of a web page; its fragment does not count"
  }),
  title: Schema.optionalKey(
    Text.line({ max: linkTextMax.title, description: "Instead of the title that the page has" })
  ),
  description: Schema.optionalKey(
    Text.lines({ max: linkTextMax.description, description: "Instead of the description that the page has" })
  )
})
  .annotate({ identifier: "LinkInitialProps", description: "A web page, and what to say of it" })
  .pipe(withExample({ url: editorPage.url, title: editorPage.title }))
export interface NewLink extends Schema.Schema.Type<typeof NewLink> {}

/** The rule that a text breaks which is not the address of a link. */
const Rule = Schema.Literals(linkRules)

export class LinkInvalid extends Problem<LinkInvalid>()("LinkInvalid", {
  status: 400,
  title: "This is not a web address",
  explanation: `A link is an absolute address (\`address\`) with http or https (\`scheme\`), without a name or password (\`credentials\`), and of at most ${linkLengthMax.toLocaleString("en")} characters once percent-encoded (\`length\`).`,
  metadata: { field: Schema.String, url: Schema.String, rule: Rule }
}) {}

/** Reads the address of a link in a field of a request. */
export const checkAddress = (field: string, url: string): Effect.Effect<LinkAddress, LinkInvalid> => {
  const address = readLinkAddress(url)
  return typeof address === "string"
    ? Effect.fail(new LinkInvalid({ metadata: { field, url, rule: address } }))
    : Effect.succeed(address)
}

/** Reads the address in a field that may be empty: null says that there shall be none. Absent, nothing is said. */
export const checkOptionalAddress = (
  field: string,
  url: string | null | undefined
): Effect.Effect<LinkAddress | null | undefined, LinkInvalid> => {
  if (url === undefined) return Effect.undefined
  return url === null || url.trim() === "" ? Effect.succeed(null) : checkAddress(field, url)
}

export class LinkNotFound extends Problem<LinkNotFound>()("LinkNotFound", {
  status: 404,
  title: "There is no such link",
  explanation:
    "No link that the caller may see has this slug. A link keeps its slug while it is public; letter case does not matter.",
  metadata: { link_slug: Schema.String }
}) {}
