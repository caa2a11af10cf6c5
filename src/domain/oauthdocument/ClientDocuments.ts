/** Clients that are named by the address of a document about them, which is fetched when they are asked for. */
import { Context, DateTime, Deferred, Duration, Effect, Layer, Option } from "effect"
import { DocumentClientStore } from "../oauthclient/DocumentClientStore.ts"
import type { StoredClient } from "../oauthclient/OAuthClientStore.ts"
import { Outbound } from "../outbound/Outbound.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthClientId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  documentMax,
  freshFor,
  isDocumentAddress,
  readDocument,
  refusalOfDocumentAddress
} from "./ClientDocumentRules.ts"
import { DocumentSettings } from "./DocumentSettings.ts"
import { makeFetchBounds } from "./FetchBounds.ts"
import { makeFreshness } from "./Freshness.ts"

/** Days after which a client is deleted that nobody uses and whose document nobody asked for. */
const unusedDays = 7

/** The hours within which a client is used for the first time, before it may make room for others. */
const graceHours = 1

const refused = (error_description: string) =>
  Effect.fail(new OAuthError({ error: "invalid_client", error_description }))

const make = Effect.gen(function* () {
  const settings = yield* DocumentSettings
  const outbound = yield* Outbound
  const store = yield* DocumentClientStore
  const transaction = yield* Transaction
  const ids = yield* Ids
  const scope = yield* Effect.scope
  const freshness = makeFreshness()
  // Clients that are known already do not wait for strangers who invent new ones.
  const bounds = { known: makeFetchBounds(), new: makeFetchBounds() }
  const running = new Map<string, Deferred.Deferred<StoredClient, OAuthError>>()

  /** Fetches a document and stores what the client is. There is no way back to what it was before. */
  const fetch = Effect.fn("ClientDocuments.fetch")(function* (clientId: string) {
    const answer = yield* outbound
      .send({
        url: clientId,
        accept: "application/json",
        maxBytes: documentMax,
        beyond: "failure",
        redirects: 0,
        within: "10 seconds",
        publicOnly: !settings.allowsInsecure
      })
      .pipe(Effect.catch(({ reason }) => refused(`The document of the client cannot be fetched: ${reason}`)))
    const client = yield* Effect.fromResult(readDocument(clientId, answer, settings)).pipe(
      Effect.catch((reason) => refused(`The document of the client is refused: ${reason}`))
    )
    const id = OAuthClientId.make(yield* ids.next)
    const at = yield* DateTime.now
    const stored = yield* transaction(store.put(client, id, at, DateTime.subtract(at, { hours: graceHours })))
    if (Option.isNone(stored)) return yield* refused("This instance has as many such clients as it may have")
    const now = DateTime.toEpochMillis(at)
    const fresh = Duration.toMillis(freshFor(answer.headers["cache-control"]))
    freshness.note(clientId, now + fresh, now)
    return stored.value
  })

  /** Fetches a document, or waits for the fetch that somebody else has begun, which goes on without them. */
  const fetched = Effect.fnUntraced(function* (
    clientId: string,
    network: ClientNetwork,
    isKnown: boolean,
    now: number
  ) {
    // Nothing waits from here until the fetch is noted, so that nobody else begins one.
    const begun = running.get(clientId)
    if (begun !== undefined) return yield* Deferred.await(begun)
    const bound = isKnown ? bounds.known : bounds.new
    if (!bound.begin(network, now)) {
      return yield* new OAuthError({
        error: "temporarily_unavailable",
        error_description: "Too many documents of clients are being fetched; try again in a minute"
      })
    }
    const answer = Deferred.makeUnsafe<StoredClient, OAuthError>()
    running.set(clientId, answer)
    const ended = Effect.sync(() => {
      running.delete(clientId)
      bound.end(network)
    })
    yield* Effect.forkIn(Deferred.into(Effect.ensuring(fetch(clientId), ended), answer), scope)
    return yield* Deferred.await(answer)
  })

  /**
   * The client that an id names by the address of its document; none, if the id is no address, or documents name no
   * clients here. What fails for any reason is `invalid_client`.
   */
  const resolve = Effect.fn("ClientDocuments.resolve")(function* (clientId: string, from: ClientNetwork) {
    if (!settings.enabled || !isDocumentAddress(clientId)) return Option.none<StoredClient>()
    const refusal = refusalOfDocumentAddress(clientId, settings)
    if (refusal !== undefined) return yield* refused(`The address of the client is refused: ${refusal}`)
    const known = yield* store.find(clientId)
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    if (Option.isSome(known) && freshness.isFresh(clientId, now)) return known
    return Option.some(yield* fetched(clientId, from, Option.isSome(known), now))
  })

  /** Deletes clients that nobody uses and whose documents were not fetched for long. */
  const clean = Effect.flatMap(DateTime.now, (now) =>
    store.deleteOld(DateTime.subtract(now, { days: unusedDays }))
  )

  return { resolve, clean } as const
})

export class ClientDocuments extends Context.Service<ClientDocuments, Effect.Success<typeof make>>()(
  "forum/domain/ClientDocuments"
) {
  static readonly layer = Layer.effect(ClientDocuments, make)
}
