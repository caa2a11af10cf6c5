import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Sessions } from "../../src/domain/session/Sessions.ts"
import * as Housekeeping from "../../src/layers/Housekeeping.ts"

it.effect("runs at start and every hour, also after a failure", () =>
  Effect.gen(function* () {
    let runs = 0
    const failing = Layer.mock(Sessions, {
      forgetExpired: Effect.suspend(() =>
        ++runs < 3 ? Effect.die("the database is not reachable") : Effect.void
      )
    })
    yield* Layer.build(Housekeeping.live.pipe(Layer.provide(failing)))
    const runsAfter = (minutes: number) => Effect.map(TestClock.adjust(`${minutes} minutes`), () => runs)

    assert.strictEqual(yield* runsAfter(0), 1)
    assert.strictEqual(yield* runsAfter(59), 1)
    assert.strictEqual(yield* runsAfter(1), 2)
    assert.strictEqual(yield* runsAfter(60), 3)
    assert.strictEqual(yield* runsAfter(60), 4)
  })
)
