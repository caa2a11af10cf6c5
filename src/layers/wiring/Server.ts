/** The service as it runs in production. */
import { availableParallelism } from "node:os"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Duration, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { DiskSpace } from "../../domain/asset/DiskSpace.ts"
import { UploadQuotas } from "../../domain/asset/UploadQuota.ts"
import { HashingPlaces, hashingBounds } from "../../domain/authentication/PasswordHashing.ts"
import { StreamsOfProcess } from "../../domain/change/StreamPlaces.ts"
import { NetworksOpened } from "../../domain/outbound/NetworksOpened.ts"
import { PluginRuntimeSettings } from "../../domain/plugin/PluginRuntime.ts"
import { OAuthLifetimes } from "../../domain/settings/OAuthLifetimes.ts"
import { SigningSettings } from "../../domain/signing/SigningSettings.ts"
import { BodyProgress } from "../../http/bytes/BodyProgress.ts"
import { TextCacheSize } from "../../http/bytes/TextCache.ts"
import { ConnectionFigures } from "../../http/operations/ConnectionFigures.ts"
import { RateLimits } from "../../http/pipeline/RateLimits.ts"
import { makeFreeSpace } from "../../persistence/asset/FreeSpace.ts"
import { EventConsumers } from "../../persistence/event/EventConsumersSql.ts"
import * as Argon2 from "../adapters/Argon2.ts"
import * as SharpThumbnailer from "../adapters/images/SharpThumbnailer.ts"
import * as SmtpTransport from "../adapters/mail/SmtpTransport.ts"
import * as GuardedOutbound from "../adapters/outbound/GuardedOutbound.ts"
import * as BcryptThread from "../adapters/passwords/BcryptThread.ts"
import { PluginFiles, pluginsIn } from "../adapters/plugins/LocalPluginDirectories.ts"
import * as LocalPluginProcesses from "../adapters/plugins/LocalPluginProcesses.ts"
import * as PluginLogFiles from "../adapters/plugins/PluginLogFiles.ts"
import { UpgradingServer } from "../adapters/plugins/sockets/PluginSockets.ts"
import * as RedisCounts from "../adapters/redis/RedisCounts.ts"
import * as AesSecretBox from "../adapters/secrets/AesSecretBox.ts"
import * as JoseTokens from "../adapters/signing/JoseTokens.ts"
import * as ChosenMessages from "../adapters/sms/ChosenMessages.ts"
import * as ScheduledBackups from "../backup/ScheduledBackups.ts"
import { sharesAddress } from "../connections/Listeners.ts"
import * as Draining from "../process/Draining.ts"
import * as Housekeeping from "../process/Housekeeping.ts"
import * as InsecureDocuments from "../process/InsecureDocuments.ts"
import { checkFree, NodeServer } from "../process/NodeServer.ts"
import * as PressureGauge from "../process/PressureGauge.ts"
import * as SettingNames from "../process/SettingNames.ts"
import {
  clientDocuments,
  deployment,
  metricsToken,
  oauthAddresses,
  providersElsewhere,
  Settings
} from "../process/Settings.ts"
import * as StartChecks from "../process/StartChecks.ts"
import * as Telemetry from "../process/Telemetry.ts"
import * as Workers from "../process/Workers.ts"
import * as App from "./App.ts"
import * as Database from "./Database.ts"
import { assetFiles } from "./Files.ts"

const server = Layer.unwrap(
  Effect.gen(function* () {
    const { drainSeconds, host, port } = yield* Settings
    const { listenMore, server } = yield* NodeServer
    const at = { port, ...(host === undefined ? {} : { host }) }
    if (sharesAddress) yield* checkFree(at)
    return NodeHttpServer.layer(() => server, {
      ...at,
      reusePort: sharesAddress,
      // Longer than `Draining` takes, which answers the requests that it interrupts.
      gracefulShutdownTimeout: Duration.seconds(drainSeconds + 5)
    }).pipe(Layer.tap(() => Effect.sync(listenMore)))
  })
)

const textCacheSize = Layer.effect(
  TextCacheSize,
  Effect.map(Settings, ({ cacheMegabytes }) => cacheMegabytes * 1024 * 1024)
)

/** A limit in bytes; undefined, if there is none. */
const quotaOf = (megabytes: number) => (megabytes === 0 ? undefined : megabytes * 1024 * 1024)

