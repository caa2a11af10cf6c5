import { Effect } from "effect"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import type { Credentials } from "./Session.ts"

/** Makes a function that hashes the cookies of a request which may be tokens of sessions, each once. */
export const makeSessionHashes = Effect.map(
  makeTokens,
  ({ hash }) =>
    // The headers of a request have room for less than three hundred.
    ({ cookies }: Credentials) =>
      Effect.forEach(
        cookies.filter((cookie, index) => isToken(cookie) && cookies.indexOf(cookie) === index),
        hash
      )
)
