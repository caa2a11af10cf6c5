/** Everything a deployment can set, read from the environment once at start. README lists it. */
import { Config, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { IpNetwork } from "effect/net"
import manifest from "../../package.json" with { type: "json" }
import { Deployment } from "../domain/instance/Deployment.ts"
import { fewestConnections } from "../persistence/shared/Connections.ts"

/** A setting that cannot be used; the message is one line and names it. */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>()("SettingInvalid", {
  message: Schema.String
}) {}

const optional = <A>(config: Config.Config<A>) => Config.option(config)

/** A web address without query or fragment; what it names is the place, not a page. */
const address = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter(
        (text) => {
          const url = URL.parse(text)
          return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
        },
        { expected: "an http or https address" }
      )
    ),
    name
  )

const list = (name: string) => Config.Array(Schema.String, name).pipe(Config.withDefault([]))

const environment = Config.all({
  port: Config.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 })), "PORT").pipe(
    Config.withDefault(8000)
  ),
  host: optional(Config.String("HOST")),
  databaseUrl: optional(Config.Redacted("DATABASE_URL")),
  databasePool: Config.schema(
    Schema.Int.check(Schema.isBetween({ minimum: fewestConnections, maximum: 1000 })),
    "DATABASE_POOL"
  ).pipe(Config.withDefault(10)),
  cacheMegabytes: Config.schema(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
    "CACHE_MEGABYTES"
  ).pipe(Config.withDefault(32)),
  dataDir: Config.String("DATA_DIR").pipe(Config.withDefault("./data")),
  publicUrl: optional(address("PUBLIC_URL")),
  webUrl: optional(address("WEB_URL")),
  allowedOrigins: list("ALLOWED_ORIGINS"),
  trustedProxies: list("TRUSTED_PROXIES"),
  drainSeconds: Config.schema(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600 })),
    "DRAIN_SECONDS"
  ).pipe(Config.withDefault(15)),
  logLevel: Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info")),
  otlpUrl: optional(address("OTLP_URL"))
})

export interface SettingsShape {
  readonly port: number
  readonly host: string | undefined
  /** None: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly databasePool: number
  /** Memory for the texts of pages; 0 keeps none. */
  readonly cacheMegabytes: number
  readonly dataDir: string
  readonly publicUrl: URL
  readonly webUrl: URL
  readonly allowedOrigins: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  /** How long requests in flight may take to finish once the service is told to stop. */
  readonly drainSeconds: number
  readonly logLevel: Config.Success<typeof environment>["logLevel"]
  readonly otlpUrl: string | undefined
}

const networkOf = (text: string) =>
  Effect.try({
    try: () => IpNetwork.fromStringUnsafe(text),
    catch: () => new SettingInvalid({ message: `TRUSTED_PROXIES: "${text}" is no IP address or network` })
  })

const originOf = (text: string) => {
  const origin = URL.parse(text)?.origin
  return origin === undefined || origin === "null"
    ? Effect.fail(new SettingInvalid({ message: `ALLOWED_ORIGINS: "${text}" is no origin` }))
    : Effect.succeed(origin)
}

/** One line, the setting's name first. */
const toLine = (message: string) => {
  const line = message.replace(/\s*\n\s*/g, " ")
  const [, rule, name] = /^SchemaError\((.*) at \["(\w+)"\]\)$/.exec(line) ?? []
  return rule === undefined || name === undefined ? line : `${name}: ${rule}`
}

const make = Effect.gen(function* () {
  const read = yield* environment.pipe(
    Effect.mapError((error) => new SettingInvalid({ message: toLine(String(error.message)) }))
  )
  const publicUrl = new URL(Option.getOrElse(read.publicUrl, () => `http://localhost:${read.port}`))
  return {
    port: read.port,
    host: Option.getOrUndefined(read.host),
    databaseUrl: Option.getOrUndefined(read.databaseUrl),
    databasePool: read.databasePool,
    cacheMegabytes: read.cacheMegabytes,
    dataDir: read.dataDir,
    publicUrl,
    webUrl: Option.match(read.webUrl, { onNone: () => publicUrl, onSome: (url) => new URL(url) }),
    allowedOrigins: yield* Effect.forEach(read.allowedOrigins, originOf),
    trustedProxies: yield* Effect.forEach(read.trustedProxies, networkOf),
    drainSeconds: read.drainSeconds,
    logLevel: read.logLevel,
    otlpUrl: Option.getOrUndefined(read.otlpUrl)
  } satisfies SettingsShape
})

export class Settings extends Context.Service<Settings, SettingsShape>()("forum/layers/Settings") {
  static readonly layer = Layer.effect(Settings, make)
}

/** What of the settings the domain and HTTP know. */
export const deployment = Layer.effect(
  Deployment,
  Effect.map(Settings, (settings) =>
    Deployment.of({
      publicUrl: settings.publicUrl,
      webUrl: settings.webUrl,
      origins: settings.allowedOrigins,
      trustedProxies: settings.trustedProxies,
      version: manifest.version
    })
  )
)
