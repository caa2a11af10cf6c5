/** The problems that any operation may answer with, provoked for each of them. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { Bounds } from "../../src/domain/queue/FairQueue.ts"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { dieWithProblem } from "../../src/domain/shared/Problem.ts"
import { TooManyWriters } from "../../src/domain/storage/StorageProblem.ts"
import {
  CrossSiteRequest,
  DeadlineExceeded,
  InternalError,
  PayloadTooLarge,
  RateLimitExceeded,
  ServiceBusy,
  ShuttingDown,
  UnsupportedMediaType
} from "../../src/http/contract/RequestProblems.ts"
import { Lanes } from "../../src/http/pipeline/Admission.ts"
import { InFlight } from "../../src/http/pipeline/InFlight.ts"
import { isForAccounts, type Operation, operations, unsafeOperations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, json, type Person, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { formType } from "../support/tokens.ts"

const callAs = (person: Person, { method, path }: Operation, more: People.Call = {}) =>
  call(method, path, { ...more, headers: { ...person.headers, ...more.headers } })

layer(People.layer)("every operation", (it) => {
  it.effect("that may change something is refused to other sites", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assert.isAbove(unsafeOperations.length, 10)
      for (const operation of unsafeOperations) {
        for (const headers of [{ origin: "https://evil.test" }, { "sec-fetch-site": "cross-site" }]) {
          assertProblem(yield* callAs(odin, operation, { headers }), CrossSiteRequest)
        }
      }
    })
  )

  it.effect("that reads a form refuses one that is too large, of another type, or malformed", () =>
    Effect.gen(function* () {
      const withForm = operations.filter(({ takesForm }) => takesForm)
      assert.isAbove(withForm.length, 0)
      for (const { maxBody: maximum, method, path } of withForm) {
        const large = { method, path, headers: formType, body: "x".repeat(maximum + 1) }
        assertProblem(yield* send(large), PayloadTooLarge, { maximum })
        for (const type of ["text/xml", "application/json"]) {
          assertInvalid(yield* call(method, path, { body: "{}", headers: { "content-type": type } }), "body")
        }
        const twice = { body: "client_id=a&client_id=b", headers: formType }
        assertInvalid(yield* call(method, path, twice), "body client_id")
      }
    })
  )

  it.effect("that reads a body refuses one that is too large, of another type, or malformed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const maximum = 1024 * 1024
      const withBody = operations.filter(({ hasBody }) => hasBody)
      assert.isAbove(withBody.length, 10)
      for (const operation of withBody) {
        const { method, path } = operation
        const large = { method, path, headers: { ...odin.headers, ...json }, body: " ".repeat(maximum + 1) }
        assertProblem(yield* send(large), PayloadTooLarge, { maximum })
        const markup = { body: "<x/>", headers: { "content-type": "text/xml" } }
        const ofOtherType = yield* callAs(odin, operation, markup)
        if (operation.refusesAsOAuth) assertInvalid(ofOtherType, "body")
        else assertProblem(ofOtherType, UnsupportedMediaType, { content_type: "text/xml" })
        assertInvalid(yield* callAs(odin, operation, { body: "{" }), "body")
      }
    })
  )
})

layer(People.layer)("every operation", (it) => {
  it.effect("decides about access before it reads the address", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* suspend(loki)
      for (const { access, method, pathWith } of operations) {
        const request = { method, path: pathWith("a%00b") }
        const asSuspended = yield* send({ ...request, headers: loki.headers })
        // A session is no credential there.
        if (takenBy(access) === "token") assertProblem(asSuspended, Unauthenticated)
        else if (access._tag !== "Public") assertProblem(asSuspended, AccountSuspended)
        const asGuest = yield* send(request)
        if (isForAccounts(access)) assertProblem(asGuest, Unauthenticated)
      }
    })
  )
})

layer(People.layer)("every operation", (it) => {
  it.effect("is refused beyond the rate limit, before it is known who calls", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const limits = { rate_limit: 1, exempt_cidrs: [] }
      yield* odin.patch("/admin", { services: { rate_limiting: limits } })
      for (const operation of operations) {
        for (const answer of [yield* send(operation), yield* callAs(odin, operation)]) {
          assertProblem(answer, RateLimitExceeded)
          assert.strictEqual(answer.headers["x-ratelimit-remaining"], "0", operation.id)
          assert.strictEqual(answer.headers["retry-after"], answer.headers["x-ratelimit-reset"])
        }
      }
    })
  )
})

/** What happens before the storage is used. */
let before: Effect.Effect<void> = Effect.void

