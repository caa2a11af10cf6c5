/** The whole service over a fresh database, with a fixed clock, seeded randomness and cheap password hashes. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, References, Tracer } from "effect"
import { Kdf } from "effect/crypto"
import { FetchHttpClient, HttpClient, HttpServer } from "effect/http"
import type { MailTransport } from "../../src/domain/mail/MailTransport.ts"
import type { Outbound } from "../../src/domain/outbound/Outbound.ts"
import type { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import type { PluginProcesses } from "../../src/domain/plugin/PluginProcesses.ts"
import { Deployment } from "../../src/domain/settings/Deployment.ts"
import { OAuthAddresses, usualAddresses } from "../../src/domain/settings/OAuthAddresses.ts"
import { OAuthLifetimes } from "../../src/domain/settings/OAuthLifetimes.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { SigningSettings } from "../../src/domain/signing/SigningSettings.ts"
import type { TextMessages } from "../../src/domain/sms/TextMessages.ts"
import { SecretBox } from "../../src/domain/storage/SecretBox.ts"
import { BodyProgress } from "../../src/http/bytes/BodyProgress.ts"
import { TextCacheSize } from "../../src/http/bytes/TextCache.ts"
import type { Pressure } from "../../src/http/contract/Cost.ts"
import { ConnectionFigures } from "../../src/http/operations/ConnectionFigures.ts"
import { CurrentPressure } from "../../src/http/pipeline/Admission.ts"
import * as SharpThumbnailer from "../../src/layers/adapters/images/SharpThumbnailer.ts"
import * as BcryptThread from "../../src/layers/adapters/passwords/BcryptThread.ts"
import type { PluginFiles } from "../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import { UpgradingServer } from "../../src/layers/adapters/plugins/sockets/PluginSockets.ts"
import * as JoseTokens from "../../src/layers/adapters/signing/JoseTokens.ts"
import * as NodeServer from "../../src/layers/process/NodeServer.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { cheapHashes, cryptoWith, randomFrom } from "../../src/testing/Randomness.ts"
import { noPrograms as noProgramsIn, secretBox } from "../../src/testing/Service.ts"
import { storesAfter, storesBut } from "../../src/testing/Stores.ts"
import * as Database from "./database.ts"
import * as Mailbox from "./mailbox.ts"
import * as Pages from "./pages.ts"
import * as Phones from "./phones.ts"
import * as Providers from "./providers.ts"

/** The usual password hashes, with another effect before each, which is given the password. */
export const hashesAfter = (before: (password: string) => Effect.Effect<void>) =>
  Layer.effect(
    Kdf.Kdf,
    Effect.map(Kdf.Kdf, (usual) =>
      Kdf.Kdf.of({
        derive: (algorithm, key, options) =>
          Effect.andThen(before(new TextDecoder().decode(key)), usual.derive(algorithm, key, options))
      })
    )
  ).pipe(Layer.provide(cheapHashes))

// Another seed: no two instances make the same ids and tokens.
const cryptoElsewhere = cryptoWith(cheapHashes, 0x5eed_0002)

// What tests take from here.
export { randomFrom, secretBox, storesAfter, storesBut }

export const deployment: Deployment["Service"] = {
  publicUrl: new URL("http://forum.test"),
  webUrl: new URL("http://www.forum.test"),
  origins: ["https://app.forum.test"],
  trustedProxies: [],
  exemptNetworks: networksOf(["127.0.0.0/8", "::1/128"]),
  oauthEnabled: true,
  oauthRegistrationOpen: false,
  pluginsEnabled: true,
  mcpEnabled: false,
  version: "1.2.3"
}

/** What depends on the deployment, which is the usual one but for these differences. */
const deployedWith = (differences: Partial<Deployment["Service"]>) => {
  const chosen = { ...deployment, ...differences }
  return Layer.merge(
    Layer.succeed(Deployment, chosen),
    Layer.succeed(OAuthAddresses, usualAddresses(chosen.webUrl))
  )
}

const signing = Layer.mergeAll(
  JoseTokens.layer,
  Layer.succeed(SecretBox, secretBox),
  Layer.succeed(SigningSettings, { accessTokenSeconds: 900, ownKey: undefined }),
  Layer.succeed(OAuthLifetimes, {
    refreshToken: 30 * 24 * 3600,
    authorisationCode: 60,
    deviceCode: 600,
    devicePoll: 5
  })
)

/** A directory for the files of one service, which goes with it. */
export const files = Layer.effect(
  AssetFiles,
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "forum-assets-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
    ),
    (directory) => AssetFiles.of({ directory })
  )
)

/** Plugins connect to the service, and none is run by it. */
export const noPrograms = noProgramsIn(join(tmpdir(), "forum-no-plugins"))

/** How hard-pressed the service is; a test may change it. */
export const pressure: { current: Pressure } = { current: "none" }

