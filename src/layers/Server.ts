/** The service as it runs in production. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { InFlight } from "../http/shared/InFlight.ts"
import { TextCacheSize } from "../http/shared/TextCache.ts"
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
      // Ours comes first, and answers.
      gracefulShutdownTimeout: Duration.seconds(drainSeconds + 5)
    })
  )
)

/**
 * Gives requests their time to finish once the service is told to stop. The
 * server itself would wait for the slowest of them.
 */
const draining = Layer.effectDiscard(
  Effect.gen(function* () {
    const { drainSeconds } = yield* Settings
    const inFlight = yield* InFlight
    const giveUpInTime = Effect.andThen(Effect.sleep(Duration.seconds(drainSeconds)), inFlight.giveUp)
    yield* Effect.addFinalizer(() => Effect.forkDetach(giveUpInTime))
  })
)

const textCacheSize = Layer.effect(
  TextCacheSize,
  Effect.map(Settings, ({ cacheMegabytes }) => cacheMegabytes * 1024 * 1024)
)

export const live = Layer.mergeAll(EventConsumers.following, Housekeeping.live, draining).pipe(
  Layer.provideMerge(App.layer),
  HttpServer.withLogAddress,
  Layer.provide(server),
  Layer.provide(Layer.mergeAll(Database.live, deployment, textCacheSize, NodeCrypto.layer)),
  Layer.provide(Telemetry.live),
  Layer.provide(Settings.layer)
)
