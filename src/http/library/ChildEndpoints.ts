/** Lists of the children of a node. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { ChildSortQuery } from "../../domain/library/ChildSort.ts"
import { NodeListResult, NodeNotFound } from "../../domain/library/Node.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { readersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams } from "./NodeEndpointParts.ts"

export const listChildren = HttpApiEndpoint.get("listChildren", "/:node_slug/children", {
  params: nodeParams,
  query: {
    children_sort: Schema.optionalKey(ChildSortQuery),
    ...pagedQuery,
    q: Schema.optionalKey(
      Text.term({
        max: 255,
        description:
          "Text that the name contains. Letter case, accents and compatibility characters do not matter."
      })
    ),
    tags: Schema.optionalKey(
      Schema.Array(Text.term({ max: 255, description: "The name of a tag" }))
        .check(Schema.isMaxLength(100))
        .annotate({ description: "Tag names: pages with any of them" })
    )
  },
  success: NodeListResult,
  error: [NodeNotFound, SearchTookTooLong, CursorMismatch]
}).pipe(
  operation({
    id: "NodeListChildren",
    cost: "quick",
    heavyWith: ["q", "tags", "children_sort"],
    summary: "List the children of a page",
    description:
      "Those that the caller may see, in their order or sorted; 100 on a page, or fewer where they are large, so that an answer has about 2 MiB: all of them are whole, and `next_page` goes on with the next one. Their own children are left out. In a walk by cursors, a page that is moved among the others, or whose value that they are sorted by is changed, is where it is by then.",
    access: readersWith("READ_PUBLISHED_LIBRARY")
  })
)
