import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ForumApi } from "../Api.ts"
import { makeNodeWriteHandlers } from "./NodeWriteHandlers.ts"
import { makeVersionHandlers } from "./VersionHandlers.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "nodes",
  Effect.fnUntraced(function* (handlers) {
    const writes = yield* makeNodeWriteHandlers
    const versions = yield* makeVersionHandlers
    return handlers.handleAll({ ...writes, ...versions })
  })
)