const uploadQuotas = Layer.effect(
  UploadQuotas,
  Effect.map(Settings, (settings) => ({
    account: quotaOf(settings.uploadMegabytesPerDay),
    firstDay: quotaOf(settings.uploadMegabytesFirstDay),
    network: quotaOf(settings.uploadMegabytesPerDayNetwork),
    instance: quotaOf(settings.uploadMegabytesPerDayInstance)
  }))
)

/** The free space of the disk of the data directory, where files arrive, also those that go to a bucket. */
const diskSpace = Layer.effect(
  DiskSpace,
  Effect.gen(function* () {
    const { dataDir, diskReserveMegabytes } = yield* Settings
    return { free: yield* makeFreeSpace(dataDir), reserve: diskReserveMegabytes * 1024 * 1024 }
  })
)

const signingSettings = Layer.effect(
  SigningSettings,
  Effect.gen(function* () {
    const { accessTokenSeconds, signingKey } = yield* Settings
    return {
      accessTokenSeconds,
      ownKey: signingKey && (yield* JoseTokens.keyPairOf(signingKey.key, signingKey.id))
    }
  })
)

const lifetimes = Layer.effect(
  OAuthLifetimes,
  Effect.map(Settings, ({ lifetimes }) => lifetimes)
)

const connectionFigures = Layer.effect(
  ConnectionFigures,
  Effect.map(NodeServer, ({ figures }) => figures)
)

const networksOpened = Layer.effect(
  NetworksOpened,
  Effect.map(Settings, ({ outboundNetworks }) => outboundNetworks)
)

const pluginRuntime = Layer.effect(
  PluginRuntimeSettings,
  Effect.map(Settings, ({ plugins }) => plugins)
)

/** Where plugins are unpacked. */
const pluginFiles = Layer.effect(
  PluginFiles,
  Effect.map(Settings, ({ dataDir }) => ({ directory: pluginsIn(dataDir) }))
)

const upgradingServer = Layer.effect(
  UpgradingServer,
  Effect.map(NodeServer, ({ upgrading }) => ({ upgrading }))
)

const bodyProgress = Layer.effect(
  BodyProgress,
  Effect.map(NodeServer, ({ bodyProgress }) => bodyProgress)
)

const streamsOfProcess = Layer.effect(
  StreamsOfProcess,
  Effect.map(Settings, ({ maxStreams }) => maxStreams)
)

const hashingPlaces = Layer.sync(HashingPlaces, () => Math.min(hashingBounds.places, availableParallelism()))

const choices = Layer.mergeAll(
  deployment,
  oauthAddresses,
  metricsToken,
  providersElsewhere,
  clientDocuments,
  RedisCounts.layer,
  textCacheSize,
  assetFiles,
  uploadQuotas,
  diskSpace,
  hashingPlaces,
  streamsOfProcess,
  signingSettings,
  lifetimes,
  pluginFiles,
  pluginRuntime,
  networksOpened,
  LocalPluginProcesses.layer.pipe(Layer.provideMerge(PluginLogFiles.layer)),
  AesSecretBox.layer,
  JoseTokens.layer,
  BcryptThread.layer,
  Argon2.layer.pipe(Layer.provideMerge(NodeCrypto.layer))
)

/** The implementations that the settings choose, for everything but the database and the server. */
export const chosen = Layer.mergeAll(ChosenMessages.layer, SharpThumbnailer.layer, SmtpTransport.layer).pipe(
  Layer.provideMerge(GuardedOutbound.layer),
  Layer.provideMerge(choices)
)

const beside = Layer.mergeAll(
  EventConsumers.following,
  Housekeeping.live,
  Workers.live,
  ScheduledBackups.live,
  RateLimits.exchanging,
  Draining.live,
  StartChecks.live,
  SettingNames.warning,
  InsecureDocuments.warning,
  PressureGauge.measuring
)

/** An application with its server and everything below it, as the settings say. */
const deployed = <A, E, R>(app: Layer.Layer<A, E, R>) =>
  app.pipe(
    Layer.provideMerge(server),
    Layer.provide(Layer.mergeAll(connectionFigures, bodyProgress, upgradingServer)),
    Layer.provide(NodeServer.layer),
    Layer.provide(PressureGauge.layer),
    Layer.provide(chosen),
    Layer.provide(Database.replicas),
    Layer.provide(Database.live),
    Layer.provide(Telemetry.live),
    Layer.provide(Settings.layer)
  )

export const live = deployed(beside.pipe(Layer.provideMerge(App.layer), HttpServer.withLogAddress))

/** The service without anything that goes on beside requests. */
export const requestsOnly = deployed(App.layer)
