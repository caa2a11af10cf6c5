/** The content of pages, made ready to store. */
import { Effect } from "effect"
import type { RichText } from "../shared/RichText.ts"
import { checkMarkup, makePostText } from "../thread/PostText.ts"

/** Sanitised content and the description that it gives its page. */
export interface NodeText {
  readonly content: RichText
  readonly description: string
}

/** Makes what a client sends the content of a page, before any transaction. */
export const makeNodeText = Effect.map(makePostText, (read) =>
  Effect.fnUntraced(function* (html: string) {
    const text = yield* read(html)
    yield* checkMarkup(text, "thread")
    return { content: text.body, description: text.description } satisfies NodeText
  })
)
