/** What plugins say, and what is said of them, in a form that storage takes. Pure. */

/** The first characters of a text: none of them cut in half, and none that no text in storage has. */
export const beginningOf = (text: string, max: number): string =>
  text.slice(0, max).toWellFormed().replaceAll("\0", "\u{fffd}")
