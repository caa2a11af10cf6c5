import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { DatagraphItemKind, DatagraphMatchResult, MatchTerm } from "../../domain/search/Search.ts"
import { anyone } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"

const kind = Schema.optionalKey(
  Schema.Array(DatagraphItemKind).check(Schema.isMaxLength(10)).annotate({
    description: "What to search; `post` is threads and replies. Other kinds are not found yet."
  })
)

export class SearchApi extends HttpApiGroup.make("datagraph")
  .add(
    HttpApiEndpoint.get("matches", "/matches", {
      query: { q: MatchTerm, kind },
      success: DatagraphMatchResult
    }).pipe(
      operation({
        id: "DatagraphMatches",
        cost: "quick",
        summary: "Suggest titles while somebody types",
        description:
          "Published threads whose titles have words that begin with the words of `q`: those with most of them first, then those in which more of them are whole words, then titles that begin with all of `q`, then the newest.",
        access: anyone
      })
    )
  )
  .prefix("/datagraph")
  .annotateMerge(OpenApi.annotations({ title: "datagraph", description: "Searching everything" })) {}
