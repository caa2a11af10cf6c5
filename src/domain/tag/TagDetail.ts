import { Schema } from "effect"
import { onePage, withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { NodeInPart } from "../library/Node.ts"
import { TagId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { ThreadInPart } from "../thread/Thread.ts"
import { TagReference } from "../vocabulary/Tag.ts"
import { editors, editorsWithItems } from "./TagExamples.ts"

/** How many threads a tag shows, and how many pages. */
export const itemsMax = 50

/** How many threads of a tag are looked at to find those that were active last. */
export const recentMax = 500

const TaggedThread = Schema.Struct({ kind: Schema.Literal("thread"), ref: ThreadInPart }).annotate({
  identifier: "TaggedThread",
  description: "A thread with a tag. Its replies are counted but not listed."
})

const TaggedNode = Schema.Struct({ kind: Schema.Literal("node"), ref: NodeInPart }).annotate({
  identifier: "TaggedNode",
  description: "A page of the library with a tag"
})

/** A tag with what carries it. */
export const Tag = Schema.Struct({
  id: TagId,
  ...TagReference.fields,
  items: Schema.Array(Schema.Union([TaggedThread, TaggedNode])).annotate({
    description: `Published threads with this tag that the caller may read, those that were active last first: ${itemsMax} of the newest ${recentMax}; then published library pages with it, the newest ${itemsMax}. \`GET /threads?tags=\` lists all threads. An answer has about 2 MiB at most. Where not all fits, the last ones lack \`body\` and \`body_links\`, or \`content\`, \`link\` and \`assets\`, first; then \`properties\` and \`child_property_schema\`, \`tags\` and \`reacts\`, \`meta\`, the \`description\` of pages. What an item lacks has no key, and \`misc.omitted\` names it.`
  })
})
  .annotate({ identifier: "Tag", description: "A tag with what carries it" })
  .pipe(withExample(editorsWithItems))
export interface Tag extends Schema.Schema.Type<typeof Tag> {}

export const TagListResult = Schema.Struct({ ...PageFields, tags: Schema.Array(TagReference) })
  .annotate({
    identifier: "TagListResult",
    description: "A page of tags, those of most content first"
  })
  .pipe(withExample({ ...onePage, tags: [editors] }))
export interface TagListResult extends Schema.Schema.Type<typeof TagListResult> {}

/** What can be searched for in names of tags. */
export const TagSearchText = Text.term({
  max: 100,
  description:
    "Text that the name contains. It is compared as names are stored: letter case does not matter, and hyphens stand for spaces and punctuation."
})

export class TagNotFound extends Problem<TagNotFound>()("TagNotFound", {
  status: 404,
  title: "There is no such tag",
  explanation: "Nothing was ever tagged with this name.",
  metadata: { tag_name: Schema.String }
}) {}
