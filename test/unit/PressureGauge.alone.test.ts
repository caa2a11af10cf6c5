import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, References } from "effect"
import { CurrentPressure } from "../../src/http/pipeline/Admission.ts"
import * as PressureGauge from "../../src/layers/process/PressureGauge.ts"
import { Settings } from "../../src/layers/process/Settings.ts"

const settings = Settings.layer.pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { SHED_DELAY_MILLISECONDS: "10" } })))
)

/** Keeps the event loop from everything else. */
const hold = (milliseconds: number) =>
  Effect.sync(() => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
  })

/** Lets the collector work on a heap in which much is in use, one pause after the other. */
const collect = (milliseconds: number) =>
  Effect.sync(() => {
    setFlagsFromString("--expose-gc")
    const collectAll = runInNewContext("gc")
    const end = performance.now() + milliseconds
    while (performance.now() < end) collectAll()
  })

/** Longer than from one measurement to the next. */
const measured = Effect.sleep("700 millis")

layer(Layer.provideMerge(PressureGauge.layer, settings), { excludeTestServices: true })("pressure", (it) => {
  it.effect("is none while the garbage collector lets all wait", () =>
    Effect.gen(function* () {
      const pressure = yield* CurrentPressure
      const inUse = Array.from({ length: 1_000_000 }, (_, n) => ({ n }))
      yield* Layer.build(PressureGauge.measuring)
      yield* measured
      yield* measured
      yield* collect(2000)
      yield* Effect.sleep("100 millis")
      assert.strictEqual(pressure(), "none")
      assert.lengthOf(inUse, 1_000_000)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )

  it.effect("is what requests make of it, and not what the start of the process takes", () =>
    Effect.gen(function* () {
      const pressure = yield* CurrentPressure
      yield* Effect.sleep("100 millis")
      yield* hold(2000)
      yield* Effect.sleep("10 millis")
      yield* Layer.build(PressureGauge.measuring)
      yield* measured
      assert.strictEqual(pressure(), "none")
      yield* hold(2000)
      yield* Effect.sleep("100 millis")
      assert.notStrictEqual(pressure(), "none")
      yield* measured
      yield* measured
      assert.strictEqual(pressure(), "none")
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )
})
