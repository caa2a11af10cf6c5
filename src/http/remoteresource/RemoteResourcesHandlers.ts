import { Effect, Layer } from "effect"
import { RemoteConnections } from "../../domain/remoteresource/RemoteConnections.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const resources = group(
  ForumApi,
  "remoteResources",
  Effect.fnUntraced(function* (handlers) {
    const connections = yield* RemoteConnections
    return handlers.handleAll({
      discover: ({ payload }) => connections.discover(payload.resource_url),
      list: () => Effect.map(connections.list(), (connections) => ({ connections })),
      create: ({ payload }) => connections.create(payload),
      authorise: ({ params }) => connections.authorise(params.oauth_remote_connection_id),
      delete: ({ params }) => connections.remove(params.oauth_remote_connection_id)
    })
  })
)

const callback = group(
  ForumApi,
  "remoteCallback",
  Effect.fnUntraced(function* (handlers) {
    const connections = yield* RemoteConnections
    return handlers.handleAll({ finish: ({ query }) => connections.finish(query) })
  })
)

export const layer = Layer.merge(resources, callback)
