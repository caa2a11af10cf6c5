/** What a language model could suggest for a node. This service has none. */
import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Problem } from "../shared/Problem.ts"
import { NodeContent } from "./Node.ts"
import { contentToImprove, newNode } from "./NodeExamples.ts"

const request = { content: NodeContent }

export const TitleRequest = Schema.Struct(request)
  .annotate({ identifier: "NodeGenerateTitleRequest", description: "What to find a title for" })
  .pipe(withExample(contentToImprove))
export const TagsRequest = Schema.Struct(request)
  .annotate({ identifier: "NodeGenerateTagsRequest", description: "What to find tags for" })
  .pipe(withExample(contentToImprove))
export const ContentRequest = Schema.Struct(request)
  .annotate({ identifier: "NodeGenerateContentRequest", description: "What to improve" })
  .pipe(withExample(contentToImprove))

export const TitleSuggestion = Schema.Struct({ title: Schema.String })
  .annotate({ identifier: "NodeGenerateTitleResult", description: "A title" })
  .pipe(withExample({ title: newNode.name }))
export const TagSuggestions = Schema.Struct({ tags: Schema.Array(Schema.String) })
  .annotate({ identifier: "NodeGenerateTagsResult", description: "Names of tags" })
  .pipe(withExample({ tags: newNode.tags }))
export const ContentSuggestion = Schema.Struct({ content: Schema.String })
  .annotate({ identifier: "NodeGenerateContentResult", description: "Content" })
  .pipe(withExample(contentToImprove))

export class SuggestionsUnavailable extends Problem<SuggestionsUnavailable>()("SuggestionsUnavailable", {
  status: 501,
  title: "This service makes no suggestions",
  explanation:
    "Suggested titles, tags and content come from a language model, and this service has none. Write them yourself; no other operation needs one."
}) {}
