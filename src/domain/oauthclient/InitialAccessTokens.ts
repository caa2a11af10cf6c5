/** What administrators do with initial access tokens. */
import { Context, DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { InitialAccessTokenId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type InitialAccessToken,
  InitialAccessTokenNotFound,
  initialTokenPrefix,
  keptDays,
  type NewInitialAccessToken
} from "./InitialAccessToken.ts"
import { decideExpiry } from "./InitialAccessTokenRules.ts"
import { InitialAccessTokenStore } from "./InitialAccessTokenStore.ts"

/** A token that was just created. It is shown once and kept only as its SHA-256. */
export interface IssuedInitialToken {
  readonly shown: InitialAccessToken
  readonly token: Redacted.Redacted
}

const isTokenId = Schema.is(InitialAccessTokenId)

const notFound = (id: string) => new InitialAccessTokenNotFound({ metadata: { initial_access_token_id: id } })

const make = Effect.gen(function* () {
  const store = yield* InitialAccessTokenStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const tokens = yield* makeTokens

  const create = Effect.fn("InitialAccessTokens.create")(function* (input: NewInitialAccessToken) {
    const { accountId } = yield* CurrentAccount
    const at = yield* DateTime.now
    const asked = input.expires_at === undefined ? undefined : DateTime.makeUnsafe(input.expires_at)
    const expiresAt = yield* Effect.fromResult(decideExpiry(at, asked, input.expires_in))
    const id = InitialAccessTokenId.make(yield* ids.next)
    const token = `${initialTokenPrefix}${yield* tokens.make}`
    const tokenHash = yield* tokens.hash(token)
    const { max_registrations: maxRegistrations = 1, name } = input
    const creation = Effect.gen(function* () {
      const values = { id, at, createdBy: accountId, tokenHash, name, maxRegistrations, expiresAt }
      const shown = yield* store.insert(values)
      yield* events.append(accountId, {
        _tag: "InitialAccessTokenCreated",
        id,
        expires_at: shown.expires_at,
        max_registrations: maxRegistrations
      })
      return shown
    })
    return { shown: yield* transaction(creation), token: Redacted.make(token) } satisfies IssuedInitialToken
  })

  /** Revokes a token. One that was revoked stays so. */
  const revoke = Effect.fn("InitialAccessTokens.revoke")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    if (!isTokenId(id)) return yield* notFound(id)
    const at = yield* DateTime.now
    const revocation = Effect.gen(function* () {
      const isNew = yield* store.revoke(id, at)
      if (isNew === undefined) return yield* notFound(id)
      if (isNew) yield* events.append(accountId, { _tag: "InitialAccessTokenRevoked", id })
    })
    yield* transaction(revocation)
  })

  /** Forgets tokens that nobody could use for a while. Until then they stay listed, so that people see what became of them. */
  const forgetOld = Effect.flatMap(DateTime.now, (now) =>
    store.deleteOver(DateTime.subtractDuration(now, Duration.days(keptDays)))
  )

  return { list: store.list, create, revoke, forgetOld } as const
})

export class InitialAccessTokens extends Context.Service<InitialAccessTokens, Effect.Success<typeof make>>()(
  "forum/domain/InitialAccessTokens"
) {
  static readonly layer = Layer.effect(InitialAccessTokens, make)
}
