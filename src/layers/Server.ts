/** The service as it runs in production. */
import { NodeCrypto, NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import * as App from "./App.ts"
import * as Database from "./Database.ts"
import { gatedServer } from "./Gate.ts"
import * as Housekeeping from "./Housekeeping.ts"
import { deployment, Settings } from "./Settings.ts"
import * as Telemetry from "./Telemetry.ts"

const server = Layer.unwrap(
  Effect.map(Settings, ({ drainSeconds, host, port }) =>
    NodeHttpServer.layer(gatedServer, {
      port,
      ...(host === undefined ? {} : { host }),
      gracefulShutdownTimeout: Duration.seconds(drainSeconds)
    })
  )
)

export const live = Layer.mergeAll(EventConsumers.following, Housekeeping.live).pipe(
  Layer.provideMerge(App.layer),
  HttpServer.withLogAddress,
  Layer.provide(server),
  Layer.provide(Layer.mergeAll(Database.live, deployment, NodeCrypto.layer)),
  Layer.provide(Telemetry.live),
  Layer.provide(Settings.layer)
)
