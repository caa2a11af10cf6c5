import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { usualLimits } from "../../src/domain/plugin/PluginRuntime.ts"
import { usualPolicy } from "../../src/domain/plugin/SupervisionRules.ts"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { Settings } from "../../src/layers/process/Settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provide(
    Settings,
    Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  )

const rsaKey = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength }).privateKey
const curveKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const signer = rsaKey(2048)
const publicHalf = createPublicKey(signer)

const base64Of = (
  key: KeyObject,
  type: "pkcs1" | "pkcs8" | "spki" = key.type === "public" ? "spki" : "pkcs8"
) => Buffer.from(key.export({ type, format: "pem" })).toString("base64")

const signingKey = "expected an RSA key of 2048 to 8192 bits as PEM (PKCS#8 or PKCS#1), in base64"
const lifetime = "expected a time from 1m to 24h, like 90s, 15m or 1h"

describe("the settings", () => {
  const names = [
    ...[
      "PORT",
      "HOST",
      "DATABASE_URL",
      "DATABASE_REPLICA_URLS",
      "DATABASE_POOL",
      "CACHE_MEGABYTES",
      "DATA_DIR",
      "PUBLIC_URL",
      "WEB_URL"
    ],
    ...[
      "SHED_DELAY_MILLISECONDS",
      "SHED_HEAP_PERCENT",
      "ALLOWED_ORIGINS",
      "MAX_CONNECTIONS",
      "MAX_STREAMS",
      "TRUSTED_PROXIES",
      "RATE_LIMIT_EXEMPT",
      "REDIS_URL",
      "OUTBOUND_NETWORKS",
      "SMTP_URL",
      "MAIL_FROM",
      "SMS_URL",
      "MCP_ENABLED",
      "PLUGIN_RUNTIME_PROVIDER",
      "PLUGIN_MEMORY_MEGABYTES",
      "PLUGIN_DISK_MEGABYTES",
      "PLUGIN_MAX_RESTART_ATTEMPTS",
      "PLUGIN_MAX_BACKOFF_DURATION",
      "PLUGIN_RUNTIME_CRASH_THRESHOLD",
      "PLUGIN_RUNTIME_CRASH_BACKOFF",
      "OAUTH_GOOGLE_CLIENT_ID",
      "OAUTH_GOOGLE_CLIENT_SECRET",
      "OAUTH_GITHUB_CLIENT_ID",
      "OAUTH_GITHUB_CLIENT_SECRET",
      "OAUTH_DISCORD_CLIENT_ID",
      "OAUTH_DISCORD_CLIENT_SECRET",
      "OAUTH_KEYCLOAK_CLIENT_ID",
      "OAUTH_KEYCLOAK_CLIENT_SECRET",
      "OAUTH_KEYCLOAK_ISSUER",
      "OAUTH_OIDC_CLIENT_ID",
      "OAUTH_OIDC_CLIENT_SECRET",
      "OAUTH_OIDC_ISSUER",
      "OAUTH_OIDC_NAME",
      "METRICS_TOKEN",
      "OAUTH_CIMD_ALLOWED_SCOPES",
      "OAUTH_CIMD_ALLOW_INSECURE_FETCH",
      "OAUTH_CIMD_ALLOW_PRIVILEGED_SCOPES",
      "OAUTH_CIMD_ENABLED",
      "OAUTH_DYNAMIC_REGISTRATION_ENABLED",
      "OAUTH_ENABLED",
      "OAUTH_SIGNING_KEY_BASE64",
      "OAUTH_SIGNING_KEY_ID",
      "OAUTH_ACCESS_TOKEN_TTL",
      "OAUTH_REFRESH_TOKEN_TTL",
      "OAUTH_AUTHORIZATION_CODE_TTL",
      "OAUTH_DEVICE_CODE_TTL",
      "OAUTH_DEVICE_POLL_EVERY",
      "OAUTH_AUTHORISATION_LOGIN_URL",
      "OAUTH_DEVICE_AUTHORISATION_CONSENT_URL",
      "OAUTH_AUTHORISATION_CODE_CONSENT_URL",
      "OAUTH_KEY_ENCRYPTION_KEY",
      "DRAIN_SECONDS",
      "LOG_LEVEL",
      "OTLP_URL",
      "BACKUP_DIR",
      "BACKUP_EVERY",
      "BACKUP_KEEP",
      "S3_ENDPOINT",
      "S3_BUCKET",
      "S3_REGION",
      "S3_ACCESS_KEY_ID",
      "S3_SECRET_ACCESS_KEY",
      "UPLOAD_MEGABYTES_PER_DAY",
      "DISK_RESERVE_MEGABYTES",
      "UPLOAD_MEGABYTES_FIRST_DAY",
      "UPLOAD_MEGABYTES_PER_DAY_NETWORK",
      "UPLOAD_MEGABYTES_PER_DAY_INSTANCE"
    ]
  ]

  it.effect("have a default, also where a variable is empty or blank", () =>
    Effect.gen(function* () {
      const all = (text: string) => Object.fromEntries(names.map((name) => [name, text]))
      for (const env of [{}, all(""), all("  ")]) {
        assert.deepStrictEqual(yield* read(env), {
          port: 8000,
          host: undefined,
          databaseAddress: undefined,
          databaseReplicas: [],
          databasePool: 10,
          cacheMegabytes: 32,
          shedDelayMilliseconds: 100,
          shedHeapPercent: 85,
          dataDir: "./data",
          diskReserveMegabytes: 1024,
          bucket: undefined,
          backups: undefined,
          uploadMegabytesPerDay: 1024,
          uploadMegabytesFirstDay: 256,
          uploadMegabytesPerDayNetwork: 4096,
          uploadMegabytesPerDayInstance: 16_384,
          publicUrl: new URL("http://localhost:8000"),
          webUrl: new URL("http://localhost:8000"),
          allowedOrigins: [],
          trustedProxies: [],
          exemptNetworks: networksOf(["127.0.0.0/8", "::1/128"]),
          redisUrl: undefined,
          providers: [],
          outboundNetworks: [],
          mail: undefined,
          oauthEnabled: true,
          oauthAddresses: {
            signIn: new URL("http://localhost:8000/login"),
            deviceConsent: new URL("http://localhost:8000/oauth/consent"),
            codeConsent: new URL("http://localhost:8000/oauth/authorize/consent")
          },
          oauthRegistrationOpen: false,
          mcpEnabled: false,
          pluginProvider: "local",
          plugins: { policy: usualPolicy, limits: usualLimits },
          documents: {
            enabled: false,
            allowedPermissions: [],
            allowsPrivileged: false,
            allowsInsecure: false
          },
          signingKey: undefined,
          accessTokenSeconds: 900,
          lifetimes: { refreshToken: 2_592_000, authorisationCode: 60, deviceCode: 600, devicePoll: 5 },
          encryptionKey: undefined,
          sms: undefined,
          metricsToken: undefined,
          maxConnections: 5000,
          maxStreams: 5000,
          drainSeconds: 15,
          logLevel: "Info",
          otlpUrl: undefined
        })
      }
    })
  )

  it.effect("that are absent follow those that they are derived from", () =>
    Effect.gen(function* () {
      const settings = yield* read({ PORT: "9000", PUBLIC_URL: "https://api.example/forum" })
      assert.strictEqual(settings.webUrl.href, "https://api.example/forum")
      assert.strictEqual((yield* read({ PORT: "9000" })).publicUrl.href, "http://localhost:9000/")
      const { oauthAddresses } = yield* read({ WEB_URL: "https://web.example/forum/" })
      assert.deepStrictEqual(Object.values(oauthAddresses).map(String), [
        "https://web.example/forum/login",
        "https://web.example/forum/oauth/consent",
        "https://web.example/forum/oauth/authorize/consent"
      ])
    })
  )

  it.effect("may have spaces around their values", () =>
    Effect.gen(function* () {
      const settings = yield* read({ PORT: " 80 ", HOST: " ::1 ", DATA_DIR: " /srv ", LOG_LEVEL: " Warn\t" })
      assert.strictEqual(settings.port, 80)
      assert.strictEqual(settings.host, "::1")
      assert.strictEqual(settings.dataDir, "/srv")
      assert.strictEqual(settings.logLevel, "Warn")
    })
  )

  it.effect("take the lowest and the highest number", () =>
    Effect.gen(function* () {
      const lowest = yield* read({ PORT: "0", DATABASE_POOL: "4", DRAIN_SECONDS: "0", MAX_CONNECTIONS: "10" })
      assert.deepStrictEqual([lowest.port, lowest.databasePool, lowest.drainSeconds], [0, 4, 0])
      assert.strictEqual(lowest.maxConnections, 10)
      const highest = yield* read({ PORT: "65535", DATABASE_POOL: "1000", DRAIN_SECONDS: "600" })
      assert.deepStrictEqual([highest.port, highest.databasePool, highest.drainSeconds], [65_535, 1000, 600])
    })
  )

  it.effect("take an IPv6 address with and without brackets", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ HOST: "[::1]" })).host, "::1")
      assert.strictEqual((yield* read({ HOST: "forum.internal" })).host, "forum.internal")
    })
  )

  it.effect("take a log level in upper and lower case", () =>
    Effect.gen(function* () {
      for (const text of ["debug", "Debug", "DEBUG"]) {
        assert.strictEqual((yield* read({ LOG_LEVEL: text })).logLevel, "Debug")
      }
      assert.strictEqual((yield* read({ LOG_LEVEL: "none" })).logLevel, "None")
    })
  )

  it.effect("take origins in any case and spacing, with and without a slash or a default port", () =>
    Effect.gen(function* () {
      const text = " https://App.Example/ ,,http://b.example:80\n http://c.example:8080,"
      const { allowedOrigins } = yield* read({ ALLOWED_ORIGINS: text })
      assert.deepStrictEqual(allowedOrigins, [
        "https://app.example",
        "http://b.example",
        "http://c.example:8080"
      ])
    })
  )

  it.effect("take proxies as addresses and as networks, in any spacing", () =>
    Effect.gen(function* () {
      const text = "127.0.0.1, 10.0.0.0/8 ,, 192.168.1.7/24 ::1,\tfd00::/8,"
      const { trustedProxies } = yield* read({ TRUSTED_PROXIES: text })
      assert.deepStrictEqual(trustedProxies.map(IpNetwork.format), [
        ...["127.0.0.1/32", "10.0.0.0/8", "192.168.1.0/24"],
        ...["::1/128", "fd00::/8"]
      ])
    })
  )

  it.effect("make backups where a directory is named, and are refused without one", () =>
    Effect.gen(function* () {
      const directory = "/var/backups/forum"
      assert.deepStrictEqual((yield* read({ BACKUP_DIR: directory })).backups, {
        directory,
        everySeconds: 86_400,
        keep: 7
      })
      const given = { BACKUP_DIR: directory, BACKUP_EVERY: "90s", BACKUP_KEEP: "30" }
      assert.deepStrictEqual((yield* read(given)).backups, { directory, everySeconds: 90, keep: 30 })
      for (const lonely of [{ BACKUP_EVERY: "24h" }, { BACKUP_KEEP: "7" }]) {
        const { message } = yield* Effect.flip(read(lonely))
        assert.match(message, /^BACKUP_DIR: expected the directory of backups, since/)
      }
    })
  )

  it.effect("take networks without a rate limit, or the word for none", () =>
    Effect.gen(function* () {
      const exempt = (text: string) =>
        Effect.map(read({ RATE_LIMIT_EXEMPT: text }), ({ exemptNetworks }) =>
          exemptNetworks.map(IpNetwork.format)
        )
      assert.deepStrictEqual(yield* exempt("10.1.2.3/8 ::ffff:192.0.2.1"), ["10.0.0.0/8", "192.0.2.1/32"])
      for (const none of ["none", "NONE", " None "]) assert.deepStrictEqual(yield* exempt(none), [])
    })
  )

  it.effect("take the address of a Redis, with and without TLS", () =>
    Effect.gen(function* () {
      for (const url of ["redis://redis:6379", "rediss://user:hush@redis.example/1"]) {
        const { redisUrl } = yield* read({ REDIS_URL: url })
        assert.strictEqual(redisUrl && Redacted.value(redisUrl), url)
      }
    })
  )

  it.effect("take the address of a database in both spellings", () =>
    Effect.gen(function* () {
      for (const url of ["postgres://forum@db/forum", "postgresql:///forum?host=/run/postgresql"]) {
        const { databaseAddress } = yield* read({ DATABASE_URL: url })
        assert.strictEqual(databaseAddress && Redacted.value(databaseAddress).url, url)
      }
    })
  )

  const wholeNumber = (from: number, to: number) => `expected a whole number from ${from} to ${to}`
  const address = "expected an http or https address without user, query and fragment"
  const origins = "expected origins like https://app.example, without a path"
  const proxies = "expected IP addresses or networks like 10.0.0.0/8, separated by commas"

  const server =
    "expected an address like smtp://user:password@host:587 or smtps://host, with ?tls= and ?verify= at most"
  const sender = "expected an address, or a name and an address like Forum <forum@example.com>"

  const texts =
    "expected twilio://sid:token@from, from a number like +4915123456789, a name or a messaging service, or an https address"

  const refused: ReadonlyArray<readonly [name: string, value: string, message: string]> = [
    ["PORT", "http", `${wholeNumber(0, 65_535)}, not "http"`],
    ["PORT", "-1", `${wholeNumber(0, 65_535)}, not "-1"`],
    ["PORT", "65536", `${wholeNumber(0, 65_535)}, not "65536"`],
    ["PORT", "80.5", `${wholeNumber(0, 65_535)}, not "80.5"`],
    ["PORT", "1e3", `${wholeNumber(0, 65_535)}, not "1e3"`],
    ["DATABASE_POOL", "0", `${wholeNumber(4, 1000)}, not "0"`],
    ["MAX_STREAMS", "1000001", `${wholeNumber(0, 1_000_000)}, not "1000001"`],
    ["MAX_CONNECTIONS", "9", `${wholeNumber(10, 1_000_000)}, not "9"`],
    ["DATABASE_POOL", "3", `${wholeNumber(4, 1000)}, not "3"`],
    ["DATABASE_POOL", "1001", `${wholeNumber(4, 1000)}, not "1001"`],
    ["DRAIN_SECONDS", "-1", `${wholeNumber(0, 600)}, not "-1"`],
    ["DRAIN_SECONDS", "601", `${wholeNumber(0, 600)}, not "601"`],
    [
      "DATABASE_URL",
      "mysql://root:hush@db/forum",
      "expected an address like postgres://user:password@host:5432/database, or with several hosts, like host:5432,other:5432"
    ],
    [
      "DATABASE_URL",
      "hush",
      "expected an address like postgres://user:password@host:5432/database, or with several hosts, like host:5432,other:5432"
    ],
    [
      "DATABASE_REPLICA_URLS",
      "postgres://root:hush@db/forum postgres://root:hush@one,other/forum",
      "expected addresses like postgres://user:password@host:5432/database, separated by spaces, with one host each"
    ],
    [
      "PUBLIC_URL",
      "https://forum.example/api",
      'expected the address before /api, not "https://forum.example/api"'
    ],
    [
      "PUBLIC_URL",
      "https://x.example/a/api/",
      'expected the address before /api, not "https://x.example/a/api/"'
    ],
    ["PUBLIC_URL", "forum.example", `${address}, not "forum.example"`],
    ["PUBLIC_URL", "https://forum.example/?a=b", `${address}, not "https://forum.example/?a=b"`],
    ["PUBLIC_URL", "https://forum.example/?", `${address}, not "https://forum.example/?"`],
    ["PUBLIC_URL", "https://forum.example/#top", `${address}, not "https://forum.example/#top"`],
    ["PUBLIC_URL", "https://forum.example/#", `${address}, not "https://forum.example/#"`],
    ["PUBLIC_URL", "https://odin@forum.example", address],
    ["WEB_URL", "ftp://forum.example", `${address}, not "ftp://forum.example"`],
    ["OTLP_URL", "collector", `${address}, not "collector"`],
    ["OTLP_URL", "http://:hush@collector", address],
    ["ALLOWED_ORIGINS", "https://ok.example,nonsense", `${origins}, not "nonsense"`],
    ["ALLOWED_ORIGINS", "https://a.example/path", `${origins}, not "https://a.example/path"`],
    ["ALLOWED_ORIGINS", "https://a.example/?b", `${origins}, not "https://a.example/?b"`],
    ["ALLOWED_ORIGINS", "file:///", `${origins}, not "file:///"`],
    ["ALLOWED_ORIGINS", "*", `${origins}, not "*"`],
    ["TRUSTED_PROXIES", "10.0.0.0/99", `${proxies}, not "10.0.0.0/99"`],
    ["TRUSTED_PROXIES", "127.0.0.1,proxy.internal", `${proxies}, not "proxy.internal"`],
    ["RATE_LIMIT_EXEMPT", "none, 10.0.0.0/8", `${proxies}, not "none"`],
    ["REDIS_URL", "http://hush@redis", "expected an address like redis://user:password@host:6379/0"],
    ["LOG_LEVEL", "loud", 'expected one of Fatal, Error, Warn, Info, Debug, Trace, None, not "loud"'],
    ["BACKUP_EVERY", "59s", 'expected a time from 1m to 8760h, like 24h, not "59s"'],
    ["BACKUP_EVERY", "8761h", 'expected a time from 1m to 8760h, like 24h, not "8761h"'],
    ["BACKUP_KEEP", "0", `${wholeNumber(1, 10_000)}, not "0"`],
    ["BACKUP_KEEP", "10001", `${wholeNumber(1, 10_000)}, not "10001"`],
    ["S3_ENDPOINT", "store.example", `${address}, not "store.example"`],
    ["S3_BUCKET", "Not/A Bucket", 'expected the name of a bucket, not "Not/A Bucket"'],
    ["S3_SECRET_ACCESS_KEY", "hush hush", "expected a secret without spaces"],
    ["SMTP_URL", "smtp://odin:hush hush@mail.example/inbox", server],
    ["SMTP_URL", "hush", server],
    ["MAIL_FROM", "Forum", `${sender}, not "Forum"`],
    ["OAUTH_CIMD_ENABLED", "maybe", 'expected true or false, not "maybe"'],
    ["OAUTH_CIMD_ALLOW_PRIVILEGED_SCOPES", "maybe", 'expected true or false, not "maybe"'],
    ["OAUTH_CIMD_ALLOW_INSECURE_FETCH", "maybe", 'expected true or false, not "maybe"'],
    [
      "OAUTH_CIMD_ALLOWED_SCOPES",
      "READ_PROFILE,openid",
      'expected names of permissions like READ_PUBLISHED_THREADS, separated by commas, not "openid"'
    ],
    ["OAUTH_DYNAMIC_REGISTRATION_ENABLED", "maybe", 'expected true or false, not "maybe"'],
    ["OAUTH_ENABLED", "maybe", 'expected true or false, not "maybe"'],
    ["OAUTH_ACCESS_TOKEN_TTL", "59s", `${lifetime}, not "59s"`],
    ["OAUTH_ACCESS_TOKEN_TTL", "25h", `${lifetime}, not "25h"`],
    ["OAUTH_ACCESS_TOKEN_TTL", "15", `${lifetime}, not "15"`],
    ["OAUTH_REFRESH_TOKEN_TTL", "59m", 'expected a time from 1h to 8760h, like 90s, 15m or 1h, not "59m"'],
    ["OAUTH_AUTHORIZATION_CODE_TTL", "9s", 'expected a time from 10s to 10m, like 90s, 15m or 1h, not "9s"'],
    ["OAUTH_DEVICE_CODE_TTL", "2h", 'expected a time from 1m to 1h, like 90s, 15m or 1h, not "2h"'],
    ["OAUTH_DEVICE_POLL_EVERY", "61s", 'expected a time from 1s to 60s, like 90s, 15m or 1h, not "61s"'],
    ["OAUTH_SIGNING_KEY_BASE64", "hush", signingKey],
    ["OAUTH_SIGNING_KEY_BASE64", base64Of(rsaKey(1024)), signingKey],
    ["OAUTH_SIGNING_KEY_BASE64", base64Of(curveKey), signingKey],
    ["OAUTH_SIGNING_KEY_BASE64", base64Of(publicHalf), signingKey],
    ["OAUTH_SIGNING_KEY_ID", "two words", 'expected 1 to 64 letters, digits and -._~, not "two words"'],
    ["OAUTH_KEY_ENCRYPTION_KEY", "hush", "expected 32 random bytes in base64"],
    ["OAUTH_KEY_ENCRYPTION_KEY", "A".repeat(44), "expected 32 random bytes in base64"],
    ["PLUGIN_MEMORY_MEGABYTES", "31", 'expected a whole number from 32 to 65536, not "31"'],
    ["PLUGIN_DISK_MEGABYTES", "0", 'expected a whole number from 1 to 65536, not "0"'],
    ["PLUGIN_MAX_RESTART_ATTEMPTS", "101", 'expected a whole number from 0 to 100, not "101"'],
    ["PLUGIN_MAX_BACKOFF_DURATION", "2h", 'expected a time from 1s to 1h, like 90s, 15m or 1h, not "2h"'],
    ["PLUGIN_RUNTIME_CRASH_THRESHOLD", "0s", 'expected a time from 1s to 1h, like 90s, 15m or 1h, not "0s"'],
    ["PLUGIN_RUNTIME_CRASH_BACKOFF", "11m", 'expected a time from 1s to 10m, like 90s, 15m or 1h, not "11m"'],
    ["MCP_ENABLED", "maybe", 'expected true or false, not "maybe"'],
    ["PLUGIN_RUNTIME_PROVIDER", "docker", 'expected local or none, not "docker"'],
    ["SMS_URL", "twilio://hush:hush@Forum", texts],
    ["SMS_URL", "http://texts.example/hush", texts],
    ["METRICS_TOKEN", "too-short-hush!", "expected at least 16 characters out of letters, digits and -._~+/"],
    [
      "METRICS_TOKEN",
      "hush hush hush hush hush",
      "expected at least 16 characters out of letters, digits and -._~+/"
    ]
  ]
  for (const [name, value, message] of refused) {
    it.effect(`refuse ${name}=${value} in one line that names it and says what is accepted`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read({ [name]: value }))
        assert.strictEqual(error._tag, "SettingInvalid")
        assert.strictEqual(error.message, `${name}: ${message}`)
      })
    )
  }

  it.effect("take a signing key in either form, with an id or without", () =>
    Effect.gen(function* () {
      for (const type of ["pkcs1", "pkcs8"] as const) {
        const key = base64Of(signer, type)
        const { signingKey } = yield* read({ OAUTH_SIGNING_KEY_BASE64: key, OAUTH_SIGNING_KEY_ID: "key-1" })
        assert.strictEqual(signingKey?.id, "key-1")
        assert.isTrue(
          signingKey && createPrivateKey(Redacted.value(signingKey.key)).equals(signer),
          `${type} is the same key`
        )
        assert.isUndefined((yield* read({ OAUTH_SIGNING_KEY_BASE64: key })).signingKey?.id)
      }
      const { message } = yield* Effect.flip(read({ OAUTH_SIGNING_KEY_ID: "key-1" }))
      assert.strictEqual(
        message,
        "OAUTH_SIGNING_KEY_BASE64: expected the key that OAUTH_SIGNING_KEY_ID names"
      )
    })
  )

  it.effect("take what documents of clients may say", () =>
    Effect.gen(function* () {
      const { documents } = yield* read({
        OAUTH_CIMD_ENABLED: "true",
        OAUTH_CIMD_ALLOWED_SCOPES: "CREATE_POST, READ_PROFILE",
        OAUTH_CIMD_ALLOW_PRIVILEGED_SCOPES: "on",
        OAUTH_CIMD_ALLOW_INSECURE_FETCH: "true"
      })
      assert.deepStrictEqual(documents, {
        enabled: true,
        allowedPermissions: ["CREATE_POST", "READ_PROFILE"],
        allowsPrivileged: true,
        allowsInsecure: true
      })
    })
  )

  it.effect("take a key for secrets in base64 and base64url, padded or not", () =>
    Effect.gen(function* () {
      const bytes = Buffer.alloc(32, 0xfb)
      for (const text of [bytes.toString("base64"), bytes.toString("base64url")]) {
        const { encryptionKey } = yield* read({ OAUTH_KEY_ENCRYPTION_KEY: text })
        assert.deepStrictEqual(encryptionKey && Buffer.from(Redacted.value(encryptionKey)), bytes)
      }
    })
  )

  it.effect("take times with a unit, and switches in several words", () =>
    Effect.gen(function* () {
      for (const [text, seconds] of [
        ["60s", 60],
        ["1m", 60],
        ["90s", 90],
        ["15m", 900],
        ["24h", 86_400]
      ] as const) {
        assert.strictEqual((yield* read({ OAUTH_ACCESS_TOKEN_TTL: text })).accessTokenSeconds, seconds)
      }
      for (const text of ["true", "on", "ON"]) {
        assert.isTrue((yield* read({ OAUTH_ENABLED: text })).oauthEnabled)
        const open = yield* read({ OAUTH_DYNAMIC_REGISTRATION_ENABLED: text })
        assert.isTrue(open.oauthRegistrationOpen)
      }
      for (const text of ["false", "off", "False"]) {
        assert.isFalse((yield* read({ OAUTH_ENABLED: text })).oauthEnabled)
      }
      for (const text of ["none", "None"]) {
        assert.strictEqual((yield* read({ PLUGIN_RUNTIME_PROVIDER: text })).pluginProvider, "none")
      }
      assert.strictEqual((yield* read({ PLUGIN_RUNTIME_PROVIDER: "local" })).pluginProvider, "local")
    })
  )

  const bucket = {
    S3_ENDPOINT: "https://store.example/base",
    S3_BUCKET: "files",
    S3_ACCESS_KEY_ID: "key",
    S3_SECRET_ACCESS_KEY: "hush"
  }

  it.effect("name a bucket completely, or not at all", () =>
    Effect.gen(function* () {
      for (const name of Object.keys(bucket)) {
        const { message } = yield* Effect.flip(read({ ...bucket, [name]: "" }))
        assert.isTrue(message.startsWith(`${name}: expected `), message)
        assert.notInclude(message, "hush")
      }
      const { bucket: settings } = yield* read(bucket)
      assert.strictEqual(settings?.endpoint.href, "https://store.example/base")
      assert.strictEqual(settings?.region, "us-east-1")
      assert.strictEqual(settings && Redacted.value(settings.secretAccessKey), "hush")
      assert.strictEqual((yield* read({ ...bucket, S3_REGION: "eu-1" })).bucket?.region, "eu-1")
    })
  )

  it.effect("name a mail server and whom mails are from, or neither", () =>
    Effect.gen(function* () {
      const given = { SMTP_URL: "smtp://odin:hush@mail.example", MAIL_FROM: "Forum <forum@mail.example>" }
      const { message } = yield* Effect.flip(read({ ...given, MAIL_FROM: "" }))
      assert.strictEqual(
        message,
        "MAIL_FROM: expected the address that mails are from, since SMTP_URL is set"
      )
      assert.isUndefined((yield* read({ ...given, SMTP_URL: "" })).mail)
      const { mail } = yield* read(given)
      assert.deepStrictEqual(mail?.sender, { name: "Forum", address: "forum@mail.example" })
      assert.deepInclude(mail?.server, { host: "mail.example", port: 587, encryption: "required" })
      assert.strictEqual(mail?.server.user && Redacted.value(mail.server.user.password), "hush")
    })
  )

  it.effect("name a provider of text messages, or none", () =>
    Effect.gen(function* () {
      const { sms } = yield* read({ SMS_URL: `twilio://AC${"0".repeat(32)}:hush@+4915123456789` })
      assert.deepInclude(sms, { _tag: "Twilio", account: `AC${"0".repeat(32)}`, sender: "+4915123456789" })
      assert.strictEqual((yield* read({ SMS_URL: "https://texts.example/send" })).sms?._tag, "Https")
    })
  )

  it.effect("name a provider of accounts with all that it needs, or not at all", () =>
    Effect.gen(function* () {
      const given = {
        OAUTH_OIDC_CLIENT_ID: "forum",
        OAUTH_OIDC_CLIENT_SECRET: "hush",
        OAUTH_OIDC_ISSUER: "https://id.example"
      }
      for (const [name, expected] of [
        ["OAUTH_OIDC_CLIENT_ID", "the id that the provider gave"],
        ["OAUTH_OIDC_CLIENT_SECRET", "the secret of that id"],
        ["OAUTH_OIDC_ISSUER", "an https address without user, query and fragment"]
      ] as const) {
        const { message } = yield* Effect.flip(read({ ...given, [name]: "" }))
        assert.strictEqual(message, `${name}: expected ${expected}`)
      }
      const alone = yield* Effect.flip(read({ OAUTH_OIDC_NAME: "Valhalla" }))
      assert.match(alone.message, /^OAUTH_OIDC_CLIENT_ID: expected/)
      const { providers } = yield* read({
        ...given,
        OAUTH_OIDC_NAME: "Valhalla",
        OAUTH_GOOGLE_CLIENT_ID: "at-google",
        OAUTH_GOOGLE_CLIENT_SECRET: "hush",
        OAUTH_GITHUB_CLIENT_ID: "at-github",
        OAUTH_GITHUB_CLIENT_SECRET: "hush",
        OAUTH_KEYCLOAK_CLIENT_ID: "at-keycloak",
        OAUTH_KEYCLOAK_CLIENT_SECRET: "hush",
        OAUTH_KEYCLOAK_ISSUER: "http://localhost:8080/realms/asgard"
      })
      assert.deepStrictEqual(
        providers.map(({ clientSecret, ...rest }) => ({ ...rest, secret: Redacted.value(clientSecret) })),
        [
          {
            service: "oauth_google",
            clientId: "at-google",
            issuer: "https://accounts.google.com",
            secret: "hush"
          },
          { service: "oauth_github", clientId: "at-github", secret: "hush" },
          {
            service: "oauth_keycloak",
            clientId: "at-keycloak",
            issuer: "http://localhost:8080/realms/asgard",
            secret: "hush"
          },
          {
            service: "oauth_oidc",
            clientId: "forum",
            issuer: "https://id.example/",
            name: "Valhalla",
            secret: "hush"
          }
        ]
      )
      for (const [name, value] of [
        ["OAUTH_OIDC_ISSUER", "http://id.example"],
        ["OAUTH_OIDC_ISSUER", "https://id.example/?realm=asgard"],
        ["OAUTH_OIDC_ISSUER", "id.example"],
        ["OAUTH_OIDC_CLIENT_ID", "for um"],
        ["OAUTH_OIDC_CLIENT_ID", "f".repeat(256)],
        ["OAUTH_OIDC_CLIENT_SECRET", "hush hush"],
        ["OAUTH_OIDC_NAME", "n".repeat(101)]
      ] as const) {
        const { message } = yield* Effect.flip(read({ ...given, [name]: value }))
        assert.match(message, new RegExp(`^${name}: expected `))
        assert.notInclude(message, "hush")
      }
    })
  )

  it.effect("refuse a value of several lines in one line", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ PORT: "80\n81" }))
      assert.strictEqual(message, `PORT: ${wholeNumber(0, 65_535)}, not "80\\n81"`)
    })
  )
})
