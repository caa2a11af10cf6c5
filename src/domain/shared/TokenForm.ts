/** The pattern of a random token: 32 bytes in base64url without padding. */
export const tokenPattern = "[A-Za-z0-9_-]{43}"
