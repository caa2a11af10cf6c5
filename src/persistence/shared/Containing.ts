/** A `like` pattern that finds the text as it is written. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`
