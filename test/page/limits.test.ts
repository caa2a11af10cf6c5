/** Pages cost what the operations cost that they stand in for, and are refused as those are. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { lanes } from "../../src/http/contract/Cost.ts"
import { Lanes } from "../../src/http/pipeline/Admission.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { makeVisitor, pageOf } from "./visitor.ts"

const alone = { webUrl: new URL("http://forum.test"), trustedProxies: networksOf(["127.0.0.1"]) }

const from = (address: string) => makeVisitor({ "x-forwarded-for": address })

/** What a request for each page costs. */
const units: ReadonlyArray<readonly [method: string, path: string, units: number]> = [
  ["GET", "/login", 1],
  ["POST", "/login", 1],
  ["GET", "/login/code", 1],
  ["POST", "/login/code", 10],
  ["GET", "/login/code/check", 1],
  ["POST", "/login/code/check", 10],
  ["GET", "/login/phone", 1],
  ["POST", "/login/phone", 10],
  ["GET", "/login/phone/check", 1],
  ["POST", "/login/phone/check", 10],
  ["GET", "/oauth/authorize/consent", 1],
  ["POST", "/oauth/authorize/consent", 1],
  ["GET", "/oauth/consent", 20],
  ["POST", "/oauth/consent", 20],
  ["GET", "/auth/oauth_oidc/callback", 1],
  ["GET", "/oauth/remote/callback", 10]
]

layer(People.withCast(TestApp.layerWhere(alone)))("a page", (it) => {
  it.effect("costs what its operation costs", () =>
    Effect.gen(function* () {
      for (const [n, [method, path, cost]] of units.entries()) {
        const answer = yield* from(`198.51.100.${n}`).ask(method, path, method === "POST" ? "a=b" : undefined)
        assert.strictEqual(answer.headers["x-ratelimit-remaining"], String(5_000 - cost), `${method} ${path}`)
      }
    })
  )

  it.effect("is refused beyond the limit, and says so as a page", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* odin.patch("/admin", { services: { rate_limiting: { rate_limit: 2 } } }))
      const visitor = from("203.0.113.1")
      assert.strictEqual((yield* visitor.ask("GET", "/login")).status, 200)
      const page = pageOf(yield* visitor.ask("GET", "/login"), "/login")
      assert.strictEqual(page.answer.status, 429)
      assert.deepStrictEqual(page.heading, ["Too many attempts"])
      assert.isDefined(page.answer.headers["retry-after"])
      ok(yield* odin.patch("/admin", { services: { rate_limiting: { rate_limit: 5_000 } } }))
    })
  )

  it.effect("knows sessions alone: programs with a key are guests", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* grant(tyr, permission)
      const program = yield* withKey(tyr)
      assert.property(program.headers, "authorization")
      const visitor = makeVisitor(program.headers)
      assert.deepStrictEqual((yield* visitor.open("/login")).heading, ["Sign in"])
      assert.strictEqual((yield* visitor.ask("GET", "/oauth/consent")).status, 302)
    })
  )
})

const noHashing = Layer.succeed(Lanes, {
  ...lanes,
  hashing: { running: 0, runningPerClient: 0, waiting: 0, perClient: 0 }
})

layer(Layer.provide(TestApp.layerWhere(alone), noHashing))("a page while there is too much to do", (it) => {
  it.effect("waits in the lane of its operation, and says so as a page", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      const page = pageOf(yield* visitor.submit(form, { identifier: "odin", password: "p" }), "/login")
      assert.strictEqual(page.answer.status, 503)
      assert.deepStrictEqual(page.heading, ["There is too much to do right now"])
      assert.isDefined(page.answer.headers["retry-after"])
    })
  )
})
