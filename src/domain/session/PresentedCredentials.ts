/** Which credentials of a request may say who it is from. */
import { DateTime, Effect, Option } from "effect"
import { isAccessKey } from "../accesskey/AccessKey.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { AccessTokens } from "../signing/AccessTokens.ts"
import type { Credentials, Presented } from "./Session.ts"
import { makeSessionHashes } from "./SessionHashes.ts"
import { SessionStore } from "./SessionStore.ts"

/** How every JWT starts: its first characters are a brace and a quotation mark, encoded. No other credential starts so. */
const jwtStart = "ey"

/** Makes a function that reads credentials as they are looked for in storage. */
export const makePresented = Effect.gen(function* () {
  const store = yield* SessionStore
  const accessTokens = yield* AccessTokens
  const { hash } = yield* makeTokens
  const hashesOf = yield* makeSessionHashes

  /** The first of several tokens that is of a session. */
  const firstCurrent = Effect.fnUntraced(function* (credentials: Credentials) {
    const hashes = yield* hashesOf(credentials)
    const current = yield* store.findCurrent(hashes, yield* DateTime.now)
    const names = new Set(current.map((hash) => hash.toHex()))
    return hashes.find((hash) => names.has(hash.toHex()))
  })

  /** The token of a session that says who the caller is. Of several, which few requests have, it takes another statement to tell. */
  const sessionOf = (credentials: Credentials): Effect.Effect<Uint8Array | undefined> => {
    const { cookies } = credentials
    const [cookie] = cookies
    if (cookies.length > 1) return firstCurrent(credentials)
    return cookie !== undefined && isToken(cookie) ? hash(cookie) : Effect.undefined
  }

  return Effect.fnUntraced(function* (credentials: Credentials) {
    const { bearer } = credentials
    const session = yield* sessionOf(credentials)
    const accessKey = bearer !== undefined && isAccessKey(bearer) ? yield* hash(bearer) : undefined
    const accessToken = bearer?.startsWith(jwtStart) ? yield* accessTokens.find(bearer) : Option.none()
    const found: Presented = {
      ...(session === undefined ? {} : { session }),
      ...(accessKey === undefined ? {} : { accessKey }),
      ...(Option.isNone(accessToken) ? {} : { accessToken: accessToken.value })
    }
    return found
  })
})
