import { assert, it, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { InternalError } from "../src/domain/operations/InternalErrors.ts"
import { type Chore, Chores, live } from "../src/layers/process/Housekeeping.ts"
import { collecting } from "./support/internal-errors.ts"
import * as TestApp from "./support/TestApp.ts"

/** How often chores have been done, by their names. */
const counter = () => {
  const counts: Record<string, number> = {}
  const chore = (
    name: string,
    every: Duration.Duration,
    outcome: Effect.Effect<void> = Effect.void
  ): Chore => ({
    name,
    every,
    run: Effect.andThen(
      Effect.sync(() => {
        counts[name] = (counts[name] ?? 0) + 1
      }),
      outcome
    )
  })
  return { counts, chore }
}

it.effect("chores are done at the start and then at their intervals, even if others fail or hang", () =>
  Effect.gen(function* () {
    const { chore, counts } = counter()
    const chores = [
      chore("failing", Duration.hours(1), Effect.die(new Error("no"))),
      chore("hourly", Duration.hours(1)),
      chore("hanging", Duration.hours(1), Effect.never),
      chore("daily", Duration.hours(24))
    ]
    const reported: Array<InternalError> = []
    const beside = Layer.merge(Layer.succeed(Chores, chores), collecting(reported))
    yield* Layer.build(live.pipe(Layer.provide(beside)))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(counts, { failing: 1, hourly: 1, hanging: 1, daily: 1 })
    yield* TestClock.adjust(Duration.minutes(59))
    assert.deepStrictEqual(counts, { failing: 1, hourly: 1, hanging: 1, daily: 1 })
    yield* TestClock.adjust(Duration.minutes(1))
    assert.deepStrictEqual(counts, { failing: 2, hourly: 2, hanging: 1, daily: 1 })
    yield* TestClock.adjust(Duration.hours(23))
    assert.deepStrictEqual(counts, { failing: 25, hourly: 25, hanging: 1, daily: 2 })
    assert.deepStrictEqual(
      reported.map(({ where }) => where),
      Array.from({ length: 25 }, () => "chore: failing")
    )
  }).pipe(Effect.scoped)
)

layer(TestApp.layer)("the service", (it) => {
  it.effect("has these chores", () =>
    Effect.gen(function* () {
      const chores = yield* Chores
      assert.deepStrictEqual(
        chores.map(({ every, name }) => `${name} every ${Duration.format(every)}`).toSorted(),
        [
          "apply the retention of the event log every 1h",
          "delete clients with documents that nobody uses every 1h",
          "delete registered clients that nobody uses every 1h",
          "erase accounts whose time has come every 1m",
          "forget authorisations that nobody can use every 1h",
          "forget codes for phone numbers that are no longer valid every 1h",
          "forget codes that are no longer valid every 1h",
          "forget devices whose codes have expired every 1h",
          "forget expired sessions every 1h",
          "forget idempotency keys of more than a day ago every 1h",
          "forget old attempts at passwords every 1h",
          "forget old initial access tokens every 1h",
          "forget old text messages every 1h",
          "forget tokens for passwords that are no longer valid every 1h",
          "forget tokens that are of no use every 1h",
          "forget what was uploaded on days that are over every 1h",
          "forget where threads were more than a month ago every 1h",
          "forget which states that browsers kept were used every 1h",
          "forget who was sent to remote servers every 1h",
          "merge new texts into the indexes of search every 5s",
          "remove keys whose last token has expired every 1h",
          "remove old deliveries of webhooks every 1h",
          "remove old logs of plugins every 1d",
          "remove old mails every 1h",
          "remove own data that nobody has to download any more every 1h",
          "remove what is left of plugins every 1h",
          "remove what uploads have left that ended half-way every 1h"
        ]
      )
      yield* Effect.forEach(chores, ({ run }) => run)
    })
  )
})
