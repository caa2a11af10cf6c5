/** The service of a forum in a test: everything that a deployment chooses is the test's. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, Layer, Redacted, References, Scope, Stream } from "effect"
import { HttpServer } from "effect/http"
import { MailTransport } from "../domain/mail/MailTransport.ts"
import { Outbound } from "../domain/outbound/Outbound.ts"
import { PluginLogs } from "../domain/plugin/PluginLogs.ts"
import { PluginLaunchFailed, PluginProcesses } from "../domain/plugin/PluginProcesses.ts"
import { Deployment } from "../domain/settings/Deployment.ts"
import { OAuthAddresses, usualAddresses } from "../domain/settings/OAuthAddresses.ts"
import { OAuthLifetimes } from "../domain/settings/OAuthLifetimes.ts"
import { networksOf } from "../domain/shared/Network.ts"
import { SigningSettings } from "../domain/signing/SigningSettings.ts"
import { TextMessages } from "../domain/sms/TextMessages.ts"
import { SecretBox } from "../domain/storage/SecretBox.ts"
import { BodyProgress } from "../http/bytes/BodyProgress.ts"
import { TextCacheSize } from "../http/bytes/TextCache.ts"
import { ConnectionFigures } from "../http/operations/ConnectionFigures.ts"
import { CurrentPressure } from "../http/pipeline/Admission.ts"
import * as SharpThumbnailer from "../layers/adapters/images/SharpThumbnailer.ts"
import * as BcryptThread from "../layers/adapters/passwords/BcryptThread.ts"
import { PluginFiles } from "../layers/adapters/plugins/LocalPluginDirectories.ts"
import { UpgradingServer } from "../layers/adapters/plugins/sockets/PluginSockets.ts"
import * as AesSecretBox from "../layers/adapters/secrets/AesSecretBox.ts"
import * as JoseTokens from "../layers/adapters/signing/JoseTokens.ts"
import type { Upgrades } from "../layers/connections/BoundedServer.ts"
import { Chores } from "../layers/process/Housekeeping.ts"
import * as NodeServer from "../layers/process/NodeServer.ts"
import { Workers } from "../layers/process/Workers.ts"
import * as App from "../layers/wiring/App.ts"
import { AssetFiles } from "../persistence/asset/AssetFiles.ts"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import type { Answering, Gate } from "./Gate.ts"
import { cheapHashes, cryptoWith } from "./Randomness.ts"
import { signingKey } from "./SigningKey.ts"

/** Encrypts with a key that all forums of tests have. */
export const secretBox = AesSecretBox.withKey(Redacted.make(new Uint8Array(32).fill(7)))

const notHere = { because: "tests run no programs" }

/** Plugins connect to the service, and none is run by it. */
export const noPrograms = (directory: string) =>
  Layer.mergeAll(
    Layer.succeed(PluginProcesses, {
      isolation: Effect.succeed({
        user: notHere,
        limits: notHere,
        processes: notHere,
        files: notHere,
        network: notHere
      }),
      launch: () => Effect.fail(new PluginLaunchFailed({ message: "Tests run no programs" }))
    }),
    Layer.succeed(PluginLogs, {
      append: () => Effect.void,
      rotate: () => Effect.void,
      follow: () => Stream.empty,
      remove: () => Effect.void,
      clean: Effect.void
    }),
    Layer.sync(PluginFiles, () => ({ directory }))
  )

const lifetimes = { refreshToken: 30 * 24 * 3600, authorisationCode: 60, deviceCode: 600, devicePoll: 5 }

const signing = Layer.mergeAll(
  JoseTokens.layer,
  Layer.succeed(SecretBox, secretBox),
  Layer.effect(
    SigningSettings,
    Effect.map(JoseTokens.keyPairOf(signingKey), (ownKey) => ({ accessTokenSeconds: 900, ownKey }))
  ),
  Layer.succeed(OAuthLifetimes, lifetimes)
)

const deployedAt = (url: URL) => {
  const deployment: Deployment["Service"] = {
    publicUrl: url,
    webUrl: url,
    origins: [],
    trustedProxies: [],
    // Tests send more requests than people.
    exemptNetworks: networksOf(["127.0.0.0/8", "::1/128"]),
    oauthEnabled: true,
    oauthRegistrationOpen: false,
    pluginsEnabled: true,
    mcpEnabled: true,
    version: "testing"
  }
  return Layer.merge(
    Layer.succeed(Deployment, deployment),
    Layer.succeed(OAuthAddresses, usualAddresses(deployment.webUrl))
  )
}

