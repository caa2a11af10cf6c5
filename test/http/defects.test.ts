/** What goes wrong within an operation without having been declared. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { InternalError } from "../../src/http/contract/RequestProblems.ts"
import * as Logs from "../support/logs.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

/** What happens before the storage is used. */
let before: Effect.Effect<void> = Effect.void

const app = TestApp.layerWhere({}, TestApp.storesAfter(Effect.suspend(() => before)))

/** The answers of all operations that use the storage. */
const answers = Effect.gen(function* () {
  const { odin } = yield* Cast
  const all = yield* Effect.forEach(operations, ({ method, path }) =>
    call(method, path, { headers: odin.headers })
  )
  return all.filter(({ status }) => status >= 500)
})

layer(People.withCast(app).pipe(Layer.provideMerge(Logs.layer)))(
  "a problem that happens to be a defect",
  (it) => {
    it.effect("is a failure of the service like any other, and is logged", () =>
      Effect.gen(function* () {
        const problems = [
          new ThreadNotFound({ metadata: { thread_mark: "x" } }),
          new HandleTaken({ metadata: { handle: "x" } })
        ]
        for (const problem of problems) {
          before = Effect.die(problem)
          const logged = yield* Logs.Logs
          logged.length = 0
          const failed = yield* answers
          assert.isAbove(failed.length, 20)
          for (const answer of failed) assertProblem(answer, InternalError)
          const errors = logged.filter(({ level }) => level === "ERROR")
          assert.deepStrictEqual(
            errors.map(({ annotations }) => annotations.trace_id),
            failed.map(({ json }) => json.trace_id)
          )
          for (const { text } of errors) assert.include(text, problem.title)
        }
      })
    )

    it.effect("goes out as it is if it is marked, and is not logged as an error", () =>
      Effect.gen(function* () {
        before = dieWithProblem(new StorageUnavailable({ metadata: { retry_after: 1 } }))
        const logged = yield* Logs.Logs
        logged.length = 0
        const failed = yield* answers
        assert.isAbove(failed.length, 20)
        for (const answer of failed) assertProblem(answer, StorageUnavailable, { retry_after: 1 })
        assert.deepStrictEqual(
          logged.filter(({ level }) => level === "ERROR"),
          []
        )
      })
    )
  }
)

describe("the sources", () => {
  it("let nothing die that could be a problem, but marked", () => {
    const unmarked = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        [...readFileSync(`src/${name}`, "utf8").matchAll(/Effect\.die\(\s*new (\w+)/g)].map(
          ([, what]) => `${name}: ${what}`
        )
      )
      .filter((one) => !/: (Error|CarriedProblem)$/.test(one))
    assert.deepStrictEqual(unmarked, [])
  })
})
