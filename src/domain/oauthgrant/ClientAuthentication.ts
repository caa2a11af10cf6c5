/** Which client sends a request for tokens, and whether it is the one that it says it is (RFC 6749, 2.3). */
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { PasswordHashing, signingIn } from "../authentication/PasswordHashing.ts"
import type { Grant } from "../oauthclient/OAuthClientFields.ts"
import { OAuthClientStore, type StoredClient } from "../oauthclient/OAuthClientStore.ts"
import type { ScopedClient } from "../oauthclient/Scopes.ts"
import { ClientDocuments } from "../oauthdocument/ClientDocuments.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthError, unauthorized } from "../shared/OAuthError.ts"

/** What a request says of the client that sends it. */
export interface PresentedClient {
  readonly clientId: string | undefined
  readonly secret: Redacted.Redacted | undefined
  /** Whether it says so by HTTP Basic, instead of in the body. */
  readonly isBasic: boolean
}

/** A client that asks for tokens, with the hash of its secret if it has one. */
export interface AskingClient extends StoredClient {
  readonly secretHash: string | undefined
}

/** What of a client decides on what people read. */
interface NamedClient {
  readonly isBuiltIn: boolean
  readonly shown: { readonly name: string }
}

/** What of a client decides on its scopes. */
export const scopedClient = ({ isBuiltIn, shown }: StoredClient): ScopedClient => ({
  scopePolicy: shown.scope_policy,
  allowedScopes: shown.allowed_scopes,
  isCommandLine: isBuiltIn
})

/** Fails unless the client may get tokens in this way. */
export const checkGrant = ({ shown }: StoredClient, grant: Grant): Effect.Effect<void, OAuthError> =>
  shown.allowed_grants.includes(grant)
    ? Effect.void
    : Effect.fail(
        new OAuthError({
          error: "unauthorized_client",
          error_description: `The client may not use the grant ${grant}`
        })
      )

export const noSuchClient = new OAuthError({
  error: "invalid_client",
  error_description: "There is no such client"
})

const make = Effect.gen(function* () {
  const store = yield* OAuthClientStore
  const documents = yield* ClientDocuments
  const hashing = yield* PasswordHashing
  const settings = yield* InstanceSettings
  const { publicUrl } = yield* Deployment

  /** A client that used Basic is told to use it (RFC 6749, 5.2). */
  const refused = ({ isBasic }: PresentedClient, description: string) =>
    isBasic
      ? unauthorized(`Basic realm="${publicUrl.hostname}"`, "invalid_client", description)
      : new OAuthError({ error: "invalid_client", error_description: description })

  /** The client with an id, which may be the address of a document about it. */
  const findNamed = Effect.fnUntraced(function* (clientId: string, from: ClientNetwork) {
    const documented = yield* documents.resolve(clientId, from)
    if (Option.isNone(documented)) return yield* store.findByClientId(clientId)
    return Option.some<AskingClient>({ ...documented.value, secretHash: undefined })
  })

  /** The client that somebody is asked about. */
  const getNamed = Effect.fn("ClientAuthentication.getNamed")(function* (
    clientId: string,
    from: ClientNetwork
  ) {
    const found = yield* findNamed(clientId, from)
    return Option.isSome(found) ? found.value : yield* noSuchClient
  })

  /** The client that sends a request. */
  const find = Effect.fn("ClientAuthentication.find")(function* (
    presented: PresentedClient,
    from: ClientNetwork
  ) {
    const { clientId } = presented
    if (clientId === undefined) return yield* Effect.fail(refused(presented, noSuchClient.error_description))
    return yield* getNamed(clientId, from).pipe(
      Effect.mapError((failure) =>
        failure.error === "invalid_client" ? refused(presented, failure.error_description) : failure
      )
    )
  })

  /** Fails unless the client is one that has a secret. */
  const checkConfidential = ({ shown }: AskingClient, presented: PresentedClient) =>
    shown.type === "confidential"
      ? Effect.void
      : Effect.fail(refused(presented, "Only clients that have a secret may do this"))

  /** Fails unless a client that has a secret has sent it. What a public client sends as its secret says nothing. */
  const checkSecret = Effect.fn("ClientAuthentication.checkSecret")(function* (
    { secretHash }: AskingClient,
    presented: PresentedClient,
    from: ClientNetwork
  ) {
    if (secretHash === undefined) return
    const { secret } = presented
    const isRight =
      secret !== undefined &&
      (yield* hashing.verify(secret, secretHash).pipe(hashing.inPlace(signingIn(from))))
    if (!isRight)
      return yield* Effect.fail(refused(presented, "The secret of the client is missing or wrong"))
  })

  /** What people read who are asked about a client: those of the service itself have its name. */
  const nameOf = ({ isBuiltIn, shown }: NamedClient) =>
    isBuiltIn ? Effect.map(settings.general, ({ title }) => title) : Effect.succeed(shown.name)

  return { getNamed, find, checkConfidential, checkSecret, nameOf } as const
})

export class ClientAuthentication extends Context.Service<
  ClientAuthentication,
  Effect.Success<typeof make>
>()("forum/domain/ClientAuthentication") {
  static readonly layer = Layer.effect(ClientAuthentication, make).pipe(
    Layer.provide(Layer.mergeAll(PasswordHashing.layer, InstanceSettings.layer, ClientDocuments.layer))
  )
}
