/** Tokens of external plugins. Programs of plugins know them by their prefix, and connect again after a failure. */

export const externalPrefix = "sdprt_"

/** Letters and digits after the prefix. */
export const externalLength = 32

/** Whether a token says that it is one of an external plugin. */
export const isExternalToken = (token: string): boolean => token.startsWith(externalPrefix)
