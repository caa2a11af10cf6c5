/** Sends people to the server of a connection, and takes the code that they bring back. */
import { DateTime, Effect, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import { authorisationUrl, type Brought, decideReturn, isFromServer } from "./ConnectionRules.ts"
import { awayMinutes } from "./RemoteConnection.ts"
import { RemoteConnectionStore, type StoredConnection } from "./RemoteConnectionStore.ts"
import {
  type CallbackRefusal,
  RemoteCallbackRefused,
  RemoteStateNotYours,
  RemoteStateUnknown
} from "./RemoteRefusal.ts"
import { makeRemoteSecrets } from "./RemoteSecrets.ts"
import { makeTokenEndpoint } from "./TokenEndpoint.ts"
import type { Grant } from "./TokenRules.ts"

const verifierBytes = 48

const refused = (reason: CallbackRefusal) => new RemoteCallbackRefused({ metadata: { reason } })

export const makeConnectionReturns = Effect.gen(function* () {
  const store = yield* RemoteConnectionStore
  const endpoint = yield* makeTokenEndpoint
  const secrets = yield* makeRemoteSecrets
  const events = yield* EventLog
  const transaction = yield* Transaction
  const tokens = yield* makeTokens
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest

  const challengeOf = (verifier: string) =>
    Effect.map(digest.digest(Digest.sha256, new TextEncoder().encode(verifier)), Base64Url.encode)

  /** Begins the way of the caller to the server of a connection: where a browser goes. */
  const begin = Effect.fnUntraced(function* ({ shown, terms }: StoredConnection) {
    const { accountId } = yield* CurrentAccount
    const at = yield* DateTime.now
    const state = yield* tokens.make
    const verifier = Base64Url.encode(yield* random.randomBytes(verifierBytes))
    const authorisation = {
      stateHash: yield* tokens.hash(state),
      connectionId: shown.id,
      accountId,
      sealedVerifier: yield* secrets.seal("verifier", shown.id, Redacted.make(verifier)),
      at,
      expiresAt: DateTime.add(at, { minutes: awayMinutes })
    }
    yield* transaction(store.insertAuthorisation(authorisation))
    return authorisationUrl(terms, state, yield* challengeOf(verifier))
  })

  /** The way that a state belongs to, if the caller may go on with it. */
  const getAuthorisation = Effect.fnUntraced(function* (stateHash: Uint8Array) {
    const { accountId } = yield* CurrentAccount
    const found = Option.getOrUndefined(yield* store.findAuthorisation(stateHash))
    if (found === undefined) return yield* new RemoteStateUnknown()
    const decision = decideReturn(found, accountId, yield* DateTime.now)
    if (decision === "another's") return yield* new RemoteStateNotYours()
    return decision === "use" ? found : yield* refused(decision)
  })

  const keep = Effect.fnUntraced(function* (connection: StoredConnection, grant: Grant) {
    const { accountId } = yield* CurrentAccount
    const { id, resource_url } = connection.shown
    const update = yield* endpoint.sealed(connection, grant)
    const connecting = Effect.gen(function* () {
      const connected = Option.getOrUndefined(yield* store.connect(id, update))
      if (connected === undefined) return yield* new RemoteStateUnknown()
      yield* events.append(accountId, { _tag: "RemoteConnectionConnected", id, resource_url })
      return connected.shown
    })
    return yield* transaction(connecting)
  })

  /** Takes what the browser of the caller brought back, once. */
  const finish = Effect.fnUntraced(function* ({ code, iss, state }: Brought) {
    const stateHash = yield* tokens.hash(state)
    const { connectionId, sealedVerifier } = yield* getAuthorisation(stateHash)
    const connection = Option.getOrUndefined(yield* store.find(connectionId))
    if (connection === undefined) return yield* new RemoteStateUnknown()
    if (!isFromServer(connection.terms, iss)) return yield* refused("issuer")
    // Before the exchange: of several requests, one sends the code.
    const now = yield* DateTime.now
    if (!(yield* store.useAuthorisation(stateHash, now))) return yield* refused("used")
    const verifier = yield* secrets.open("verifier", connectionId, sealedVerifier)
    const grant = yield* endpoint
      .exchange(connection, code, verifier)
      .pipe(
        Effect.catch(({ message, reason }) =>
          Effect.andThen(store.noteFailure(connectionId, message, now), Effect.fail(refused(reason)))
        )
      )
    return yield* keep(connection, grant)
  })

  return { begin, finish } as const
})
