/**
 * The pattern of a random token: 32 bytes in base64url without padding. It stands apart from `Tokens.ts`, as the
 * definition of the API knows the form of tokens, and not how they are made.
 */
export const tokenPattern = "[A-Za-z0-9_-]{43}"

const tokenForm = new RegExp(`^${tokenPattern}$`)

/** Whether a text has the form of a random token. Anything else cannot be one of ours. */
export const isToken = (text: string): boolean => tokenForm.test(text)
