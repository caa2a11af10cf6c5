/** How sessions begin and end. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import type { AccountId } from "../shared/Id.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { type Credentials, type IssuedSession, sessionDays } from "./Session.ts"
import { makeSessionHashes } from "./SessionHashes.ts"
import { SessionStore } from "./SessionStore.ts"

const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const hashesOf = yield* makeSessionHashes
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

  /** Ends every session that a request presents. */
  const end = Effect.fn("Sessions.end")(function* (credentials: Credentials) {
    const hashes = yield* hashesOf(credentials)
    if (hashes.length > 0) yield* store.delete(hashes)
  })

  /** Forgets sessions that no longer say who anyone is. */
  const forgetExpired = Effect.flatMap(DateTime.now, store.deleteExpired)

  return {
    issue,
    issueByPassword,
    end,
    endAllOf: store.deleteAllOf,
    forgetExpired
  } as const
})

export class Sessions extends Context.Service<Sessions, Effect.Success<typeof make>>()(
  "forum/domain/Sessions"
) {
  static readonly layer = Layer.effect(Sessions, make)
}
