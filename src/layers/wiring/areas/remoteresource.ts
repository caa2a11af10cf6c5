import { Duration, Effect, Layer } from "effect"
import { RemoteConnections } from "../../../domain/remoteresource/RemoteConnections.ts"
import { RemoteTokens } from "../../../domain/remoteresource/RemoteTokens.ts"
import * as RemoteResourcesHandlers from "../../../http/remoteresource/RemoteResourcesHandlers.ts"
import * as RemoteConnectionStoreSql from "../../../persistence/remoteresource/RemoteConnectionStoreSql.ts"
import { type Area, empty } from "./Area.ts"

/** Resources of others to which this service connects by OAuth. */
export const remoteresource = {
  ...empty,
  stores: RemoteConnectionStoreSql.layer,
  services: Layer.merge(RemoteConnections.layer, RemoteTokens.layer),
  handlers: RemoteResourcesHandlers.layer,
  chores: Effect.map(RemoteConnections, ({ forgetAuthorisations }) => [
    { name: "forget who was sent to remote servers", every: Duration.hours(1), run: forgetAuthorisations }
  ])
} satisfies Area
