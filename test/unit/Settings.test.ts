import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Settings } from "../../src/layers/Settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provide(
    Settings,
    Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
  )

describe("the settings", () => {
  it.effect("need nothing to be set", () =>
    Effect.gen(function* () {
      const settings = yield* read({})
      assert.strictEqual(settings.port, 8000)
      assert.strictEqual(settings.publicUrl.href, "http://localhost:8000/")
      assert.strictEqual(settings.webUrl.href, "http://localhost:8000/")
      assert.strictEqual(settings.dataDir, "./data")
      assert.strictEqual(settings.drainSeconds, 15)
      assert.isUndefined(settings.databaseUrl)
    })
  )

  it.effect("follow one another where one is made of another", () =>
    Effect.gen(function* () {
      const settings = yield* read({ PORT: "9000", PUBLIC_URL: "https://api.example/forum" })
      assert.strictEqual(settings.webUrl.href, "https://api.example/forum")
      assert.strictEqual((yield* read({ PORT: "9000" })).publicUrl.href, "http://localhost:9000/")
    })
  )

  it.effect("keep of an origin what makes it one", () =>
    Effect.gen(function* () {
      const settings = yield* read({ ALLOWED_ORIGINS: "https://App.Example/path,http://b.example:80" })
      assert.deepStrictEqual(settings.allowedOrigins, ["https://app.example", "http://b.example"])
    })
  )

  const bad: ReadonlyArray<readonly [string, string]> = [
    ["PORT", "http"],
    ["PORT", "-1"],
    ["PORT", "70000"],
    ["PORT", "80.5"],
    ["PUBLIC_URL", "forum.example"],
    ["PUBLIC_URL", "https://forum.example/?a=b"],
    ["WEB_URL", "ftp://forum.example"],
    ["ALLOWED_ORIGINS", "https://ok.example,nonsense"],
    ["ALLOWED_ORIGINS", "file:///"],
    ["TRUSTED_PROXIES", "10.0.0.0/99"],
    ["LOG_LEVEL", "loud"],
    ["OTLP_URL", "collector"],
    ["DATABASE_POOL", "0"],
    ["DRAIN_SECONDS", "-1"]
  ]
  for (const [name, value] of bad) {
    it.effect(`refuse ${name}=${value} in a line that names it`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(read({ [name]: value }))
        assert.match(message, new RegExp(`^${name}: .+$`))
      })
    )
  }
})