const withLanes = (lane: Bounds) =>
  Layer.succeed(Lanes, {
    quick: lane,
    long: lane,
    heavy: lane,
    write: lane,
    hashing: lane,
    upload: lane
  })

// All operations run at the same time, however few may of their kind.
const app = Layer.provide(
  TestApp.layerWhere({}, TestApp.storesAfter(Effect.suspend(() => before))),
  withLanes({ running: 1000, runningPerClient: 1000, waiting: 0, perClient: 1000 })
)

layer(People.withCast(app))("every operation", (it) => {
  it.effect("answers 500 to a failure that nobody declared", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const operation of operations) {
        let used = false
        before = Effect.suspend(() => {
          used = true
          return Effect.die(new Error("broken on purpose"))
        })
        const answer = yield* callAs(odin, operation)
        // Only operations that identify no caller may use no storage.
        if (used) assertProblem(answer, InternalError)
        else assert.isTrue(operation.isOpen, operation.id)
      }
    })
  )

  it.effect("that changes something answers 503 when too many others do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const operation of unsafeOperations.filter(({ isOpen }) => !isOpen)) {
        before = dieWithProblem(new TooManyWriters({ metadata: { retry_after: 1 } }))
        assertProblem(yield* callAs(odin, operation), TooManyWriters, { retry_after: 1 })
      }
    })
  )

  it.effect("answers 503 after 30 seconds", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const operation of operations) {
        const waiting = yield* Deferred.make<void>()
        before = Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
        const asked = yield* Effect.forkChild(callAs(odin, operation))
        yield* Effect.raceFirst(Deferred.await(waiting), Fiber.await(asked))
        yield* TestClock.adjust("30 seconds")
        const answer = yield* Fiber.join(asked)
        if (yield* Deferred.isDone(waiting)) assertProblem(answer, DeadlineExceeded, { retry_after: 1 })
        else assert.isTrue(operation.isOpen, operation.id)
      }
    })
  )

  it.effect("answers 503 when the service stops", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const waiting = yield* Queue.unbounded<void>()
      before = Effect.andThen(Queue.offer(waiting, undefined), Effect.never)
      const identifying = operations.filter(({ isOpen }) => !isOpen)
      const asked = yield* Effect.forEach(identifying, (operation) =>
        Effect.forkChild(callAs(odin, operation))
      )
      yield* Queue.takeN(waiting, identifying.length)
      const { giveUp } = yield* InFlight
      yield* giveUp
      const answers = [
        ...(yield* Effect.forEach(asked, Fiber.join)),
        // Those that come in later are answered in the same way.
        ...(yield* Effect.forEach(operations, (operation) => callAs(odin, operation)))
      ]
      for (const answer of answers) {
        assertProblem(answer, ShuttingDown, { retry_after: 1 })
        assert.strictEqual(answer.headers["retry-after"], "1")
      }
    })
  )
})

const full = Layer.provide(
  TestApp.layer,
  withLanes({ running: 0, runningPerClient: 0, waiting: 0, perClient: 0 })
)

layer(full)("every operation, when its lane is full,", (it) => {
  it.effect("answers 503 before it asks who calls", () =>
    Effect.gen(function* () {
      for (const { id, method, path } of operations) {
        const answer = yield* send({ method, path })
        assertProblem(answer, ServiceBusy, { retry_after: 2 })
        assert.strictEqual(answer.headers["retry-after"], "2", id)
      }
    })
  )

  it.effect("and the service says that it is alive", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path: "/healthz" })).status, 200)
      assert.strictEqual((yield* send({ path: "/readyz" })).status, 200)
    })
  )
})
