import { Effect, Layer, Redacted } from "effect"
import type { CreatedClient } from "../../domain/oauthclient/ClientWriting.ts"
import { OAuthClients } from "../../domain/oauthclient/OAuthClients.ts"
import { OwnOAuthClients } from "../../domain/oauthclient/OwnOAuthClients.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const shownOnce = ({ secret }: CreatedClient) =>
  secret === undefined ? {} : { client_secret: Redacted.value(secret) }

const administrative = group(
  ForumApi,
  "adminOAuthClients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* OAuthClients
    return handlers.handleAll({
      list: () => Effect.map(clients.list(), (clients) => ({ clients })),
      create: ({ payload }) =>
        Effect.map(clients.create(payload), (created) => ({ ...created.client, ...shownOnce(created) })),
      get: ({ params }) => clients.get(params.oauth_client_id),
      update: ({ params, payload }) => clients.update(params.oauth_client_id, payload),
      delete: ({ params }) => clients.remove(params.oauth_client_id)
    })
  })
)

const own = group(
  ForumApi,
  "oauthClients",
  Effect.fnUntraced(function* (handlers) {
    const clients = yield* OwnOAuthClients
    return handlers.handleAll({
      list: () => Effect.map(clients.list(), (clients) => ({ clients })),
      create: ({ payload }) =>
        Effect.map(clients.create(payload), (created) => ({ client: created.client, ...shownOnce(created) })),
      get: ({ params }) => clients.get(params.oauth_client_id),
      update: ({ params, payload }) => clients.update(params.oauth_client_id, payload),
      delete: ({ params }) => clients.remove(params.oauth_client_id)
    })
  })
)

export const layer = Layer.merge(administrative, own)