/** The port of a forum, which services take one after the other. */
export const openPort = Effect.fnUntraced(function* (gate: Gate, wished: number) {
  const node = NodeServer.make()
  const http = yield* NodeHttpServer.make(() => node.server, {
    port: wished,
    host: "127.0.0.1",
    disablePreemptiveShutdown: true
  })
  yield* http.serve(gate.answer)
  const open = new Set<ServerResponse>()
  node.server.on("request", (_request, response: ServerResponse) => {
    open.add(response)
    response.once("close", () => open.delete(response))
  })
  return {
    node,
    address: http.address,
    url: new URL(HttpServer.formatAddress(http.address)),
    /** Ends all answers that have not ended. */
    endAnswers: Effect.sync(() => {
      for (const response of open) response.destroy()
    }),
    /** Ends answers that have begun, such as streams. Requests that wait are answered later. */
    endStreams: Effect.sync(() => {
      for (const response of open) if (response.headersSent) response.destroy()
    })
  }
})

export type Port = Effect.Success<ReturnType<typeof openPort>>

/** A place at the port, for a service that is to be behind it some time. */
export const makePlace = ({ address, node }: Port) => {
  const place: { answer: Answering | undefined; upgrades: Upgrades | undefined } = {
    answer: undefined,
    upgrades: undefined
  }
  const server = HttpServer.make({
    address,
    serve: (answering) =>
      Effect.map(Effect.context<never>(), (context) => {
        // Each request has a scope of its own.
        place.answer = Effect.provideContext(answering, Context.omit(Scope.Scope)(context))
      })
  })
  const layer = Layer.mergeAll(
    Layer.succeed(HttpServer.HttpServer, server),
    Layer.succeed(ConnectionFigures, node.figures),
    Layer.succeed(BodyProgress, node.bodyProgress),
    Layer.succeed(UpgradingServer, {
      upgrading: (upgrades) => {
        place.upgrades = upgrades
      }
    })
  )
  return { place, layer }
}

/** What a test gives the service. */
export interface Given {
  readonly seed: number
  readonly clock: Clock.Clock
  readonly url: URL
  readonly directory: string
  readonly stores: typeof App.stores
  readonly ports: Layer.Layer<never>
  readonly mails: MailTransport["Service"]
  readonly texts: TextMessages["Service"]
  readonly outbound: Outbound["Service"]
}

/** The service, over the database and the port in the context. */
export const service = (given: Given) =>
  Layer.fresh(
    App.over(given.stores).pipe(
      Layer.provide(given.ports),
      Layer.provide(
        Layer.mergeAll(
          cryptoWith(cheapHashes, given.seed),
          BcryptThread.layer,
          deployedAt(given.url),
          Layer.succeed(TextCacheSize, 16 * 1024 * 1024),
          SharpThumbnailer.layer,
          Layer.succeed(CurrentPressure, () => "none"),
          Layer.succeed(AssetFiles, { directory: given.directory }),
          signing,
          noPrograms(given.directory),
          Layer.succeed(MailTransport, given.mails),
          Layer.succeed(TextMessages, given.texts),
          Layer.succeed(Outbound, given.outbound),
          NodeHttpServer.layerHttpServices
        )
      ),
      Layer.provide(Layer.succeed(References.TracerEnabled, false)),
      Layer.provide(Layer.succeed(Clock.Clock, given.clock))
    )
  )

// What holds events back, such as a request that has not ended, lasts no longer.
const roundsMax = 400

/** Hands over events and does what is due, again and again, until there is nothing left. */
export const settling = Effect.gen(function* () {
  const { drain, lag } = yield* EventConsumers
  const due = (yield* Workers).flatMap((worker) => (worker.drain === undefined ? [] : [worker.drain]))
  const round = Effect.gen(function* () {
    if ((yield* lag) > 0) yield* drain
    for (const work of due) yield* work
    return yield* lag
  })
  return round.pipe(
    Effect.tap((left) => (left > 0 ? Effect.sleep("5 millis") : Effect.void)),
    Effect.repeat({ while: (left) => left > 0, times: roundsMax }),
    Effect.catchCause((cause) => Effect.logDebug("What follows from requests was not done", cause)),
    Effect.asVoid
  )
})

/** Does every chore once, as if its time had come. */
export const tidying = Effect.gen(function* () {
  const chores = yield* Chores
  return Effect.forEach(
    chores,
    ({ name, run }) => Effect.catchCause(run, (cause) => Effect.logDebug(`A chore failed: ${name}`, cause)),
    { discard: true }
  )
})

/** Lets those workers go on that do nothing only when it is due. */
export const goOn = Effect.gen(function* () {
  for (const { drain, run } of yield* Workers) {
    if (drain === undefined) yield* Effect.forkScoped(run)
  }
})
