import { Effect } from "effect"
import { tokenPattern } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import type { Credentials } from "./Session.ts"

// Anything else cannot be a token of ours.
const tokenForm = new RegExp(`^${tokenPattern}$`)

/** Whether a cookie may be the token of a session. */
export const mayBeSession = (cookie: string): boolean => tokenForm.test(cookie)

/** Makes a function that hashes the cookies of a request which may be tokens of sessions, each once. */
export const makeSessionHashes = Effect.map(
  makeTokens,
  ({ hash }) =>
    // The headers of a request have room for less than three hundred.
    ({ cookies }: Credentials) =>
      Effect.forEach(
        cookies.filter((cookie, index) => mayBeSession(cookie) && cookies.indexOf(cookie) === index),
        hash
      )
)
