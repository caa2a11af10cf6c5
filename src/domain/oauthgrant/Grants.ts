/** What accounts have granted clients, and the tokens that say so. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { OAuthLifetimes } from "../settings/OAuthLifetimes.ts"
import { type AccountId, OAuthGrantId, OAuthTokenId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { AccessTokens } from "../signing/AccessTokens.ts"
import { SigningKeys } from "../signing/SigningKeys.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { Scope } from "../vocabulary/Scope.ts"
import type { AskingClient } from "./ClientAuthentication.ts"
import { type FoundRefresh, GrantStore, type NewTokens, type Subject } from "./GrantStore.ts"
import { makeIdTokens } from "./IdTokens.ts"
import { accountUnusable, clientGone } from "./Refusals.ts"

/** What a client gets. The tokens are shown this once. */
export interface IssuedTokens {
  readonly accessToken: Redacted.Redacted
  readonly expiresIn: number
  readonly scopes: ReadonlyArray<Scope>
  readonly idToken: Redacted.Redacted | undefined
  readonly refreshToken: Redacted.Redacted | undefined
}

/** Tokens that were signed and are worth nothing before they are stored. */
interface PreparedTokens {
  readonly issued: IssuedTokens
  readonly stored: NewTokens
}

interface Wanted {
  readonly client: AskingClient
  readonly subject: Subject
  readonly scopes: ReadonlyArray<Scope>
  readonly nonce?: string | undefined
}

const make = Effect.gen(function* () {
  const store = yield* GrantStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const tokens = yield* makeTokens
  const accessTokens = yield* AccessTokens
  const idTokens = yield* makeIdTokens
  const { refreshToken: refreshSeconds } = yield* OAuthLifetimes

  /** The account that tokens are for, as it is now; one that is suspended, or gone, gets none. */
  const getSubject = Effect.fn("Grants.getSubject")(function* (account: AccountId) {
    const found = yield* store.findSubject(account)
    return Option.isSome(found) && !found.value.suspended ? found.value : yield* accountUnusable
  })

  const makeRefresh = Effect.fnUntraced(function* ({ client, scopes }: Wanted, at: DateTime.Utc) {
    if (!(scopes.includes("offline_access") && client.shown.allowed_grants.includes("refresh_token"))) {
      return undefined
    }
    const token = yield* tokens.make
    const expiresAt = DateTime.add(at, { seconds: refreshSeconds })
    return { token: Redacted.make(token), stored: { hash: yield* tokens.hash(token), expiresAt } }
  })

  /** Signs tokens. They are worth nothing before they are stored. */
  const prepare = Effect.fn("Grants.prepare")(function* (wanted: Wanted) {
    const { client, nonce, scopes, subject } = wanted
    const at = yield* DateTime.now
    const access = yield* accessTokens.issue({ accountId: subject.accountId, scopes })
    const refresh = yield* makeRefresh(wanted, at)
    const { expiresAt } = access
    const idToken = scopes.includes("openid")
      ? yield* idTokens.issue({ audience: client.shown.client_id, subject, scopes, nonce, at, expiresAt })
      : undefined
    return {
      issued: {
        accessToken: access.token,
        expiresIn: access.seconds,
        scopes,
        idToken,
        refreshToken: refresh?.token
      },
      stored: {
        id: OAuthTokenId.make(yield* ids.next),
        accessId: access.id,
        accessExpiresAt: expiresAt,
        scopes,
        refresh: refresh?.stored,
        at
      }
    } satisfies PreparedTokens
    // Nobody gets a token while the key cannot be read, which operators have to mend.
  }, Effect.orDie)

  /** Fails where nothing was stored, because the client was deleted. */
  const orGone = (storing: Effect.Effect<boolean>) =>
    Effect.flatMap(storing, (isStored) => (isStored ? Effect.void : clientGone))

  const newGrant = Effect.fnUntraced(function* ({ client, subject }: Wanted) {
    const id = OAuthGrantId.make(yield* ids.next)
    return { id, clientId: client.shown.id, accountId: subject.accountId }
  })

  /**
   * Issues the first tokens of what an account has granted, in one transaction with what lets them be issued once, such
   * as the use of a code. That may fail, or take the id of the grant.
   */
  const begin = Effect.fn("Grants.begin")(function* <E, R>(
    wanted: Wanted,
    useUp: (grant: OAuthGrantId) => Effect.Effect<void, E, R>
  ) {
    const { issued, stored } = yield* prepare(wanted)
    const grant = yield* newGrant(wanted)
    const storing = Effect.andThen(orGone(store.insert(grant, stored)), useUp(grant.id))
    yield* transaction(storing)
    return issued
  })

  /** Issues an access token with which a client acts for its owner by itself. */
  const beginOwn = Effect.fn("Grants.beginOwn")(function* (wanted: Wanted) {
    const { issued, stored } = yield* prepare(wanted)
    const grant = yield* newGrant(wanted)
    yield* transaction(orGone(store.insertOwn(grant, stored)))
    return issued
  })

  /** Issues the tokens that replace others; none if somebody else has replaced them meanwhile. */
  const replace = Effect.fn("Grants.replace")(function* (spent: FoundRefresh, wanted: Wanted) {
    const { issued, stored } = yield* prepare(wanted)
    return (yield* store.replace(spent, stored)) ? Option.some(issued) : Option.none()
  })

  /** Ends a grant of which a token or code was used twice: one of the two who have it has stolen it. */
  const endStolen = Effect.fn("Grants.endStolen")(function* (
    client: AskingClient,
    { accountId, grantId }: { readonly grantId: OAuthGrantId; readonly accountId: AccountId }
  ) {
    const at = yield* DateTime.now
    const { client_id, id } = client.shown
    const ending = Effect.gen(function* () {
      if (!(yield* store.end(grantId, at))) return
      yield* events.append(undefined, {
        _tag: "OAuthTokenReused",
        id,
        client_id,
        account_id: accountId
      })
    })
    yield* transaction(ending)
  })

  return {
    getSubject,
    begin,
    beginOwn,
    replace,
    endStolen,
    forget: Effect.flatMap(DateTime.now, store.forget)
  } as const
})

export class Grants extends Context.Service<Grants, Effect.Success<typeof make>>()("forum/domain/Grants") {
  static readonly layer = Layer.effect(Grants, make).pipe(
    Layer.provide(Layer.merge(AccessTokens.layer, SigningKeys.layer))
  )
}
