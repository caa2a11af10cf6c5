import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ForumApi } from "../Api.ts"
import { makeNodeReadHandlers } from "./NodeReadHandlers.ts"
import { makeNodeWriteHandlers } from "./NodeWriteHandlers.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "nodes",
  Effect.fnUntraced(function* (handlers) {
    const reads = yield* makeNodeReadHandlers
    const writes = yield* makeNodeWriteHandlers
    return handlers.handleAll({ ...reads, ...writes })
  })
)
