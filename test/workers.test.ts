import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { InternalError } from "../src/domain/operations/InternalErrors.ts"
import { live, type Worker, Workers } from "../src/layers/process/Workers.ts"
import { collecting } from "./support/internal-errors.ts"
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
    const reported: Array<InternalError> = []
    const beside = Layer.merge(Layer.succeed(Workers, workers), collecting(reported))
    yield* Layer.build(live.pipe(Layer.provide(beside)))
    yield* TestClock.adjust("9 seconds")
    assert.deepStrictEqual(begun, { lasting: 1, failing: 1 })
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(begun, { lasting: 1, failing: 2 })
    assert.deepStrictEqual(
      reported.map(({ where }) => where),
      ["worker: failing", "worker: failing"]
    )
  }).pipe(Effect.scoped)
)

layer(TestApp.layer)("the service", (it) => {
  it.effect("has these workers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* Workers).map(({ name }) => name),
        [
          "fetch the pages of links",
          "send mails",
          "remove the content of purged accounts",
          "collect own data",
          "keep plugins",
          "send text messages",
          "deliver to webhooks",
          "deliver to webhooks again"
        ]
      )
    })
  )
})
