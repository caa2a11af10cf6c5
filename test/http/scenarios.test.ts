/** Runs the scenarios of all areas, and finds the operations that they leave out. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { objectAt } from "../../src/http/shared/document/Json.ts"
import type { Answer } from "../support/answers.ts"
import { descriptionOf } from "../support/conformance.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { areas, nameOf, overrunOf, type Scenario, unavailable } from "../support/scenarios.ts"
import { counting, statementsOf } from "../support/statements.ts"

const ran: Array<Scenario> = []

const assertAnswer = ({ expects, ...scenario }: Scenario, answer: Answer) => {
  if (typeof expects !== "number") return assertProblem(answer, expects)
  assert.strictEqual(answer.status, expects, `${nameOf({ expects, ...scenario })}: ${answer.text}`)
}

for (const { area, scenarios } of areas) {
  layer(counting(People.layer))(`the operations of ${area}`, (it) => {
    it.effect("answer as their scenarios say, with as many statements", () =>
      Effect.gen(function* () {
        const overruns: Array<string> = []
        for (const scenario of yield* scenarios) {
          const { answer, statements } = yield* statementsOf(scenario.call)
          assertAnswer(scenario, answer)
          overruns.push(...overrunOf(scenario, statements))
          ran.push(scenario)
        }
        if (overruns.length > 0) assert.fail(`test/${area}/scenarios.ts:\n${overruns.join("\n")}\n`)
      })
    )
  })
}

describe("the scenarios of all areas", () => {
  const without = (has: (operation: string) => boolean) =>
    operations.map(({ id }) => id).filter((id) => !has(id))

  it("leave no operation without a budget of statements", () => {
    const budgeted = new Set(
      ran.filter(({ statements }) => statements !== undefined).map((one) => one.operation)
    )
    assert.deepStrictEqual(
      without((id) => budgeted.has(id)),
      []
    )
  })

  it("leave no success of an operation out", () => {
    const seen = new Set(ran.map(({ expects, operation }) => `${operation} ${expects}`))
    const available = operations.filter(({ id }) => !unavailable.includes(id))
    const declared = available.flatMap(({ id }) =>
      Object.keys(objectAt(descriptionOf(id), "responses"))
        .filter((status) => status < "400")
        .map((status) => `${id} ${status}`)
    )
    assert.deepStrictEqual(
      declared.filter((success) => !seen.has(success)),
      []
    )
  })

  it("name only operations that there are", () => {
    const ids = new Set(operations.map(({ id }) => id))
    assert.deepStrictEqual(
      ran.map(({ operation }) => operation).filter((id) => !ids.has(id)),
      []
    )
  })

  it("report another number of statements than the budget, with the statements", () => {
    const scenario = { operation: "GetInfo", call: guest.get("/info"), expects: 200, statements: 2 }
    assert.deepStrictEqual(overrunOf(scenario, ["select 1", "select 2"]), [])
    for (const statements of [["select 1"], ["select 1", "select 2", "select 3"]]) {
      const [headline, ...listed] = overrunOf(scenario, statements)
      assert.include(headline, `GetInfo: ${statements.length} statements, not 2`)
      assert.deepStrictEqual(
        listed.map((line) => line.trim()),
        statements
      )
    }
    assert.deepStrictEqual(overrunOf({ ...scenario, statements: undefined }, ["select 1"]), [])
  })
})