const pressed = Layer.succeed(CurrentPressure, () => pressure.current)

/** As in a deployment: nothing is traced unless somebody receives the traces, which some tests do. */
const tracing = Layer.effectContext(
  Effect.map(Effect.context<never>(), (context) =>
    Context.make(References.TracerEnabled, context.mapUnsafe.has(Tracer.Tracer.key))
  )
)

/** The server of the deployment on any free port, and a client for it that keeps no connection open. */
const server = Layer.unwrap(
  Effect.sync(() => {
    const { bodyProgress, figures, server, upgrading } = NodeServer.make()
    return HttpServer.layerTestClient.pipe(
      Layer.provide(
        Layer.fresh(FetchHttpClient.layer).pipe(
          Layer.provide(Layer.succeed(FetchHttpClient.RequestInit)({ keepalive: false }))
        )
      ),
      Layer.provideMerge(NodeHttpServer.layer(() => server, { port: 0 })),
      Layer.merge(Layer.succeed(ConnectionFigures, figures)),
      Layer.merge(Layer.succeed(BodyProgress, bodyProgress)),
      Layer.merge(Layer.succeed(UpgradingServer, { upgrading }))
    )
  })
)

/** The service with another deployment than the usual, other stores, or other password hashes. */
export const layerWhere = (
  differences: Partial<Deployment["Service"]>,
  stores = App.stores,
  hashes = cheapHashes,
  places = files,
  thumbnailer = SharpThumbnailer.layer
) => servedWith(sending, differences, stores, hashes, places, thumbnailer)

/** A mail server and phones, for what the service sends. */
const sending = Layer.merge(Mailbox.layer, Phones.layer)

const servedWith = <Receivers, E, R>(
  receivers: Layer.Layer<Receivers | MailTransport | TextMessages, E, R>,
  differences: Partial<Deployment["Service"]>,
  stores = App.stores,
  hashes = cheapHashes,
  places = files,
  thumbnailer = SharpThumbnailer.layer,
  web: Layer.Layer<Outbound> = Pages.layer,
  programs: Layer.Layer<PluginProcesses | PluginLogs | PluginFiles> = noPrograms
) =>
  App.over(stores).pipe(
    Layer.provideMerge(server),
    Layer.provideMerge(Database.fresh),
    Layer.provideMerge(places),
    Layer.provideMerge(receivers),
    Layer.provide(
      Layer.mergeAll(
        cryptoWith(hashes, 1),
        BcryptThread.layer,
        deployedWith(differences),
        Layer.succeed(TextCacheSize, 1024 * 1024),
        thumbnailer,
        pressed,
        signing,
        Providers.layer,
        programs,
        web
      )
    ),
    Layer.provideMerge(tracing)
  )

export const layer = layerWhere({})

/** The service with another web than that of the tests. */
export const layerWithWeb = (web: Layer.Layer<Outbound>) =>
  servedWith(sending, {}, App.stores, cheapHashes, files, SharpThumbnailer.layer, web)

/** The service where the operator has set no mail server. */
export const withoutMail = servedWith(Layer.merge(Mailbox.none, Phones.layer), {})

/** The service where the operator has set no provider of text messages. */
export const withoutTextsWhere = (differences: Partial<Deployment["Service"]>) =>
  servedWith(Layer.merge(Mailbox.layer, Phones.none), differences)

export const withoutTexts = withoutTextsWhere({})

/** Speaks to a second instance on the same database, which keeps no texts. */
export class UncachedClient extends Context.Service<UncachedClient, HttpClient.HttpClient>()(
  "test/UncachedClient"
) {}

/** A second instance on the same database, which keeps no texts. */
export const elsewhere = (differences: Partial<Deployment["Service"]> = {}, web = Pages.layer) =>
  Layer.fresh(
    App.over(App.stores).pipe(
      Layer.provideMerge(server),
      Layer.provide(
        Layer.mergeAll(
          cryptoElsewhere,
          BcryptThread.layer,
          deployedWith(differences),
          Layer.succeed(TextCacheSize, 0),
          SharpThumbnailer.layer,
          files,
          pressed,
          signing,
          noPrograms,
          web,
          Providers.layer,
          sending
        )
      ),
      Layer.provide(tracing)
    )
  )

/** The same with another deployment than the usual. */
export const uncachedWhere = (differences: Partial<Deployment["Service"]>) =>
  Layer.effect(
    UncachedClient,
    Effect.map(Layer.build(elsewhere(differences)), (context) => Context.get(context, HttpClient.HttpClient))
  )

export const uncached = uncachedWhere({})

/** The service with programs of plugins that it runs, or something in their place. */
export const layerWithPrograms = (
  programs: Layer.Layer<PluginProcesses | PluginLogs | PluginFiles>,
  stores = App.stores
) => servedWith(sending, {}, stores, cheapHashes, files, SharpThumbnailer.layer, Pages.layer, programs)
