import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  DatagraphMatchResult,
  DatagraphSearchResult,
  MatchTerm,
  resultsMax,
  SearchTerm
} from "../../domain/search/Search.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/text/TextProblem.ts"
import { DatagraphItemKind } from "../../domain/vocabulary/Kinds.ts"
import { anyone } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

const kind = Schema.optionalKey(
  Schema.Array(DatagraphItemKind).check(Schema.isMaxLength(10)).annotate({
    description:
      "What to search: `thread`, `reply`, `node` (library pages), or `post`, which is threads and replies. Other kinds are not found."
  })
)

export class SearchApi extends HttpApiGroup.make("datagraph")
  .add(
    HttpApiEndpoint.get("search", "/", {
      query: {
        ...pagedQuery,
        q: Schema.optionalKey(SearchTerm),
        kind,
        authors: Schema.optionalKey(
          Schema.Array(Text.term({ max: 255, description: "The handle or the id of an account" }))
            .check(Schema.isMaxLength(100))
            .annotate({ description: "Handles or ids: what any of them wrote, and pages that they own" })
        ),
        categories: Schema.optionalKey(
          Schema.Array(Text.term({ max: 255, description: "The id or the slug of a category" }))
            .check(Schema.isMaxLength(100))
            .annotate({
              description:
                "Ids or slugs: what is in any of them; replies are where their threads are, and pages have no category and are not narrowed"
            })
        ),
        tags: Schema.optionalKey(
          Schema.Array(Text.term({ max: 255, description: "The name of a tag" }))
            .check(Schema.isMaxLength(100))
            .annotate({ description: "Tag names: what has all of them; replies have those of their threads" })
        )
      },
      success: DatagraphSearchResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "DatagraphSearch",
        cost: "heavy",
        summary: "Search everything",
        description: `Published content, 50 on a page, for every caller alike. With \`q\`, titles that contain it come first (those that are \`q\`, then those that begin with it), then texts that contain it more often, then the newest; without \`q\` the newest come first. At most ${resultsMax.toLocaleString("en")} results are counted and shown; of more, the newest. In a walk by cursors, what is edited so that it ranks otherwise is where it is by then. A search may take ${searchSeconds} seconds.`,
        access: anyone,
        tools: [
          { name: "content_search" },
          { name: "thread_search", title: "Search threads", fixed: { kind: "thread" } },
          { name: "reply_search", title: "Search replies", fixed: { kind: "reply" } },
          { name: "post_search", title: "Search threads and replies", fixed: { kind: "post" } },
          { name: "library_search_pages", title: "Search the library", fixed: { kind: "node" } }
        ]
      })
    ),
    HttpApiEndpoint.get("matches", "/matches", {
      query: { q: MatchTerm, kind },
      success: DatagraphMatchResult
    }).pipe(
      operation({
        id: "DatagraphMatches",
        cost: "long",
        summary: "Suggest titles while somebody types",
        description:
          "Published threads and library pages whose titles have words that begin with the words of `q`: those with most of them first, then those in which more of them are whole words, then titles that begin with all of `q`, then the newest.",
        access: anyone
      })
    )
  )
  .prefix("/datagraph")
  .annotateMerge(OpenApi.annotations({ title: "datagraph", description: "Searching everything" })) {}
