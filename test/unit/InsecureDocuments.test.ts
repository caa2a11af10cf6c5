/** The warning of a start that takes documents of clients from anywhere. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { warning } from "../../src/layers/process/InsecureDocuments.ts"
import { Settings } from "../../src/layers/process/Settings.ts"
import * as Logs from "../support/logs.ts"

const warningsWith = (env: Record<string, string>) =>
  Effect.gen(function* () {
    const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
    yield* Layer.build(Layer.provide(warning, Settings.layer.pipe(Layer.provide(provider))))
    return (yield* Logs.Logs).map(({ message }) => String(message))
  }).pipe(Effect.provide(Logs.layer), Effect.scoped)

it.effect("is written where they may come by http, and nowhere else", () =>
  Effect.gen(function* () {
    const both = { OAUTH_CIMD_ENABLED: "true", OAUTH_CIMD_ALLOW_INSECURE_FETCH: "true" }
    const [line, ...others] = yield* warningsWith(both)
    assert.match(line ?? "", /^OAUTH_CIMD_ALLOW_INSECURE_FETCH is for development/)
    assert.deepStrictEqual(others, [])
    for (const name of Object.keys(both)) assert.deepStrictEqual(yield* warningsWith({ [name]: "true" }), [])
    assert.deepStrictEqual(yield* warningsWith({}), [])
  })
)
