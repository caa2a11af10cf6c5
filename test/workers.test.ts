import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { live, type Worker, Workers } from "../src/layers/Workers.ts"
import * as Logs from "./support/logs.ts"
import * as TestApp from "./support/TestApp.ts"

it.effect("workers run at the same time, and one that fails begins again after a pause", () =>
  Effect.gen(function* () {
    const begun: Record<string, number> = {}
    const worker = (name: string, run: Effect.Effect<never>): Worker => ({
      name,
      run: Effect.suspend(() => {
        begun[name] = (begun[name] ?? 0) + 1
        return run
      })
    })
    const workers = [worker("lasting", Effect.never), worker("failing", Effect.die(new Error("no")))]
    yield* Layer.build(live.pipe(Layer.provide(Layer.succeed(Workers, workers))))
    yield* TestClock.adjust("9 seconds")
    assert.deepStrictEqual(begun, { lasting: 1, failing: 1 })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(begun, { lasting: 1, failing: 2 })
    const [line] = (yield* Logs.Logs).filter(({ level }) => level === "WARN")
    assert.include(line?.text, "failing")
  }).pipe(Effect.scoped, Effect.provide(Logs.layer))
)

layer(TestApp.layer)("the service", (it) => {
  it.effect("has these workers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* Workers).map(({ name }) => name),
        ["fetch the pages of links", "send mails"]
      )
    })
  )
})
