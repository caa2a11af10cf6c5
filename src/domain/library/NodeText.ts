/** The content of nodes, made ready to store. */
import { Effect } from "effect"
import type { LinkAddress } from "../text/LinkAddress.ts"
import { analyse, RichText } from "../text/RichText.ts"
import { checkMarkup, makePostText } from "../thread/PostText.ts"

/** Sanitised content, the description that it gives its node, and what it links to. */
export interface NodeText {
  readonly content: RichText
  readonly description: string
  readonly links: ReadonlyArray<LinkAddress>
}

/** Makes what a client sends the content of a node, before any transaction. */
export const makeNodeText = Effect.map(makePostText, (read) =>
  Effect.fnUntraced(function* (html: string) {
    const text = yield* read(html)
    yield* checkMarkup(text, "thread")
    return { content: text.body, description: text.description, links: text.links } satisfies NodeText
  })
)

// Far more than any description begins after, and read within about 10 ms, so that it need not be done beside the service.
const readForDescription = 64 * 1024

/** The description that stored content gives its node. */
export const descriptionOf = (content: RichText): string => {
  const beginning =
    content.length <= readForDescription
      ? content
      : RichText.make(`${content.slice(0, readForDescription)}</body>`)
  return analyse(beginning).description
}
