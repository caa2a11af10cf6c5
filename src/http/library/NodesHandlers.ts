import { Effect } from "effect"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { makeChildHandlers } from "./ChildHandlers.ts"
import { makeNodeReadHandlers } from "./NodeReadHandlers.ts"
import { makeNodeWriteHandlers } from "./NodeWriteHandlers.ts"
import { makePropertyHandlers } from "./PropertyHandlers.ts"
import { makeSuggestionHandlers } from "./SuggestionHandlers.ts"
import { makeVersionHandlers } from "./VersionHandlers.ts"

export const layer = group(
  ForumApi,
  "nodes",
  Effect.fnUntraced(function* (handlers) {
    const reads = yield* makeNodeReadHandlers
    const writes = yield* makeNodeWriteHandlers
    const children = yield* makeChildHandlers
    const properties = yield* makePropertyHandlers
    const suggestions = yield* makeSuggestionHandlers
    const versions = yield* makeVersionHandlers
    return handlers.handleAll({
      ...reads,
      ...writes,
      ...children,
      ...properties,
      ...suggestions,
      ...versions
    })
  })
)
