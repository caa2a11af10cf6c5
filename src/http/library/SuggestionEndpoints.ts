/** Operations that suggest what to write. */
import { HttpApiEndpoint } from "effect/http-api"
import {
  ContentRequest,
  ContentSuggestion,
  SuggestionsUnavailable,
  TagSuggestions,
  TagsRequest,
  TitleRequest,
  TitleSuggestion
} from "../../domain/library/Suggestion.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams } from "./NodeEndpointParts.ts"

const suggestions = { params: nodeParams, error: SuggestionsUnavailable }

const byModel =
  "Made by a language model from content, which nothing keeps. A service without one answers with 501."

export const suggestTitle = HttpApiEndpoint.post("suggestTitle", "/:node_slug/title", {
  ...suggestions,
  payload: TitleRequest,
  success: TitleSuggestion
}).pipe(
  operation({
    id: "NodeGenerateTitle",
    cost: "quick",
    summary: "Suggest a title",
    description: byModel,
    access: accounts
  })
)

export const suggestTags = HttpApiEndpoint.post("suggestTags", "/:node_slug/tags", {
  ...suggestions,
  payload: TagsRequest,
  success: TagSuggestions
}).pipe(
  operation({
    id: "NodeGenerateTags",
    cost: "quick",
    summary: "Suggest tags",
    description: byModel,
    access: accounts
  })
)

export const suggestContent = HttpApiEndpoint.post("suggestContent", "/:node_slug/content", {
  ...suggestions,
  payload: ContentRequest,
  success: ContentSuggestion
}).pipe(
  operation({
    id: "NodeGenerateContent",
    cost: "quick",
    summary: "Suggest content",
    description: byModel,
    access: accounts
  })
)
