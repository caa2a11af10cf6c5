/** Everything a deployment can set, read from the environment once at start. docs/operating.md lists it. */
import { Context, Effect, Layer, LogLevel } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import { ProvidersElsewhere } from "../../domain/authentication/ProvidersElsewhere.ts"
import { DocumentSettings } from "../../domain/oauthdocument/DocumentSettings.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { OAuthAddresses, usualAddresses } from "../../domain/settings/OAuthAddresses.ts"
import { networksOf, toNetwork } from "../../domain/shared/Network.ts"
import { MetricsToken } from "../../http/operations/MetricsAccess.ts"
import type { Bucket } from "../../persistence/asset/AssetFiles.ts"
import {
  expectedAddress,
  expectedReplica,
  readDatabaseAddress,
  readReplicaAddress
} from "../../persistence/primary/DatabaseAddress.ts"
import { fewestConnections } from "../../persistence/shared/Connections.ts"
import { readBackups } from "./BackupSettings.ts"
import { readDocuments } from "./DocumentSettings.ts"
import { readEncryptionKey, readKeyId, readSigningKey, readSwitch } from "./KeySettings.ts"
import { readAccessTokenSeconds, readLifetimes } from "./LifetimeSettings.ts"
import { readMailServer, readSender } from "./MailAddresses.ts"
import { readPluginSettings } from "./PluginSettings.ts"
import { readProviders } from "./ProviderSettings.ts"
import {
  integer,
  list,
  type Parse,
  refuse,
  secret,
  secretBy,
  secretsBy,
  setting,
  textOf,
  toWebAddress,
  webAddress
} from "./Setting.ts"
import { readSmsProvider } from "./SmsAddress.ts"

