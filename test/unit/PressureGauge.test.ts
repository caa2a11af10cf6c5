import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, References } from "effect"
import { CurrentPressure } from "../../src/http/shared/Admission.ts"
import * as PressureGauge from "../../src/layers/PressureGauge.ts"
import { Settings } from "../../src/layers/Settings.ts"

const settings = Settings.layer.pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { SHED_DELAY_MILLISECONDS: "50" } })))
)

/** Keeps the event loop from everything else. */
const hold = (milliseconds: number) =>
  Effect.sync(() => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
  })

/** Longer than from one measurement to the next. */
const measured = Effect.sleep("700 millis")

layer(Layer.provideMerge(PressureGauge.layer, settings), { excludeTestServices: true })("pressure", (it) => {
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
