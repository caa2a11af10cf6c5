/** The ways in which codes come to people. */
export const codeWays = ["email", "phone"] as const
export type CodeWayName = (typeof codeWays)[number]

/** Where the pages of each are, below the address of the service. */
export const codePaths = { email: "login/code", phone: "login/phone" } as const

/** What people sign in with by a code that comes in this way. */
export const codeServices = { email: "email_verify", phone: "phone_verify" } as const
