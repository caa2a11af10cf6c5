/** What administrators do with the clients of OAuth, whosever they are. */
import { Context, Effect, Layer, Option } from "effect"
import { PasswordHashing } from "../authentication/PasswordHashing.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { clientNotFound, makeClientWriting, parseClientId } from "./ClientWriting.ts"
import type { NewOAuthClient, OAuthClientChanges } from "./OAuthClient.ts"
import { decideChange, decideRemoval, decideSecret } from "./OAuthClientRules.ts"
import { OAuthClientStore, type StoredClient } from "./OAuthClientStore.ts"

const make = Effect.gen(function* () {
  const store = yield* OAuthClientStore
  const writing = yield* makeClientWriting

  /** The client with an id, by one of the ways in which the store finds it. */
  const getBy = Effect.fnUntraced(function* (find: typeof store.find, id: string) {
    const parsed = parseClientId(id)
    const found = parsed === undefined ? Option.none<StoredClient>() : yield* find(parsed)
    return Option.isSome(found) ? found.value : yield* clientNotFound(id)
  })

  /** All clients, newest first, those of the service itself included. */
  const list = Effect.fn("OAuthClients.list")(function* () {
    return yield* writing.show(yield* store.list)
  })

  const get = Effect.fn("OAuthClients.get")(function* (id: string) {
    const client = yield* getBy(store.find, id)
    const [shown = client.shown] = yield* writing.show([client])
    return shown
  })

  const create = Effect.fn("OAuthClients.create")(function* (input: NewOAuthClient) {
    yield* Effect.fromResult(decideSecret(input.type, input.client_secret_hash))
    const secret = yield* writing.secretOf(input.type, input.client_secret_hash)
    return yield* writing.create(
      {
        accountId: input.account_id,
        clientId: input.client_id,
        name: input.name,
        type: input.type,
        scopePolicy: input.scope_policy ?? "explicit",
        redirectUris: input.redirect_uris,
        allowedScopes: input.allowed_scopes,
        allowedGrants: input.allowed_grants,
        pkceRequired: true
      },
      secret
    )
  })

  const update = Effect.fn("OAuthClients.update")(function* (id: string, changes: OAuthClientChanges) {
    const decide = (client: StoredClient) => decideChange(client, changes)
    return yield* writing.update(getBy(store.findForUpdate, id), decide, changes.client_secret_hash)
  })

  const remove = Effect.fn("OAuthClients.remove")(function* (id: string) {
    const removable = Effect.tap(getBy(store.findForUpdate, id), (client) =>
      Effect.fromResult(decideRemoval(client))
    )
    yield* writing.remove(removable)
  })

  return { list, get, create, update, remove } as const
})

export class OAuthClients extends Context.Service<OAuthClients, Effect.Success<typeof make>>()(
  "forum/domain/OAuthClients"
) {
  static readonly layer = Layer.effect(OAuthClients, make).pipe(
    Layer.provide(Layer.merge(PasswordHashing.layer, InstanceSettings.layer))
  )
}
