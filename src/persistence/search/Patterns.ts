/** `like` patterns that find a text as it is written. */

const literally = (text: string) => text.replace(/[\\%_]/g, "\\$&")

export const containing = (text: string) => `%${literally(text)}%`

export const beginningWith = (text: string) => `${literally(text)}%`
