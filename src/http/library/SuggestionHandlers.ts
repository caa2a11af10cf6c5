import { Effect } from "effect"
import { Suggestions } from "../../domain/library/Suggestions.ts"

interface Asking {
  readonly payload: { readonly content: string }
}

/** Handlers of the operations that suggest what to write. */
export const makeSuggestionHandlers = Effect.map(
  Suggestions,
  (suggestions) =>
    ({
      suggestTitle: ({ payload }: Asking) =>
        Effect.map(suggestions.title(payload.content), (title) => ({ title })),
      suggestTags: ({ payload }: Asking) =>
        Effect.map(suggestions.tags(payload.content), (tags) => ({ tags })),
      suggestContent: ({ payload }: Asking) =>
        Effect.map(suggestions.content(payload.content), (content) => ({ content }))
    }) as const
)
