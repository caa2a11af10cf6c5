/** What search speaks of: what can be found, and what a search answers. */

import { Schema } from "effect"
import { DatagraphItem } from "../datagraph/DatagraphItem.ts"
import { onePage, withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Id } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { reply } from "../thread/ThreadExamples.ts"
import { match } from "./SearchExamples.ts"

/** Most results that a search shows and counts. */
export const resultsMax = 500

/** Results on a page. */
export const pageSize = 50

const termLength = 200

/** What a search of everything may be for. */
export const SearchTerm = Text.term({
  max: termLength,
  description:
    "Text that the title or the visible text of the body contains, or the name, the visible text of the content, the description or the value of a property of a library page. Letter case, accents and compatibility characters do not matter. Blank finds everything."
})

/** The beginnings of words, for suggestions. */
export const MatchTerm = Text.term({
  max: termLength,
  description:
    "The beginnings of words, separated by spaces; of more than eight the first eight count. Letter case, accents and compatibility characters do not matter."
})

/** A page of what was found. */
export const DatagraphSearchResult = Schema.Struct({ ...PageFields, items: Schema.Array(DatagraphItem) })
  .annotate({
    identifier: "DatagraphSearchResult",
    description:
      "A page of what was found. What was found is whole. A page has fewer results where they are large, so that an answer has about 2 MiB; `next_page` goes on with the next one."
  })
  .pipe(withExample({ ...onePage, items: [{ kind: "reply", ref: reply }] }))
export interface DatagraphSearchResult extends Schema.Schema.Type<typeof DatagraphSearchResult> {}

export const DatagraphMatch = Schema.Struct({
  id: Id,
  kind: Schema.Literals(["thread", "node"]).annotate({ description: "What it is" }),
  slug: Schema.String.annotate({ description: "The name in addresses" }),
  name: Schema.String.annotate({ description: "The title of the thread or the name of the page" }),
  description: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The beginning of the body as plain text, or the description of the page; absent if it is empty"
  })
}).annotate({ identifier: "DatagraphMatch", description: "A suggestion: what a title leads to" })
export interface DatagraphMatch extends Schema.Schema.Type<typeof DatagraphMatch> {}

export const DatagraphMatchResult = Schema.Struct({ items: Schema.Array(DatagraphMatch) })
  .annotate({ identifier: "DatagraphMatchResult", description: "Suggestions, best first; 20 at most" })
  .pipe(withExample({ items: [match] }))
export interface DatagraphMatchResult extends Schema.Schema.Type<typeof DatagraphMatchResult> {}
