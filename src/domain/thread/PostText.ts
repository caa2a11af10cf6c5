/** What people write, made ready to store. */
import { Effect } from "effect"
import { type LinkAddress, linkAddress } from "../link/Link.ts"
import { AccountId } from "../shared/Id.ts"
import * as RichText from "../shared/RichText.ts"
import { BodyTooLong } from "./Post.ts"

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

export const postText = (html: string): PostText => {
  const body = RichText.fromHtml(html)
  const { description, links, plaintext, references } = RichText.analyse(body)
  return {
    body,
    description,
    links: links.flatMap((url) => linkAddress(url) ?? []),
    mentions: references.flatMap(({ id, kind }) => (kind === "profile" ? [AccountId.make(id)] : [])),
    length: new TextEncoder().encode(plaintext).length
  }
}

export const checkLength = (
  text: PostText,
  kind: keyof typeof bodyLengthMax
): Effect.Effect<void, BodyTooLong> => {
  const maximum = bodyLengthMax[kind]
  return text.length > maximum
    ? Effect.fail(new BodyTooLong({ metadata: { maximum, length: text.length } }))
    : Effect.void
}
