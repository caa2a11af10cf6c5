/** What people write, made ready to store. */
import { Effect } from "effect"
import { AccountId } from "../shared/Id.ts"
import { textLength } from "../text/DocumentText.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import { type Reading, type RichText, refuseComplex } from "../text/RichText.ts"
import { Sanitiser } from "../text/Sanitiser.ts"
import { BodyTooLong, MarkupTooLong, mentionsMax, TooManyLinks, TooManyMentions } from "./Post.ts"

/** A sanitised body and what is derived from it. */
export interface PostText {
  readonly body: RichText
  readonly description: string
  /** Web pages the text points to, in its order, each once. */
  readonly links: ReadonlyArray<LinkAddress>
  /** Accounts the text mentions, each once. */
  readonly mentions: ReadonlyArray<AccountId>
  /** The length of the plain text in bytes, which is what limits count. */
  readonly length: number
}

// Far more than people write, and little enough for pages of fifty.
export const markupLengthMax = { thread: 512 * 1024, reply: 128 * 1024 }
const linksMax = { thread: 1000, reply: 200 }

const textOf = ({ analysis, document }: Reading): PostText => {
  const { description, links, plaintext, references } = analysis
  return {
    body: document,
    description,
    links,
    mentions: references.flatMap(({ id, kind }) => (kind === "profile" ? [AccountId.make(id)] : [])),
    length: textLength(plaintext)
  }
}

/** Makes what a client sends a text, before any transaction. */
export const makePostText = Effect.map(
  Sanitiser,
  ({ read }) =>
    (html: string) =>
      read(html).pipe(Effect.map(textOf), Effect.catchTag("TooComplex", refuseComplex))
)

/** What is refused of a text that is published. */
export const checkLength = (length: number, maximum: number): Effect.Effect<void, BodyTooLong> =>
  length > maximum ? Effect.fail(new BodyTooLong({ metadata: { maximum, length } })) : Effect.void

/** What is refused of any text. */
export const checkMarkup = (
  text: PostText,
  kind: keyof typeof markupLengthMax
): Effect.Effect<void, MarkupTooLong | TooManyLinks | TooManyMentions> => {
  const maximum = markupLengthMax[kind]
  if (text.body.length > maximum) {
    return Effect.fail(new MarkupTooLong({ metadata: { maximum, length: text.body.length } }))
  }
  if (text.links.length > linksMax[kind]) {
    return Effect.fail(new TooManyLinks({ metadata: { maximum: linksMax[kind], count: text.links.length } }))
  }
  const count = text.mentions.length
  return count > mentionsMax
    ? Effect.fail(new TooManyMentions({ metadata: { field: "body", maximum: mentionsMax, count } }))
    : Effect.void
}
