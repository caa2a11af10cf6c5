/** Every operation does a request with a key as one without, with two statements more at most, and once. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotHost } from "../../src/domain/calendar/CalendarEvent.ts"
import { IdempotencyAnswerWithheld } from "../../src/domain/idempotency/IdempotencyKey.ts"
import { isKept } from "../../src/domain/idempotency/IdempotencyRules.ts"
import { accountProblems } from "../../src/http/contract/AccessPolicies.ts"
import { showsSecret } from "../../src/http/contract/IdempotentOperation.ts"
import type { Answer } from "../support/answers.ts"
import { isReplayed, repeatable, withKey } from "../support/idempotency.ts"
import * as People from "../support/people.ts"
import { assertOAuthError, assertProblem } from "../support/problems.ts"
import { areas, nameOf, type Scenario } from "../support/scenarios.ts"
import { counting, statementsOf } from "../support/statements.ts"

const byId = new Map(repeatable.map((one) => [one.id, one.endpoint]))

const assertExpected = ({ expects, ...scenario }: Scenario, answer: Answer) => {
  if (typeof expects === "string") return assertOAuthError(answer, expects)
  if (typeof expects !== "number") return assertProblem(answer, expects)
  assert.strictEqual(answer.status, expects, `${nameOf({ expects, ...scenario })}: ${answer.text}`)
}

/** How an operation is refused before it is asked whether the request was sent before. */
const ofAccess: ReadonlySet<unknown> = new Set(
  [...accountProblems, NotHost].map(({ problemType }) => problemType.type)
)

const isRefused = ({ json }: Answer) => ofAccess.has(json?.type)

const isInvalid = ({ json }: Answer) => json?.type === "/api/problems/invalid-request"

/** Operations of which some scenario was repeated. */
const repeated = new Set<string>()

for (const { area, scenarios } of areas) {
  layer(counting(People.layer))(`the operations of ${area}`, (it) => {
    it.effect("do a request with a key once, with two statements more at most", () =>
      Effect.gen(function* () {
        const overruns: Array<string> = []
        let n = 0
        for (const scenario of yield* scenarios) {
          const endpoint = byId.get(scenario.operation)
          if (endpoint === undefined) {
            yield* scenario.call
            continue
          }
          const name = nameOf(scenario)
          const asked = withKey(`${area}-${n++}`)(scenario.call)
          const { answer, statements } = yield* statementsOf(asked)
          assertExpected(scenario, answer)
          assert.isFalse(isReplayed(answer), name)
          if (scenario.statements !== undefined && statements.length > scenario.statements + 2) {
            overruns.push(`${name}: ${statements.length}, not ${scenario.statements} + 2`, ...statements)
          }
          const again = yield* asked
          if (isRefused(answer)) {
            assert.strictEqual(again.status, answer.status, name)
          } else if (!isKept(answer.status, isInvalid(answer))) {
            assert.isFalse(isReplayed(again), name)
          } else if (showsSecret(endpoint) && answer.status < 400) {
            const id = answer.json?.id ?? answer.json?.client?.id ?? answer.json?.connection?.id
            assertProblem(again, IdempotencyAnswerWithheld, {
              status: answer.status,
              ...(id === undefined ? {} : { id })
            })
          } else {
            assert.isTrue(isReplayed(again), `${name}: ${again.text}`)
            assert.strictEqual(again.status, answer.status, name)
            assert.strictEqual(again.text, answer.text, name)
            for (const header of ["content-type", "location", "etag"]) {
              assert.strictEqual(again.headers[header], answer.headers[header], `${name}: ${header}`)
            }
            repeated.add(scenario.operation)
          }
        }
        if (overruns.length > 0) assert.fail(overruns.join("\n"))
      })
    )
  })
}

it("every operation that takes keys was repeated", () => {
  const without = repeatable.filter(({ endpoint, id }) => !repeated.has(id) && !showsSecret(endpoint))
  assert.deepStrictEqual(
    without.map(({ id }) => id),
    ["NodeGenerateTitle", "NodeGenerateTags", "NodeGenerateContent"]
  )
})
