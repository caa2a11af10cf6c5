import { Schema } from "effect"
import { Asset } from "../asset/Asset.ts"
import { DatagraphItem } from "../datagraph/DatagraphItem.ts"
import { withExample } from "../field/Example.ts"
import { NodeInPart } from "../library/Node.ts"
import { LinkReference } from "../link/Link.ts"
import { editorPage } from "../link/LinkExamples.ts"
import { PostReference } from "../thread/Post.ts"

/** The most threads, and the most nodes, that are shown with a link: the newest that are about it. */
export const usesMax = 50

/** A link with what is about it. */
export const Link = Schema.Struct({
  ...LinkReference.fields,
  assets: Schema.Array(Asset).annotate({ description: "The pictures of the page" }),
  posts: Schema.Array(PostReference).annotate({
    description: `The published threads that are about the page, for those who may read threads: the newest ${usesMax}, or fewer where their metadata and reactions take more than about 2 MiB`
  }),
  nodes: Schema.Array(NodeInPart).annotate({
    description: `The published library pages that are about the page: the newest ${usesMax}. They take about 2 MiB at most. Where not all fits, the last ones lack \`content\`, \`link\` and \`assets\` first; then \`properties\` and \`child_property_schema\`, \`tags\`, \`meta\`, \`description\`. What a page lacks has no key, and \`misc.omitted\` names it.`
  }),
  recomentations: Schema.Array(DatagraphItem).annotate({
    description: "Related content (the spelling is kept for existing clients)"
  })
})
  .annotate({ identifier: "Link", description: "A link with what is about it" })
  .pipe(withExample({ ...editorPage, assets: [], posts: [], nodes: [], recomentations: [] }))
export interface Link extends Schema.Schema.Type<typeof Link> {}
