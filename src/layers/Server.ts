/** The service as it runs in production. */
import { NodeCrypto, NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import * as App from "./App.ts"
import * as Database from "./Database.ts"
import { gatedServer } from "./Gate.ts"
import { deployment, Settings } from "./Settings.ts"
import * as Telemetry from "./Telemetry.ts"

// How long requests in flight may take to finish once the service is told to stop.
const drain = "15 seconds"

const server = Layer.unwrap(
  Effect.map(Settings, ({ host, port }) =>
    NodeHttpServer.layer(gatedServer, {
      port,
      ...(host === undefined ? {} : { host }),
      gracefulShutdownTimeout: drain
    })
  )
)

export const live = EventConsumers.following.pipe(
  Layer.provideMerge(App.layer),
  HttpServer.withLogAddress,
  Layer.provide(server),
  Layer.provide(Layer.mergeAll(Database.live, deployment, NodeCrypto.layer)),
  Layer.provide(Telemetry.live),
  Layer.provide(Settings.layer)
)
