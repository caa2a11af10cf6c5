/** What is kept of events until a plugin has answered. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Answer, makeUnanswered, unansweredMax } from "../../../src/domain/plugin/Unanswered.ts"
import { loggedChange } from "./changes.ts"

const failureOf = (number: number): Answer => ({
  _tag: "Failure",
  id: loggedChange(number).id,
  failure: { code: 1, message: "broken" }
})

describe("a call of a plugin", () => {
  it.effect("is over with its answer, of which nothing is kept", () =>
    Effect.gen(function* () {
      const { answered, answerTo, toldOf } = makeUnanswered()
      const { id } = loggedChange(1)
      const asking = yield* Effect.forkChild(
        answerTo(id, () => {}),
        { startImmediately: true }
      )
      assert.isUndefined(answered(failureOf(1)))
      assert.deepStrictEqual(yield* Fiber.join(asking), failureOf(1))
      toldOf([loggedChange(1)])
      assert.isDefined(answered(failureOf(1)))
    })
  )

  it.effect("is forgotten when nobody waits for its answer any more", () =>
    Effect.gen(function* () {
      const { answered, answerTo, toldOf } = makeUnanswered()
      const asking = yield* Effect.forkChild(
        answerTo(loggedChange(1).id, () => {}),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(asking)
      toldOf([loggedChange(1)])
      assert.isDefined(answered(failureOf(1)))
    })
  )
})

describe("events that a plugin has not answered", () => {
  it("are known until it has", () => {
    const { answered, toldOf } = makeUnanswered()
    toldOf([loggedChange(1)])
    assert.deepStrictEqual(answered(failureOf(1)), {
      event: "EventThreadPublished",
      code: 1,
      message: "broken"
    })
    assert.isUndefined(answered(failureOf(1)))
  })

  it("are forgotten, the oldest first, where there are too many", () => {
    const { answered, toldOf } = makeUnanswered()
    for (let n = 0; n <= unansweredMax; n++) toldOf([loggedChange(n)])
    assert.isUndefined(answered(failureOf(0)))
    assert.isDefined(answered(failureOf(1)))
    assert.isDefined(answered(failureOf(unansweredMax)))
  })
})
