import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { OwnDataExports } from "../../domain/owndata/OwnDataExports.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { archiveType } from "./OwnDataApi.ts"

export const layer = group(
  ForumApi,
  "ownData",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* OwnDataExports

    const download = Effect.map(exports.open(), ({ bytes, size }) =>
      HttpServerResponse.stream(bytes, {
        contentType: archiveType,
        contentLength: size,
        headers: {
          "cache-control": "private, no-store",
          "content-disposition": 'attachment; filename="own-data.zip"'
        }
      })
    )

    return handlers.handleAll({
      request: ({ payload }) => exports.request(payload),
      get: () => exports.get(),
      download: () => download
    })
  })
)
