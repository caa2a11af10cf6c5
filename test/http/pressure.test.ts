import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServiceBusy } from "../../src/http/contract/RequestProblems.ts"
import { Admission } from "../../src/http/pipeline/Admission.ts"
import { networkOf } from "../../src/http/pipeline/ClientAddress.ts"
import * as People from "../support/people.ts"
import { Cast, guest, password } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import { pressure } from "../support/TestApp.ts"

/** The request of another client, which lasts as long as the test. */
const anotherRequest = Effect.gen(function* () {
  const { admit } = yield* Admission
  const endless = admit("quick", networkOf("203.0.113.9"), () => Effect.never)
  yield* Effect.forkScoped(endless, { startImmediately: true })
})

layer(People.layer)("a service under pressure", (it) => {
  it.effect("refuses searches first, then writes, and goes on with quick reads and sign-in", () =>
    Effect.gen(function* () {
      yield* anotherRequest
      const { freya } = yield* Cast
      const search = guest.get("/threads?q=word")
      // Of a parameter that is given twice the last value counts.
      const hidden = guest.get("/threads?q=&q=word")
      const write = freya.post("/threads", { title: "t" })
      const others = Effect.gen(function* () {
        assert.strictEqual((yield* guest.get("/threads")).status, 200)
        assert.strictEqual((yield* guest.get("/threads?q=")).status, 200)
        assert.strictEqual((yield* freya.get("/accounts")).status, 200)
        const signIn = guest.post("/auth/password/signin", { identifier: "freya", token: password })
        assert.strictEqual((yield* signIn).status, 200)
        assert.strictEqual((yield* send({ path: "/healthz" })).status, 200)
      })
      for (const [current, searches, writes] of [
        ["none", true, true],
        ["high", false, true],
        ["extreme", false, false],
        ["none", true, true]
      ] as const) {
        pressure.current = current
        for (const [answer, goesOn] of [
          [yield* search, searches],
          [yield* hidden, searches],
          [yield* write, writes]
        ] as const) {
          if (goesOn) assert.strictEqual(answer.status, 200, current)
          else assertProblem(answer, ServiceBusy, { retry_after: 2 })
        }
        yield* others
      }
    })
  )

  it.effect("refuses nothing while nobody waits", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      pressure.current = "extreme"
      assert.strictEqual((yield* guest.get("/threads?q=word")).status, 200)
      assert.strictEqual((yield* freya.post("/threads", { title: "t" })).status, 200)
      pressure.current = "none"
    })
  )

  it.effect("counts what it refused, by cost and reason", () =>
    Effect.gen(function* () {
      yield* anotherRequest
      pressure.current = "high"
      yield* guest.get("/threads?q=word")
      pressure.current = "none"
      const { text } = yield* send({ path: "/metrics" })
      assert.match(text, /^forum_http_requests_refused_total\{cost="heavy",reason="pressure"\} [1-9]/m)
      assert.match(text, /^forum_http_requests_admitted\{cost="quick"\} 1$/m)
    })
  )
})
