/** How clients register by themselves, and what they do with their registration. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { PasswordHashing, signingUp } from "../authentication/PasswordHashing.ts"
import { EventLog } from "../event/EventLog.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import { makeRegistering } from "./Registering.ts"
import { type ChangedMetadata, unusedDays } from "./Registration.ts"
import {
  countedWithin,
  decideRegistrationChange,
  type Presented,
  type RegisteredValues,
  tokenInvalid,
  tokenMissing
} from "./RegistrationRules.ts"
import { makeRegistrationSecrets, noSecret } from "./RegistrationSecrets.ts"
import { RegistrationStore } from "./RegistrationStore.ts"

const make = Effect.gen(function* () {
  const store = yield* RegistrationStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const tokens = yield* makeTokens
  const hashing = yield* PasswordHashing
  const secrets = yield* makeRegistrationSecrets
  const register = yield* makeRegistering

  /** The client whose token was sent, by one of the ways in which the store finds it. */
  const getBy = Effect.fnUntraced(function* (
    find: typeof store.find,
    clientId: string,
    presented: Presented
  ) {
    if (presented._tag === "None") return yield* tokenMissing
    if (presented.token === undefined) return yield* tokenInvalid
    const found = yield* find(clientId, yield* tokens.hash(presented.token))
    return Option.isSome(found) ? { ...found.value, token: presented.token } : yield* tokenInvalid
  })

  const get = Effect.fn("Registrations.get")(function* (clientId: string, presented: Presented) {
    yield* secrets.checkEnabled
    const found = yield* getBy(store.find, clientId, presented)
    return secrets.show(found.client, found, found.token, undefined)
  })

  /** The secret after a change: a new one for a client that needs one and has none. The one that was sent has to be the client's. */
  const secretAfter = Effect.fnUntraced(function* (
    stored: string | undefined,
    sent: string | undefined,
    { type }: RegisteredValues
  ) {
    const isSame =
      sent === undefined || (stored !== undefined && (yield* hashing.verify(Redacted.make(sent), stored)))
    if (!isSame) {
      return yield* new OAuthError({
        error: "invalid_client_metadata",
        error_description: "client_secret is not that of the client"
      })
    }
    if (type === "public") return noSecret
    return stored === undefined ? yield* secrets.newSecret : { secret: undefined, secretHash: stored }
  })

  /** Replaces what a client says of itself, and the token with which it did so. */
  const update = Effect.fn("Registrations.update")(function* (
    clientId: string,
    changed: ChangedMetadata,
    presented: Presented,
    network: ClientNetwork
  ) {
    yield* secrets.checkEnabled
    const before = yield* getBy(store.find, clientId, presented)
    const values = yield* Effect.fromResult(decideRegistrationChange(clientId, changed))
    const { secret, secretHash } = yield* secretAfter(before.secretHash, changed.client_secret, values).pipe(
      hashing.inPlace(signingUp(network))
    )
    const { token, tokenHash } = yield* secrets.newToken
    const at = yield* DateTime.now
    const name = values.name ?? clientId
    const change = Effect.gen(function* () {
      const now = yield* getBy(store.findForUpdate, clientId, presented)
      const { id } = now.client
      // One that stays is what it is now: an administrator may have replaced it since.
      const stays = secret === undefined && secretHash !== undefined
      const hash = stays ? now.secretHash : secretHash
      const changed = yield* store.update({ ...values, id, name, tokenHash, secretHash: hash, at })
      yield* events.append(undefined, {
        _tag: "OAuthClientRegistrationChanged",
        id,
        client_id: clientId,
        name
      })
      return changed
    })
    return secrets.show(yield* transaction(change), values, token, secret)
  })

  const remove = Effect.fn("Registrations.remove")(function* (clientId: string, presented: Presented) {
    yield* secrets.checkEnabled
    const removal = Effect.gen(function* () {
      const { client } = yield* getBy(store.findForUpdate, clientId, presented)
      const { client_id, id, name } = client
      yield* store.delete(id)
      yield* events.append(undefined, { _tag: "OAuthClientUnregistered", id, client_id, name })
    })
    yield* transaction(removal)
  })

  /** Deletes registered clients that nobody uses, and forgets what networks registered long ago. */
  const clean = Effect.flatMap(DateTime.now, (now) =>
    store.deleteOld(
      DateTime.subtract(now, { days: unusedDays }),
      DateTime.subtractDuration(now, countedWithin)
    )
  )

  return { register, get, update, remove, clean } as const
})

export class Registrations extends Context.Service<Registrations, Effect.Success<typeof make>>()(
  "forum/domain/Registrations"
) {
  static readonly layer = Layer.effect(Registrations, make).pipe(Layer.provide(PasswordHashing.layer))
}
