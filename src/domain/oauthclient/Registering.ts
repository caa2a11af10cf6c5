/** How clients register by themselves. */
import { DateTime, Effect, Option } from "effect"
import { PasswordHashing, signingUp } from "../authentication/PasswordHashing.ts"
import { EventLog } from "../event/EventLog.ts"
import { Deployment } from "../settings/Deployment.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthClientId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import { clientIdPrefix } from "./OAuthClient.ts"
import { type ClientMetadata, registrationsPerDay, TooManyRegistrations } from "./Registration.ts"
import {
  countedWithin,
  decideRegistration,
  type Presented,
  registrationUnavailable,
  secondsUntilNext,
  tokenInvalid,
  tokenMissing
} from "./RegistrationRules.ts"
import { makeRegistrationSecrets, noSecret } from "./RegistrationSecrets.ts"
import { type RegistrationInsert, RegistrationStore } from "./RegistrationStore.ts"

/** The hours within which a client that just registered is used for the first time, before it may make room for others. */
export const graceHours = 1

export const makeRegistering = Effect.gen(function* () {
  const store = yield* RegistrationStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const tokens = yield* makeTokens
  const hashing = yield* PasswordHashing
  const secrets = yield* makeRegistrationSecrets
  const { oauthRegistrationOpen } = yield* Deployment

  /** The hash of the token that lets a client register; nothing where the instance is open to all and none was sent. */
  const checkLet = Effect.fnUntraced(function* (presented: Presented, now: DateTime.Utc) {
    if (presented._tag === "None") return oauthRegistrationOpen ? undefined : yield* tokenMissing
    if (presented.token === undefined) return yield* tokenInvalid
    const tokenHash = yield* tokens.hash(presented.token)
    return (yield* store.isUsable(tokenHash, now)) ? tokenHash : yield* tokenInvalid
  })

  /** Counts a client for the token that lets it register, whose id is answered, or for its network. */
  const count = Effect.fnUntraced(function* (
    initialToken: Uint8Array | undefined,
    network: ClientNetwork,
    now: DateTime.Utc
  ) {
    if (initialToken !== undefined) {
      const used = yield* store.use(initialToken, now)
      return Option.isSome(used) ? used.value : yield* tokenInvalid
    }
    const since = DateTime.subtractDuration(now, countedWithin)
    const full = yield* store.count(network, registrationsPerDay, since, now)
    if (Option.isNone(full)) return undefined
    return yield* new TooManyRegistrations({ metadata: { retry_after: secondsUntilNext(full.value, now) } })
  })

  /** Stores a client and counts it, or neither. */
  const insert = Effect.fnUntraced(function* (
    client: RegistrationInsert,
    initialToken: Uint8Array | undefined,
    network: ClientNetwork
  ) {
    const { at, clientId: client_id, id, name } = client
    const initial_access_token_id = yield* count(initialToken, network, at)
    const inserted = yield* store.insert(client, DateTime.subtract(at, { hours: graceHours }))
    if (Option.isNone(inserted)) {
      return yield* registrationUnavailable("This instance has as many registered clients as it may have")
    }
    yield* events.append(undefined, {
      _tag: "OAuthClientRegistered",
      id,
      client_id,
      name,
      ...(initial_access_token_id === undefined ? {} : { initial_access_token_id })
    })
    return inserted.value
  })

  return Effect.fn("Registrations.register")(function* (
    metadata: ClientMetadata,
    presented: Presented,
    network: ClientNetwork
  ) {
    yield* secrets.checkEnabled
    const at = yield* DateTime.now
    const initialToken = yield* checkLet(presented, at)
    const values = yield* Effect.fromResult(decideRegistration(metadata))
    const { secret, secretHash } =
      values.type === "public" ? noSecret : yield* secrets.newSecret.pipe(hashing.inPlace(signingUp(network)))
    const { token, tokenHash } = yield* secrets.newToken
    const id = OAuthClientId.make(yield* ids.next)
    const clientId = `${clientIdPrefix}${yield* tokens.make}`
    const name = values.name ?? clientId
    const letBy = initialToken === undefined ? "openness" : "token"
    const client = { ...values, id, clientId, name, letBy, tokenHash, secretHash, at } as const
    const stored = yield* transaction(insert(client, initialToken, network))
    return secrets.show(stored, values, token, secret)
  })
})
