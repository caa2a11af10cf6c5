/** What a language model suggests for the content of a node. */
import { Context, Effect, Layer } from "effect"
import { SuggestionsUnavailable } from "./Suggestion.ts"

const unavailable = () => Effect.fail(new SuggestionsUnavailable())

export class Suggestions extends Context.Service<
  Suggestions,
  {
    readonly title: (content: string) => Effect.Effect<string, SuggestionsUnavailable>
    readonly tags: (content: string) => Effect.Effect<ReadonlyArray<string>, SuggestionsUnavailable>
    readonly content: (content: string) => Effect.Effect<string, SuggestionsUnavailable>
  }
>()("forum/domain/Suggestions") {
  /** The suggestions of a service that has no language model: each fails. */
  static readonly none = Layer.succeed(
    Suggestions,
    Suggestions.of({ title: unavailable, tags: unavailable, content: unavailable })
  )
}
