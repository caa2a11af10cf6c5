/** Which texts are one emoji. Pure. */

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

/** In characters: more than any emoji has. The longest is a couple with two skin tones, with ten. */
export const emojiLength = 16
