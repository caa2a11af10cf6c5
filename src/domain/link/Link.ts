import { Schema } from "effect"
import { LinkId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields } from "../shared/Resource.ts"
import { linkLengthMax, linkRules } from "./LinkAddress.ts"

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
  title: Schema.String.annotate({ description: "Empty until its page has been read" }),
  description: Schema.String.annotate({ description: "Empty until its page has been read" })
}).annotate({
  identifier: "LinkReference",
  description: "A web page that content links to"
})
export interface LinkReference extends Schema.Schema.Type<typeof LinkReference> {}

/** The rule that a text breaks which is not the address of a link. */
const Rule = Schema.Literals(linkRules)

export class LinkInvalid extends Problem<LinkInvalid>()("LinkInvalid", {
  status: 400,
  title: "This is not a web address",
  explanation: `A link is an absolute address (\`address\`) with http or https (\`scheme\`), without a name or password (\`credentials\`), and of at most ${linkLengthMax.toLocaleString("en")} characters once percent-encoded (\`length\`).`,
  metadata: { field: Schema.String, url: Schema.String, rule: Rule }
}) {}
