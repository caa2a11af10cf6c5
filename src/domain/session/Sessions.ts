/** Who a request is from, and the sessions that say so. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { isAccessKey } from "../accesskey/AccessKey.ts"
import type { AccountId } from "../shared/Id.ts"
import { tokenPattern } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import type { AskedWithCaller } from "../storage/Transaction.ts"
import { type Credentials, type IssuedSession, type Presented, sessionDays } from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"

// Anything else cannot be a token of ours.
const tokenForm = new RegExp(`^${tokenPattern}$`)

const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const { hash, make: makeToken } = yield* makeTokens

  /** A session as its owner gets it, and as it is stored. */
  const begin = Effect.fnUntraced(function* (accountId: AccountId) {
    const token = yield* makeToken
    const createdAt = yield* DateTime.now
    const expiresAt = DateTime.add(createdAt, { days: sessionDays })
    const issued: IssuedSession = { accountId, token: Redacted.make(token), expiresAt }
    return { issued, stored: { tokenHash: yield* hash(token), accountId, createdAt, expiresAt } }
  })

  /** Begins a session. Earlier ones of the account stay valid, as many as it may have. */
  const issue = Effect.fn("Sessions.issue")(function* (accountId: AccountId) {
    const { issued, stored } = yield* begin(accountId)
    yield* store.insert(stored)
    return issued
  })

  /** Begins a session for whoever has proved the password with this hash; none if it was changed meanwhile. */
  const issueByPassword = Effect.fn("Sessions.issueByPassword")(function* (
    accountId: AccountId,
    passwordHash: string
  ) {
    const { issued, stored } = yield* begin(accountId)
    return (yield* store.insertByPassword(stored, passwordHash)) ? Option.some(issued) : Option.none()
  })

  // The headers of a request have room for less than three hundred.
  const hashesOf = ({ cookies }: Credentials) =>
    Effect.forEach(
      cookies.filter((cookie, index) => tokenForm.test(cookie) && cookies.indexOf(cookie) === index),
      hash
    )

  /** Ends every session that a request presents. */
  const end = Effect.fn("Sessions.end")(function* (credentials: Credentials) {
    const hashes = yield* hashesOf(credentials)
    if (hashes.length > 0) yield* store.delete(hashes)
  })

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
    return cookie !== undefined && tokenForm.test(cookie) ? hash(cookie) : Effect.undefined
  }

  const presented = Effect.fnUntraced(function* (credentials: Credentials) {
    const { bearer } = credentials
    const session = yield* sessionOf(credentials)
    const accessKey = bearer !== undefined && isAccessKey(bearer) ? yield* hash(bearer) : undefined
    return {
      ...(session === undefined ? {} : { session }),
      ...(accessKey === undefined ? {} : { accessKey })
    } satisfies Presented
  })

  /** The caller. Credentials that are malformed, unknown, expired or revoked make a guest. */
  const identify = Effect.fnUntraced(function* (credentials: Credentials) {
    return yield* store.identify(yield* presented(credentials), yield* DateTime.now)
  })

  /** The caller, with the answer to what is asked for them. */
  const identifyWith = Effect.fnUntraced(function* <A>(credentials: Credentials, asked: AskedWithCaller<A>) {
    return yield* store.identifyWith(yield* presented(credentials), yield* DateTime.now, asked)
  })

  /** Forgets sessions that no longer say who anyone is. */
  const forgetExpired = Effect.flatMap(DateTime.now, store.deleteExpired)

  return {
    issue,
    issueByPassword,
    end,
    endAllOf: store.deleteAllOf,
    forgetExpired,
    identify,
    identifyWith
  } as const
})

export class Sessions extends Context.Service<Sessions, Effect.Success<typeof make>>()(
  "forum/domain/Sessions"
) {
  static readonly layer = Layer.effect(Sessions, make)
}
