import { Schema } from "effect"
import { withExample } from "../field/Example.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { newReaction } from "./ReactionExamples.ts"

// The emoji that Unicode recommends for interchange, as this version of Node.js knows them.
const oneEmoji = /^\p{RGI_Emoji}$/v

/** Asks for the emoji of a character that also is a text character. */
const emojiSelector = "\ufe0f"

/** Characters that are emoji only where the selector follows, or a skin tone. */
const textByDefault = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu

/**
 * The emoji that a text is, in the form that Unicode calls fully qualified: keyboards leave out selectors, and
 * the same emoji must not be two. Undefined of any other text, two emoji among them.
 */
export const toEmoji = (text: string): string | undefined => {
  const qualified = text.replaceAll(emojiSelector, "").replace(textByDefault, `$&${emojiSelector}`)
  return oneEmoji.test(qualified) ? qualified : undefined
}

/** How many characters an emoji may have: more than any has. The longest is a couple with two skin tones, with ten. */
export const emojiLength = 16

export const NewReaction = Schema.Struct({
  emoji: Text.line({ max: emojiLength, description: "One emoji", examples: [newReaction.emoji] })
})
  .annotate({
    identifier: "ReactInitialProps",
    description: "A reaction to add"
  })
  .pipe(withExample(newReaction))
export interface NewReaction extends Schema.Schema.Type<typeof NewReaction> {}

/** How many reactions there may be: to a post, different ones to a post, of an account to a post. */
export const reactionsMax = { post: 200, emoji: 50, account: 20 } as const

export class EmojiInvalid extends Problem<EmojiInvalid>()("EmojiInvalid", {
  status: 400,
  title: "This is not an emoji",
  explanation:
    "A reaction is one emoji: a character, or a sequence of characters that Unicode recommends, such as a flag or one with a skin tone. Names between colons, text and several emoji are none.",
  metadata: { field: Schema.Literal("emoji") }
}) {}

export class TooManyReactions extends Problem<TooManyReactions>()("TooManyReactions", {
  status: 409,
  title: "The post has too many reactions for another one",
  explanation: `\`limit\` says which limit is reached: ${reactionsMax.post} reactions to one post, ${reactionsMax.emoji} different emoji on it, or ${reactionsMax.account} reactions of one account to it.`,
  metadata: { limit: Schema.Literals(["post", "emoji", "account"]), maximum: Schema.Int }
}) {}

export class ReactionNotYours extends Problem<ReactionNotYours>()("ReactionNotYours", {
  status: 403,
  title: "Another account added this reaction",
  explanation: "Only the account that added a reaction, and administrators, may remove it."
}) {}
