/** Operations that read nodes. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { ChildSortQuery } from "../../domain/library/ChildSort.ts"
import { listedMax } from "../../domain/library/LibraryLimits.ts"
import { NodeNotFound, NodeTreeResult, NodeWithChildren } from "../../domain/library/Node.ts"
import { NodeId } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { PageQuery } from "../../domain/shared/Page.ts"
import { Visibility } from "../../domain/shared/Visibility.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { SearchText } from "../../domain/thread/Thread.ts"
import { readersWith } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { operation } from "../contract/Operation.ts"
import { valueNeeded } from "../pipeline/QueryParameters.ts"
import { nodeParams } from "./NodeEndpointParts.ts"

const many = listedMax.toLocaleString("en")

/** Query parameter `depth`. */
const Depth = Text.verbatim({
  max: 20,
  description: "Levels below the top: a whole number, of which negative ones mean 0"
})
  .check(Schema.isPattern(/^[+-]?\d+$/u, { expected: "a whole number" }))
  .annotate(valueNeeded)

export const listNodes = HttpApiEndpoint.get("list", "/", {
  query: {
    ...pagedQuery,
    q: Schema.optionalKey(
      SearchText.annotate({
        description: "Text that the name contains. It narrows the list as `author` does."
      })
    ),
    node_id: Schema.optionalKey(
      NodeId.annotate({ description: "The id of the page at the top; all top-level pages if absent" })
    ),
    author: Schema.optionalKey(
      Text.term({ max: 255, description: "The handle of the owner: pages of others are left out" })
    ),
    visibility: Schema.optionalKey(
      Schema.Array(Visibility).check(Schema.isMaxLength(10)).annotate({
        description: "Which pages to list, of those that the caller may see; published ones if absent"
      })
    ),
    depth: Schema.optionalKey(Depth),
    format: Schema.optionalKey(
      Schema.Literals(["tree", "flat"]).annotate({
        description:
          "`tree`: pages within those that contain them, as long as all of these are listed. `flat`: each by itself, with its `parent`."
      })
    )
  },
  success: NodeTreeResult,
  error: [SearchTookTooLong, CursorMismatch]
}).pipe(
  operation({
    id: "NodeList",
    cost: "long",
    summary: "List the pages of the library",
    description: `As a tree, or flat. By level, then in the order of siblings. What pages with \`hide_child_tree\` contain is left out. A list has ${many} pages; a flat one goes on with \`page\` or \`cursor\`; in a walk by cursors, a page that is moved is where it is by then. An answer shows about 2 MiB of what pages say. Where not all fits, the last pages lack \`content\`, \`link\` and \`assets\` first; if that is not enough, pages lack \`properties\` and \`child_property_schema\`, then \`tags\`, then \`meta\`; and after 8 MiB of descriptions, \`description\`. What a page lacks has no key, and \`misc.omitted\` names it: send nothing back that you were not shown. The \`parent\` of each page in a flat list lacks all of these but \`description\`.`,
    access: readersWith("READ_PUBLISHED_LIBRARY"),
    tools: [{ name: "library_page_list" }]
  })
)

export const getNode = HttpApiEndpoint.get("get", "/:node_slug", {
  params: nodeParams,
  query: {
    children_sort: Schema.optionalKey(ChildSortQuery),
    page: Schema.optionalKey(
      PageQuery.annotate({
        description: "Which hundred of the sorted children; nothing without `children_sort`"
      })
    )
  },
  headers: conditionalHeaders,
  success: conditional(NodeWithChildren),
  error: [NodeNotFound, SearchTookTooLong]
}).pipe(
  operation({
    id: "NodeGet",
    cost: "quick",
    heavyWith: "children_sort",
    summary: "Read a page and the pages that it contains",
    description:
      "Children are in their order, the first 100 of those that the caller may see, or fewer if these would take more than about 2 MiB together with the page itself: the list of children has all of them. All are whole; only the `parent` of a very long page may lack fields, which its `misc.omitted` names.",
    access: readersWith("READ_PUBLISHED_LIBRARY"),
    tools: [
      { name: "library_page_get" },
      {
        name: "library_page_property_schema_get",
        title: "Read the property fields of a page",
        hint: "The fields that the page shares with its siblings, with its values, and those of its children.",
        fixed: { children_sort: undefined, page: undefined },
        shows: ["id", "slug", "name", "properties", "child_property_schema"]
      }
    ]
  })
)