/** The public address of the service. Paths of the API begin with `/api` below it. */
const publicAddress = Effect.gen(function* () {
  const url = yield* webAddress("PUBLIC_URL")
  if (url === undefined || !/\/api\/*$/.test(url.pathname)) return url
  return yield* refuse("PUBLIC_URL", "the address before /api", url.href)
})

const toOrigin: Parse<string> = (text) => {
  const url = toWebAddress(text)
  return url?.pathname === "/" ? url.origin : undefined
}

const networks = (name: string) =>
  list(name, "IP addresses or networks like 10.0.0.0/8, separated by commas", toNetwork)

const toPluginProvider: Parse<"local" | "none"> = (text) => {
  const provider = text.toLowerCase()
  return provider === "local" || provider === "none" ? provider : undefined
}

const loopback = networksOf(["127.0.0.0/8", "::1/128"])

/** Networks without a rate limit: this machine, others, or none. */
const readExempt = Effect.gen(function* () {
  if ((yield* textOf("RATE_LIMIT_EXEMPT")).toLowerCase() === "none") return []
  const given = yield* networks("RATE_LIMIT_EXEMPT")
  return given.length === 0 ? loopback : given
})

const logLevels = LogLevel.values.filter((level) => level !== "All")

const toLogLevel: Parse<LogLevel.LogLevel> = (text) =>
  logLevels.find((level) => level.toLowerCase() === text.toLowerCase())

/** Where uploaded files go instead of the disk: all of these settings, or none. */
const readBucket = Effect.gen(function* () {
  const region = (yield* textOf("S3_REGION", "the name of a region")) || "us-east-1"
  const endpoint = yield* webAddress("S3_ENDPOINT")
  const bucket = yield* setting("S3_BUCKET", "the name of a bucket", (text) =>
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) ? text : undefined
  )
  const accessKeyId = yield* textOf("S3_ACCESS_KEY_ID", "the id of a key")
  const secretAccessKey = yield* secret("S3_SECRET_ACCESS_KEY", "a secret without spaces", /^\S+$/)
  const given = [endpoint, bucket, accessKeyId || undefined, secretAccessKey]
  if (given.every((value) => value === undefined)) return undefined
  if (endpoint === undefined) return yield* refuse("S3_ENDPOINT", "the address of the store of the bucket")
  if (bucket === undefined) return yield* refuse("S3_BUCKET", "the name of a bucket")
  if (accessKeyId === "") return yield* refuse("S3_ACCESS_KEY_ID", "the id of a key for the bucket")
  if (secretAccessKey === undefined) return yield* refuse("S3_SECRET_ACCESS_KEY", "the secret of that key")
  return { endpoint, bucket, region, accessKeyId, secretAccessKey } satisfies Bucket
})

/** Where mails are handed over and whom they are from: both settings, or no mail is sent. The first may contain a password. */
const readMail = Effect.gen(function* () {
  const form =
    "an address like smtp://user:password@host:587 or smtps://host, with ?tls= and ?verify= at most"
  const address = yield* textOf("SMTP_URL", form, { isSecret: true })
  const sender = yield* setting(
    "MAIL_FROM",
    "an address, or a name and an address like Forum <forum@example.com>",
    readSender
  )
  if (address === "") return undefined
  const server = readMailServer(address)
  if (server === undefined) {
    return yield* refuse("SMTP_URL", form)
  }
  if (sender === undefined)
    return yield* refuse("MAIL_FROM", "the address that mails are from, since SMTP_URL is set")
  return { server, sender }
})

/** The key that signs tokens, where the operator brings one: as PKCS#8, with its id. */
const readOwnKey = Effect.gen(function* () {
  const key = yield* secretBy(
    "OAUTH_SIGNING_KEY_BASE64",
    "an RSA key of 2048 to 8192 bits as PEM (PKCS#8 or PKCS#1), in base64",
    readSigningKey
  )
  const id = yield* setting("OAUTH_SIGNING_KEY_ID", "1 to 64 letters, digits and -._~", readKeyId)
  if (key !== undefined) return { key, ...(id === undefined ? {} : { id }) }
  return id === undefined
    ? undefined
    : yield* refuse("OAUTH_SIGNING_KEY_BASE64", "the key that OAUTH_SIGNING_KEY_ID names")
})

/** The pages on which people sign in and decide about programs, where they are not the usual ones of the web address. */
const readOAuthAddresses = Effect.fnUntraced(function* (webUrl: URL) {
  const usual = usualAddresses(webUrl)
  return {
    signIn: (yield* webAddress("OAUTH_AUTHORISATION_LOGIN_URL")) ?? usual.signIn,
    deviceConsent: (yield* webAddress("OAUTH_DEVICE_AUTHORISATION_CONSENT_URL")) ?? usual.deviceConsent,
    codeConsent: (yield* webAddress("OAUTH_AUTHORISATION_CODE_CONSENT_URL")) ?? usual.codeConsent
  }
})

/** Where text messages are handed over. It contains a secret. */
const readSms = Effect.gen(function* () {
  const expected =
    "twilio://sid:token@from, from a number like +4915123456789, a name or a messaging service, or an https address"
  const address = yield* textOf("SMS_URL", expected, { isSecret: true })
  if (address === "") return undefined
  return readSmsProvider(address) ?? (yield* refuse("SMS_URL", expected))
})

const read = Effect.gen(function* () {
  const port = (yield* integer("PORT", 0, 65_535)) ?? 8000
  const publicUrl = (yield* publicAddress) ?? new URL(`http://localhost:${port}`)
  const webUrl = (yield* webAddress("WEB_URL")) ?? publicUrl
  return {
    port,
    /** The IP address or host name to listen on; all interfaces when absent. */
    host:
      (yield* textOf("HOST", "an IP address or the name of a host")).replace(/^\[(.*)\]$/, "$1") || undefined,
    /** The address of the database; the embedded PostgreSQL under `dataDir` when absent. */
    databaseAddress: yield* secretBy("DATABASE_URL", expectedAddress, readDatabaseAddress),
    /** The addresses of copies of the database that guests may read. */
    databaseReplicas: yield* secretsBy("DATABASE_REPLICA_URLS", expectedReplica, readReplicaAddress),
    databasePool: (yield* integer("DATABASE_POOL", fewestConnections, 1000)) ?? 10,
    /** Memory for the texts of pages; 0 keeps none. */
    cacheMegabytes: (yield* integer("CACHE_MEGABYTES", 0, 10_000)) ?? 32,
    /** The average lateness of the event loop from which on expensive requests are refused. */
    shedDelayMilliseconds: (yield* integer("SHED_DELAY_MILLISECONDS", 10, 60_000)) ?? 100,
    /** The use of the heap from which on expensive requests are refused, in percent of its limit. */
    shedHeapPercent: (yield* integer("SHED_HEAP_PERCENT", 10, 99)) ?? 85,
    dataDir: (yield* textOf("DATA_DIR", "the path of a directory")) || "./data",
    /** What uploads leave free of the disk of `dataDir`; 0 for nothing. */
    diskReserveMegabytes: (yield* integer("DISK_RESERVE_MEGABYTES", 0, 100_000_000)) ?? 1024,
    bucket: yield* readBucket,
    /** Where backups are made by the service; it makes none when absent. */
    backups: yield* readBackups,
    /** What an account may upload on a day; 0 for any number. */
    uploadMegabytesPerDay: (yield* integer("UPLOAD_MEGABYTES_PER_DAY", 0, 1_000_000)) ?? 1024,
    /** What an account may upload in its first 24 hours; 0 for as much as later. */
    uploadMegabytesFirstDay: (yield* integer("UPLOAD_MEGABYTES_FIRST_DAY", 0, 1_000_000)) ?? 256,
    /** What may be uploaded from a network on a day; 0 for any number. */
    uploadMegabytesPerDayNetwork: (yield* integer("UPLOAD_MEGABYTES_PER_DAY_NETWORK", 0, 1_000_000)) ?? 4096,
    /** What may be uploaded by all on a day; 0 for any number. */
    uploadMegabytesPerDayInstance:
      (yield* integer("UPLOAD_MEGABYTES_PER_DAY_INSTANCE", 0, 100_000_000)) ?? 16_384,
    publicUrl,
    webUrl,
    allowedOrigins: yield* list(
      "ALLOWED_ORIGINS",
      "origins like https://app.example, without a path",
      toOrigin
    ),
    trustedProxies: yield* networks("TRUSTED_PROXIES"),
    exemptNetworks: yield* readExempt,
    /** Where instances count the requests of clients together; each counts for itself when absent. */
    redisUrl: yield* secret(
      "REDIS_URL",
      "an address like redis://user:password@host:6379/0",
      /^rediss?:\/\/\S+$/
    ),
    /** Where mails are handed over; without it the service sends none. */
    mail: yield* readMail,
    /** Whether other programs can act for accounts by OAuth. */
    oauthEnabled: (yield* setting("OAUTH_ENABLED", "true or false", readSwitch)) ?? true,
    oauthAddresses: yield* readOAuthAddresses(webUrl),
    /** Whether any program may register as a client, without a token of an administrator. */
    oauthRegistrationOpen:
      (yield* setting("OAUTH_DYNAMIC_REGISTRATION_ENABLED", "true or false", readSwitch)) ?? false,
    /** Whether agents use the service over the Model Context Protocol. */
    mcpEnabled: (yield* setting("MCP_ENABLED", "true or false", readSwitch)) ?? false,
    /** What clients may say of themselves by documents. */
    documents: yield* readDocuments,
    /** What runs plugins, or nothing does. */
    pluginProvider: (yield* setting("PLUGIN_RUNTIME_PROVIDER", "local or none", toPluginProvider)) ?? "local",
    /** How plugins run. */
    plugins: yield* readPluginSettings,
    /** Signs tokens instead of the keys that the service makes. */
    signingKey: yield* readOwnKey,
    /** How long an access token is valid. */
    accessTokenSeconds: yield* readAccessTokenSeconds,
    /** How long what leads to access tokens is valid. */
    lifetimes: yield* readLifetimes,
    /** Encrypts secrets in the database; a key in a file of `dataDir` does when absent. */
    encryptionKey: yield* secretBy(
      "OAUTH_KEY_ENCRYPTION_KEY",
      "32 random bytes in base64",
      readEncryptionKey
    ),
    /** Where text messages are handed over; without it the service sends none. */
    sms: yield* readSms,
    /** Other services whose accounts people may sign in with. */
    providers: yield* readProviders,
    /** Networks that are not public, to which the service may send requests all the same. */
    outboundNetworks: yield* networks("OUTBOUND_NETWORKS"),
    /** The bearer token that `/metrics` requires; without one it responds only to this machine. */
    metricsToken: yield* secret(
      "METRICS_TOKEN",
      "at least 16 characters out of letters, digits and -._~+/",
      /^[\w.~+/-]{16,}=*$/
    ),
    /** Open connections of clients; more are refused. */
    maxConnections: (yield* integer("MAX_CONNECTIONS", 10, 1_000_000)) ?? 5000,
    /** Callers who follow changes at the same time; more are refused. */
    maxStreams: (yield* integer("MAX_STREAMS", 0, 1_000_000)) ?? 5000,
    /** Seconds that requests in progress may take to finish when the service stops. */
    drainSeconds: (yield* integer("DRAIN_SECONDS", 0, 600)) ?? 15,
    logLevel: (yield* setting("LOG_LEVEL", `one of ${logLevels.join(", ")}`, toLogLevel)) ?? "Info",
    otlpUrl: yield* webAddress("OTLP_URL")
  }
})

export class Settings extends Context.Service<Settings, Effect.Success<typeof read>>()(
  "forum/layers/Settings"
) {
  static readonly layer = Layer.effect(Settings, read)
}

/** The settings that the domain and HTTP need. */
export const deployment = Layer.effect(
  Deployment,
  Effect.map(Settings, (settings) =>
    Deployment.of({
      publicUrl: settings.publicUrl,
      webUrl: settings.webUrl,
      origins: settings.allowedOrigins,
      trustedProxies: settings.trustedProxies,
      exemptNetworks: settings.exemptNetworks,
      oauthEnabled: settings.oauthEnabled,
      oauthRegistrationOpen: settings.oauthRegistrationOpen,
      pluginsEnabled: settings.pluginProvider !== "none",
      mcpEnabled: settings.mcpEnabled,
      version: manifest.version
    })
  )
)

export const oauthAddresses = Layer.effect(
  OAuthAddresses,
  Effect.map(Settings, (settings) => settings.oauthAddresses)
)

export const metricsToken = Layer.effect(
  MetricsToken,
  Effect.map(Settings, (settings) => settings.metricsToken)
)

export const providersElsewhere = Layer.effect(
  ProvidersElsewhere,
  Effect.map(Settings, ({ providers }) => providers)
)

export const clientDocuments = Layer.effect(
  DocumentSettings,
  Effect.map(Settings, ({ documents }) => documents)
)
