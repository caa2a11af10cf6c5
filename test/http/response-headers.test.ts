import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { json, signUp } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const signIn = "/api/auth/password/signin"

layer(TestApp.layer)("every answer", (it) => {
  it.effect("carries the security headers", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const requests = [
        { path: "/api/info" },
        { path: "/api/accounts", headers: odin.headers },
        { path: "/api/accounts" },
        { path: "/nope" },
        { path: "/healthz" },
        { path: "/metrics" },
        { path: "/api/docs" },
        { path: "/api/info", method: "PUT" },
        { path: "/api/info", method: "OPTIONS" },
        { path: "/api/info", method: "HEAD" },
        { path: "/api/auth/logout", method: "POST" },
        { path: signIn, method: "POST", body: "{", headers: json },
        { path: signIn, method: "POST", headers: { origin: "https://evil.test" } }
      ]
      for (const request of requests) {
        const { headers } = yield* send(request)
        assert.strictEqual(headers["x-content-type-options"], "nosniff", request.path)
        assert.strictEqual(headers["referrer-policy"], "no-referrer")
        assert.match(headers["content-security-policy"] ?? "", /default-src 'none'.*frame-ancestors 'none'/)
        assert.match(headers.vary ?? "", /\bOrigin\b/)
        assert.isDefined(headers["cache-control"], request.path)
        assert.isUndefined(headers["x-powered-by"])
        assert.isUndefined(headers.server)
      }
    })
  )

  it.effect("carries WWW-Authenticate if it is 401, and only then", () =>
    Effect.gen(function* () {
      const stranger = yield* send({ path: "/api/accounts" })
      assert.strictEqual(stranger.status, 401)
      assert.match(stranger.headers["www-authenticate"] ?? "", /^Bearer\b/)
      const nowhere = yield* send({ path: "/api/threads/nowhere" })
      assert.strictEqual(nowhere.status, 404)
      assert.isUndefined(nowhere.headers["www-authenticate"])
    })
  )

  it.effect("has a Content-Length of 0 if it is empty, and a Content-Type otherwise", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const thread = yield* freya.post("/threads", { title: "t" })
      assert.strictEqual(thread.headers["content-type"], "application/json")
      const deleted = yield* send({
        method: "DELETE",
        path: `/api/threads/${thread.json.id}`,
        headers: freya.headers
      })
      const empty = [
        deleted,
        yield* send({ method: "POST", path: "/api/auth/logout" }),
        yield* send({
          method: "POST",
          path: "/api/beacon",
          headers: { "content-type": "text/plain" },
          body: "x"
        }),
        yield* send({ path: "/healthz" })
      ]
      for (const answer of empty) {
        assert.strictEqual(answer.text, "")
        assert.strictEqual(answer.headers["content-length"], "0")
        assert.isUndefined(answer.headers["content-type"])
      }
      const preflight = yield* send({ method: "OPTIONS", path: "/api/info" })
      assert.isUndefined(preflight.headers["content-length"])
    })
  )
})
