/** What happens while more people sign in or up than passwords can be hashed. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { IpNetwork } from "effect/net"
import { SqlClient } from "effect/sql"
import { AuthenticationBusy, PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { hashingBounds, PasswordHashing } from "../../src/domain/authentication/PasswordHashing.ts"
import type { Lane } from "../../src/domain/queue/FairQueue.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { type Answer, ok } from "../support/answers.ts"
import { reset, signInByEmail, signUpByEmail } from "../support/emails.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, password, removePassword, signIn, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

interface Begun {
  readonly password: string
  readonly finish: Effect.Effect<void>
}

/** What each hash waits for; without it, hashes are computed at once. */
let hold: ((password: string) => Effect.Effect<void>) | undefined

/** Runs a test that finishes each hash by itself, until `release` or its end. */
const holding = <A, E, R>(
  test: (hashes: {
    readonly begun: Queue.Queue<Begun>
    readonly release: Effect.Effect<void>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const begun = yield* Queue.unbounded<Begun>()
    const released = yield* Deferred.make<void>()
    hold = Effect.fnUntraced(function* (password) {
      const finished = yield* Deferred.make<void>()
      yield* Queue.offer(begun, { password, finish: Effect.asVoid(Deferred.succeed(finished, undefined)) })
      yield* Effect.raceFirst(Deferred.await(finished), Deferred.await(released))
    })
    const release = Effect.suspend(() => {
      hold = undefined
      return Effect.asVoid(Deferred.succeed(released, undefined))
    })
    return yield* Effect.ensuring(test({ begun, release }), release)
  })

const proxies = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))

const service = People.withCast(
  TestApp.layerWhere(
    { trustedProxies: proxies },
    App.stores,
    TestApp.hashesAfter((password) => hold?.(password) ?? Effect.void)
  )
)

/** As many requests for a hash as may run and wait for one client. */
const full = hashingBounds.places + hashingBounds.waitingPerClient

const from = (address: string) => ({ "x-forwarded-for": address })

const post = (path: string, body: object, address: string) =>
  call("POST", `/api/auth/password${path}`, { body, headers: from(address) })

let names = 0

const signUpFrom = (address: string, token = password) =>
  Effect.suspend(() => post("/signup", { identifier: `new${names++}`, token }, address))

/** Sends so many requests at once. What is refused answers while the others wait. */
const flood = Effect.fnUntraced(function* <E, R>(count: number, request: Effect.Effect<Answer, E, R>) {
  const answers = yield* Queue.unbounded<Answer>()
  for (let index = 0; index < count; index++) {
    yield* Effect.forkChild(Effect.flatMap(request, (answer) => Queue.offer(answers, answer)))
  }
  return answers
})

const assertBusy = (answer: Answer) => {
  assertProblem(answer, AuthenticationBusy, { retry_after: 2 })
  assert.strictEqual(answer.headers["retry-after"], "2")
}

/** Waits until so much waits in a lane. */
const untilWaiting = (lane: Lane, count: number) =>
  Effect.gen(function* () {
    const { waiting } = yield* PasswordHashing
    yield* Effect.repeat(call("GET", "/healthz"), { until: () => waiting(lane) === count })
  })

const accountCount = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql`select 1 from accounts`, (rows) => rows.length)
)

layer(service)("a flood of sign-ups from one address", (it) => {
  it.effect("is refused beyond a bound, and lets sign-ins and other addresses go first", () =>
    holding(({ begun }) =>
      Effect.gen(function* () {
        const before = yield* accountCount
        const answers = yield* flood(300, signUpFrom("203.0.113.1", "flooding"))
        for (let index = full; index < 300; index++) assertBusy(yield* Queue.take(answers))
        assert.strictEqual(yield* accountCount, before)
        assert.strictEqual(yield* Queue.size(begun), 4)

        const other = yield* Effect.forkChild(signUpFrom("203.0.113.2", "sign-up elsewhere"))
        yield* untilWaiting("patient", hashingBounds.waitingPerClient + 1)
        const signedIn = yield* Effect.forkChild(
          post("/signin", { identifier: "freya", token: password }, "203.0.113.1")
        )
        yield* untilWaiting("urgent", 1)

        const running = yield* Queue.takeN(begun, hashingBounds.places)
        for (const { password } of running) assert.strictEqual(password, "flooding")
        const passwords: Array<string> = []
        for (const { finish } of running.slice(0, 3)) {
          yield* finish
          const next = yield* Queue.take(begun)
          passwords.push(next.password)
          yield* next.finish
        }
        assert.strictEqual(passwords[0], password)
        assert.include(passwords.slice(1), "sign-up elsewhere")
        assert.strictEqual((yield* Fiber.join(signedIn)).status, 200)
        assert.strictEqual((yield* Fiber.join(other)).status, 200)
      })
    )
  )
})

