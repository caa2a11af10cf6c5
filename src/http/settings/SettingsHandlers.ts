import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Administration } from "../../domain/settings/Administration.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const administration = yield* Administration
    return handlers.handleAll({
      get: () => administration.read,
      update: ({ payload }) => administration.update(payload)
    })
  })
)
