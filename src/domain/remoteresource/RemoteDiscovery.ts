/** Finds out how to get tokens for a resource of somebody else. */
import { Effect, Result } from "effect"
import { ownClient } from "../discovery/ClientMetadata.ts"
import { Deployment } from "../settings/Deployment.ts"
import { type DocumentRefusal, modeOf, readResource, readServer } from "./DiscoveryRules.ts"
import { readRemoteAddress, resourceDocuments, serverDocuments, trimmed } from "./RemoteAddress.ts"
import type { RemoteDiscoveryResult } from "./RemoteDiscoveryResult.ts"
import { type DiscoveryStage, RemoteAddressRefused, RemoteDiscoveryFailed } from "./RemoteRefusal.ts"
import { makeRemoteRequests } from "./RemoteRequests.ts"

/** What was found, and whether the answers of the server name it (RFC 9207). */
export interface Discovered {
  readonly result: RemoteDiscoveryResult
  readonly namesItself: boolean
}

/** Reads an address that a request names. */
export const getAddress = (field: string, text: string): Effect.Effect<URL, RemoteAddressRefused> =>
  Effect.fromResult(
    Result.mapError(
      readRemoteAddress(text),
      (reason) => new RemoteAddressRefused({ metadata: { field, reason } })
    )
  )

export const makeRemoteDiscovery = Effect.gen(function* () {
  const requests = yield* makeRemoteRequests
  const { clientId, redirectUri } = ownClient(yield* Deployment)

  const readAt = <A>(
    stage: DiscoveryStage,
    addresses: readonly [string, ...ReadonlyArray<string>],
    read: (text: string) => Result.Result<A, DocumentRefusal>
  ) =>
    requests.document(addresses).pipe(
      Effect.flatMap((text) => Effect.fromResult(read(text))),
      Effect.mapError((reason) => new RemoteDiscoveryFailed({ metadata: { stage, reason } }))
    )

  /** Asks a resource and its server. */
  return Effect.fn("RemoteDiscovery.discover")(function* (address: string) {
    const url = yield* getAddress("resource_url", address)
    const resource = yield* readAt("protected_resource", resourceDocuments(url), (text) =>
      readResource(url, text)
    )
    const server = yield* readAt("authorization_server", serverDocuments(resource.server), (text) =>
      readServer(resource.server, text)
    )
    return {
      result: {
        resource_url: url.href,
        protected_resource_metadata: resource.metadata,
        authorization_server: trimmed(resource.server),
        authorization_server_metadata: server.metadata,
        mode: modeOf(server.metadata),
        client_id: clientId,
        redirect_uri: redirectUri
      },
      namesItself: server.namesItself
    } satisfies Discovered
  })
})
