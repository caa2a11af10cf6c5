/** What people and administrators see and end of what was granted to clients. */
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { OAuthTokenId } from "../shared/Id.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { Transaction } from "../storage/Transaction.ts"
import { GrantStore, type ListedGrant, pageSize, type RefreshTokenPage } from "./GrantStore.ts"
import { OAuthRefreshTokenNotFound } from "./RefreshToken.ts"
import { invalidRequest } from "./Refusals.ts"

const isTokenId = Schema.is(OAuthTokenId)

const notYours = invalidRequest("No refresh token of yours has this id")

const pageOf = ({ tokens, ...extent }: RefreshTokenPage, place: ListPlace) => ({
  ...listEnvelope({ ...extent, place, size: pageSize, results: tokens.length }),
  tokens
})

const make = Effect.gen(function* () {
  const store = yield* GrantStore
  const events = yield* EventLog
  const transaction = yield* Transaction

  const find = (id: string) => (isTokenId(id) ? store.findById(id) : Effect.succeedNone)

  /** Ends a grant, with an entry of the audit log unless it has ended before. */
  const end = Effect.fnUntraced(function* ({ accountId, client, grantId }: ListedGrant) {
    const { accountId: actor } = yield* CurrentAccount
    const at = yield* DateTime.now
    const ending = Effect.gen(function* () {
      if (!(yield* store.end(grantId, at))) return
      yield* events.append(actor, { _tag: "OAuthTokenRevoked", ...client, account_id: accountId })
    })
    yield* transaction(ending)
  })

  /** The refresh tokens of the caller, newest first. */
  const listOwn = Effect.fn("RefreshTokens.listOwn")(function* (place: ListPlace) {
    const { accountId } = yield* CurrentAccount
    return pageOf(yield* store.list(place, accountId), place)
  })

  /** The refresh tokens of all accounts, newest first. */
  const list = Effect.fn("RefreshTokens.list")(function* (place: ListPlace) {
    return pageOf(yield* store.list(place), place)
  })

  /** Ends what the caller has granted with a refresh token. */
  const revokeOwn = Effect.fn("RefreshTokens.revokeOwn")(function* (id: string) {
    const { accountId } = yield* CurrentAccount
    const found = Option.getOrUndefined(yield* find(id))
    if (found === undefined || found.accountId !== accountId) return yield* notYours
    yield* end(found)
  })

  /** Ends what anybody has granted with a refresh token. */
  const revoke = Effect.fn("RefreshTokens.revoke")(function* (id: string) {
    const found = Option.getOrUndefined(yield* find(id))
    if (found === undefined) {
      return yield* new OAuthRefreshTokenNotFound({ metadata: { oauth_refresh_token_id: id } })
    }
    yield* end(found)
  })

  return { listOwn, list, revokeOwn, revoke } as const
})

export class RefreshTokens extends Context.Service<RefreshTokens, Effect.Success<typeof make>>()(
  "forum/domain/RefreshTokens"
) {
  static readonly layer = Layer.effect(RefreshTokens, make)
}
