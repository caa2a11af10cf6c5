/** Runs the scenarios of all areas, and finds the operations that they leave out. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import { OAuthError, OAuthUnauthorized } from "../../src/domain/shared/OAuthError.ts"
import { objectAt } from "../../src/http/document/Json.ts"
import type { Answer } from "../support/answers.ts"
import { descriptionOf } from "../support/conformance.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { guest } from "../support/people.ts"
import { assertOAuthError, assertProblem } from "../support/problems.ts"
import { areas, nameOf, overrunOf, type Scenario, unavailable } from "../support/scenarios.ts"
import { counting, statementsOf } from "../support/statements.ts"
import { repeated, withRequest } from "../support/typed-client.ts"

const ran: Array<Scenario> = []

/** The texts of the statements that all of them ran. */
const texts = new Set<string>()

const assertAnswer = ({ expects, ...scenario }: Scenario, answer: Answer) => {
  if (typeof expects === "string") return assertOAuthError(answer, expects)
  if (typeof expects !== "number") return assertProblem(answer, expects)
  assert.strictEqual(answer.status, expects, `${nameOf({ expects, ...scenario })}: ${answer.text}`)
}

/** The operations whose answers the typed client has understood. */
const understood = new Set<string>()

/** Holds that the typed client sends the same, and understands the answer as a value or a problem of the operation. */
const assertForClient = Effect.fnUntraced(function* (
  { expects, ...scenario }: Scenario,
  {
    answer,
    sent
  }: { readonly answer: Answer; readonly sent: HttpClientRequest.HttpClientRequest | undefined }
) {
  const name = nameOf({ ...scenario, expects })
  if (sent === undefined) return assert.fail(`${name}: nothing was sent`)
  const attempt = yield* Effect.result(repeated(scenario.operation, sent, answer))
  // What the service refuses, the client may refuse to send. The beacon takes what is not described as well.
  if (Result.isFailure(attempt)) {
    return assert.isTrue(
      typeof expects !== "number" || scenario.operation === "SendBeacon",
      `${name}: ${attempt.failure}`
    )
  }
  const result = attempt.success
  if (typeof expects === "number") {
    assert.isTrue(Result.isSuccess(result), `${name}: ${result}`)
    understood.add(scenario.operation)
    return undefined
  }
  const oauthForm = answer.status === 401 ? OAuthUnauthorized : OAuthError
  const failure = typeof expects === "string" ? oauthForm : expects
  return assert.isTrue(Result.isFailure(result) && result.failure instanceof failure, `${name}: ${result}`)
})

for (const { area, scenarios } of areas) {
  layer(counting(People.layer))(`the operations of ${area}`, (it) => {
    it.effect("answer as their scenarios and the typed client expect, with as many statements", () =>
      Effect.gen(function* () {
        const overruns: Array<string> = []
        for (const scenario of yield* scenarios) {
          const { answer: called, statements } = yield* statementsOf(withRequest(scenario.call))
          assertAnswer(scenario, called.answer)
          yield* assertForClient(scenario, called)
          overruns.push(...overrunOf(scenario, statements))
          for (const text of statements) texts.add(text)
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

  it("run statements of a few texts for an operation, as every connection keeps them prepared", () => {
    assert.isAbove(texts.size, operations.length)
    assert.isBelow(texts.size, 4 * operations.length)
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

  it("leave no operation that the typed client has not called", () => {
    assert.deepStrictEqual(
      without((id) => understood.has(id)),
      unavailable
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
