import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Theme } from "../../domain/theme/Theme.ts"
import { Themes } from "../../domain/theme/Themes.ts"
import { ForumApi } from "../Api.ts"
import { makeConditional } from "../shared/ConditionalResponse.ts"

const caching = "no-cache"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "theme",
  Effect.fnUntraced(function* (handlers) {
    const themes = yield* Themes
    const answerTheme = yield* makeConditional(Theme)
    return handlers.handleAll({
      read: ({ headers }) =>
        Effect.flatMap(themes.current, (theme) => answerTheme(theme, headers["if-none-match"], caching)),
      get: () => themes.current,
      replace: ({ payload }) => themes.replace(payload)
    })
  })
)
