/** What people write, made ready to store. */
import { Effect } from "effect"
import { type LinkAddress, linkAddress } from "../link/Link.ts"
import { AccountId } from "../shared/Id.ts"
import * as RichText from "../shared/RichText.ts"
import { BodyTooLong, MarkupTooComplex, MarkupTooLong, TooManyLinks } from "./Post.ts"

/** A sanitised body and what is derived from it. */
export interface PostText {
  readonly body: RichText.RichText
  readonly description: string
  /** Web pages the text points to, in its order. */
  readonly links: ReadonlyArray<LinkAddress>
  /** Accounts the text mentions. */
  readonly mentions: ReadonlyArray<AccountId>
  /** Bytes of plain text, which is what limits count. */
  readonly length: number
}

/** Bytes of plain text, unless an administrator chooses otherwise. */
export const bodyLengthMax = { thread: 60_000, reply: 10_000 }

// Far more than people write, and little enough for pages of fifty.
const markupLengthMax = { thread: 512 * 1024, reply: 128 * 1024 }
const linksMax = { thread: 1000, reply: 200 }

export const postText = Effect.fnUntraced(function* (html: string) {
  const { analysis, document } = yield* Effect.mapError(RichText.read(html), MarkupTooComplex.from)
  const { description, links, plaintext, references } = analysis
  return {
    body: document,
    description,
    links: links.flatMap((url) => linkAddress(url) ?? []),
    mentions: references.flatMap(({ id, kind }) => (kind === "profile" ? [AccountId.make(id)] : [])),
    length: new TextEncoder().encode(plaintext).length
  } satisfies PostText
})

export const checkLength = (
  text: PostText,
  kind: keyof typeof bodyLengthMax
): Effect.Effect<void, BodyTooLong> => {
  const maximum = bodyLengthMax[kind]
  return text.length > maximum
    ? Effect.fail(new BodyTooLong({ metadata: { maximum, length: text.length } }))
    : Effect.void
}

/** What is refused of every author, even without any text. */
export const checkMarkup = (
  text: PostText,
  kind: keyof typeof markupLengthMax
): Effect.Effect<void, MarkupTooLong | TooManyLinks> => {
  const maximum = markupLengthMax[kind]
  if (text.body.length > maximum) {
    return Effect.fail(new MarkupTooLong({ metadata: { maximum, length: text.body.length } }))
  }
  return text.links.length > linksMax[kind]
    ? Effect.fail(new TooManyLinks({ metadata: { maximum: linksMax[kind], count: text.links.length } }))
    : Effect.void
}