layer(service)("people who are signed in", (it) => {
  it.effect("wait for nobody's turn but their own", () =>
    holding(({ begun, release }) =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        yield* flood(hashingBounds.places, signUpFrom("203.0.113.1"))
        const running = yield* Queue.takeN(begun, hashingBounds.places)
        yield* flood(20, signUpFrom("203.0.113.1"))
        yield* untilWaiting("patient", 20)
        const changed = yield* Effect.forkChild(
          freya.patch("/auth/password", { old: "the old password", new: "the new password" })
        )
        yield* untilWaiting("urgent", 1)
        yield* running[0]?.finish ?? Effect.void
        assert.strictEqual((yield* Queue.take(begun)).password, "the old password")
        yield* release
        assertProblem(yield* Fiber.join(changed), PasswordWrong)
      })
    )
  )
})

layer(service)("more requests than may wait", (it) => {
  it.effect("are refused by every operation that hashes", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* removePassword(loki)
      ok(yield* freya.post("/accounts/self/emails", { email_address: "freya@asgard.example" }))
      const { token } = ok(yield* odin.post(`/accounts/${odin.id}/auth/password/reset-token`))
      const requests = {
        emailSignUp: signUpByEmail({ email: "new@asgard.example", password }),
        emailSignIn: signInByEmail("freya@asgard.example"),
        reset: reset(token, password),
        signIn: post("/signin", { identifier: "odin", token: password }, "203.0.113.3"),
        change: freya.patch("/auth/password", { old: password, new: password }),
        add: loki.post("/auth/password", { password }),
        erase: freya.post("/accounts/self/erasure", { keep_posts: true, password }),
        collect: freya.post("/accounts/self/export", { password })
      }
      for (const request of Object.values(requests)) {
        yield* holding(() =>
          Effect.gen(function* () {
            const answers = yield* flood(full + 1, request)
            assertBusy(yield* Queue.take(answers))
          })
        )
      }
      assert.strictEqual((yield* odin.get("/accounts")).status, 200)
    })
  )
})

layer(service)("whoever waits and hangs up", (it) => {
  it.effect("is forgotten: nothing is hashed for them", () =>
    holding(({ begun }) =>
      Effect.gen(function* () {
        yield* flood(hashingBounds.places, signUpFrom("203.0.113.1"))
        const running = yield* Queue.takeN(begun, hashingBounds.places)
        const gone = yield* Effect.forkChild(signUpFrom("203.0.113.4", "nobody waits"))
        yield* untilWaiting("patient", 1)
        yield* Fiber.interrupt(gone)
        yield* untilWaiting("patient", 0)
        yield* Effect.forkChild(signUpFrom("203.0.113.5", "somebody waits"))
        yield* untilWaiting("patient", 1)
        for (const { finish } of running) yield* finish
        assert.strictEqual((yield* Queue.take(begun)).password, "somebody waits")
      })
    )
  )

  it.effect("has used none of the attempts, right or wrong", () =>
    Effect.gen(function* () {
      yield* signUp("baldur")
      for (const token of [password, "not the password"]) {
        for (let round = 0; round < 12; round++) {
          yield* holding(({ begun }) =>
            Effect.gen(function* () {
              yield* flood(hashingBounds.places, signUpFrom("203.0.113.1"))
              yield* Queue.takeN(begun, hashingBounds.places)
              const gone = yield* Effect.forkChild(signIn("baldur", token))
              yield* untilWaiting("urgent", 1)
              yield* Fiber.interrupt(gone)
              yield* untilWaiting("urgent", 0)
            })
          )
        }
      }
      assertProblem(yield* signIn("baldur", "not the password"), PasswordWrong)
      assert.strictEqual((yield* signIn("baldur")).status, 200)
    })
  )

  it.effect("while a right password is checked has used none of the attempts either", () =>
    Effect.gen(function* () {
      yield* signUp("hodr")
      for (let round = 0; round < 12; round++) {
        yield* holding(({ begun }) =>
          Effect.gen(function* () {
            const gone = yield* Effect.forkChild(
              guest.post("/auth/password/signin", { identifier: "hodr", token: password })
            )
            const { finish } = yield* Queue.take(begun)
            yield* Fiber.interrupt(gone)
            // By then the service has seen that the connection is closed.
            yield* Effect.repeat(call("GET", "/healthz"), { times: 5 })
            yield* finish
          })
        )
      }
      assert.strictEqual((yield* signIn("hodr")).status, 200)
    })
  )
})
