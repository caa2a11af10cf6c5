/** Who a request is from. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { isAccessKey } from "../accesskey/AccessKey.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { AccessTokens } from "../signing/AccessTokens.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import { withinToken } from "./CallerRules.ts"
import type { Credentials, Presented } from "./Session.ts"
import { makeSessionHashes } from "./SessionHashes.ts"
import { SessionStore } from "./SessionStore.ts"

/** How every JWT starts: its first characters are a brace and a quotation mark, encoded. No other credential starts so. */
const jwtStart = "ey"

const make = Effect.gen(function* () {
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

  const presented = Effect.fnUntraced(function* (credentials: Credentials) {
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

  /** The caller. Credentials that are malformed, unknown, expired or revoked make a guest. */
  const identify = Effect.fnUntraced(function* (credentials: Credentials) {
    const found = yield* presented(credentials)
    return withinToken(yield* store.identify(found, yield* DateTime.now), found.accessToken?.scopes)
  })

  /** The caller, with the answer to what is asked for them. */
  const identifyWith = Effect.fnUntraced(function* <A>(credentials: Credentials, asked: AskedWithCaller<A>) {
    const found = yield* presented(credentials)
    const [caller, answer] = yield* store.identifyWith(found, yield* DateTime.now, asked)
    return [withinToken(caller, found.accessToken?.scopes), answer] as const
  })

  return { identify, identifyWith } as const
})

export class Callers extends Context.Service<Callers, Effect.Success<typeof make>>()("forum/domain/Callers") {
  static readonly layer = Layer.effect(Callers, make).pipe(Layer.provide(AccessTokens.layer))
}
