import { Effect } from "effect"
import { Theme } from "../../domain/theme/Theme.ts"
import { Themes } from "../../domain/theme/Themes.ts"
import { ForumApi } from "../Api.ts"
import { makeConditional } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const caching = "no-cache"

export const layer = group(
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
