import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { json, type Person, password, signUp } from "../support/people.ts"
import { port, send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

/** The origins of the API and the web frontend, and one more that the deployment allows. */
const allowed = ["http://forum.test", "http://www.forum.test", "https://app.forum.test"]

/** Origins that resemble the allowed ones. */
const foreign = [
  "https://evil.test",
  "http://app.forum.test",
  "https://app.forum.test:8443",
  "https://app.forum.test.evil.test",
  "https://evil-app.forum.test",
  "https://app.forum.testing",
  "https://xforum.test",
  "https://forum.test",
  "http://forum.test:8080",
  "http://forum.test/",
  "http://forum.test@evil.test",
  "http://forum.test, https://evil.test",
  "https://app.forum.test#",
  "null",
  "file://",
  "*",
  ""
]

layer(TestApp.layer)("cross-origin reads", (it) => {
  it.effect("are allowed for configured origins, with credentials, for successes and failures", () =>
    Effect.gen(function* () {
      for (const origin of allowed) {
        for (const path of [
          "/api/info",
          "/api/accounts",
          "/api/nope",
          "/api/threads/%zz",
          "/api/openapi.json"
        ]) {
          const { headers } = yield* send({ path, headers: { origin } })
          assert.strictEqual(headers["access-control-allow-origin"], origin, path)
          assert.strictEqual(headers["access-control-allow-credentials"], "true")
          assert.include(headers["access-control-expose-headers"], "ETag")
          assert.include(headers["access-control-expose-headers"], "Retry-After")
          assert.match(headers.vary ?? "", /\bOrigin\b/)
        }
      }
    })
  )

  it.effect("compare origins without regard to case", () =>
    Effect.gen(function* () {
      const { headers } = yield* send({ path: "/api/info", headers: { origin: "HTTPS://App.Forum.Test" } })
      assert.strictEqual(headers["access-control-allow-origin"], "https://app.forum.test")
    })
  )

  it.effect("are refused for every other origin, however similar", () =>
    Effect.gen(function* () {
      for (const origin of foreign) {
        for (const method of ["GET", "OPTIONS"]) {
          const headers = { origin, "access-control-request-method": "POST" }
          const answer = yield* send({ path: "/api/info", method, headers })
          const granted = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))
          assert.deepStrictEqual(granted, [], `${method} ${origin}`)
          assert.match(answer.headers.vary ?? "", /\bOrigin\b/)
        }
      }
    })
  )

  it.effect("are announced by a preflight answer", () =>
    Effect.gen(function* () {
      for (const path of ["/api/threads", "/api/nope"]) {
        const answer = yield* send({
          method: "OPTIONS",
          path,
          headers: {
            origin: "https://app.forum.test",
            "access-control-request-method": "PATCH",
            "access-control-request-headers": "content-type,authorization"
          }
        })
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.headers["access-control-allow-origin"], "https://app.forum.test")
        assert.strictEqual(answer.headers["access-control-allow-credentials"], "true")
        assert.strictEqual(answer.headers["access-control-max-age"], "300")
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
          assert.include(answer.headers["access-control-allow-methods"], method)
        }
        const usual = ["Content-Type", "Authorization", "If-None-Match", "X-CSRF-Token", "Idempotency-Key"]
        // The typed client sends the last two with each request.
        for (const name of [...usual, "traceparent", "b3"]) {
          assert.include(answer.headers["access-control-allow-headers"], name)
        }
      }
    })
  )
})

layer(TestApp.layer)("cross-site writes", (it) => {
  const change = Effect.fnUntraced(function* (person: Person, headers: Readonly<Record<string, string>>) {
    const request = { method: "POST", path: "/api/threads", body: '{"title":"t"}' }
    const answer = yield* send({ ...request, headers: { ...person.headers, ...json, ...headers } })
    if (answer.status === 200) return "done"
    assert.strictEqual(answer.status, 403, answer.text)
    assert.strictEqual(answer.json.type, "/api/problems/cross-site-request")
    return "refused"
  })

  it.effect("are refused as the table says", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const here = `127.0.0.1:${yield* port}`
      const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, "done" | "refused"]> = [
        // A program sends no origin.
        [{}, "done"],
        // Pages of allowed origins, whatever the browser says about the site.
        [{ origin: "https://app.forum.test" }, "done"],
        [{ origin: "https://app.forum.test", "sec-fetch-site": "cross-site" }, "done"],
        [{ origin: "HTTPS://APP.FORUM.TEST" }, "done"],
        // The service's own pages, at any address that leads to it.
        [{ origin: `http://${here}`, "sec-fetch-site": "same-origin" }, "done"],
        [{ "sec-fetch-site": "same-origin" }, "done"],
        [{ "sec-fetch-site": "none" }, "done"],
        // Pages of the hosts in the settings, on any port.
        [{ origin: "http://forum.test:3000", "sec-fetch-site": "same-site" }, "done"],
        [{ origin: "http://www.forum.test:8080" }, "done"],
        [{ origin: "https://forum.test" }, "done"],
        [{ origin: "https://app.forum.test:8443" }, "done"],
        [{ origin: "http://app.forum.test" }, "refused"],
        // A host that only the request itself names.
        [{ origin: `http://${here}` }, "refused"],
        [{ origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }, "refused"],
        [{ host: "forum.example:8000", origin: "http://forum.example:3000" }, "refused"],
        [{ host: "[::1]:8000", origin: "http://[::1]:3000" }, "refused"],
        // Without an origin, Sec-Fetch-Site decides.
        [{ "sec-fetch-site": "cross-site" }, "refused"],
        [{ "sec-fetch-site": "same-site" }, "refused"],
        // Other sites.
        [{ origin: "https://evil.test" }, "refused"],
        [{ origin: "https://evil.test", "sec-fetch-site": "same-site" }, "refused"],
        [{ origin: "http://forum.test:3000", "sec-fetch-site": "cross-site" }, "refused"],
        [{ origin: "null" }, "refused"],
        [{ origin: "http://forum.test.evil.test" }, "refused"],
        [{ origin: "http://evil.forum.test" }, "refused"],
        [{ host: "", origin: "null" }, "refused"],
        [{ host: "", origin: "file://" }, "refused"]
      ]
      for (const [headers, expected] of cases) {
        assert.strictEqual(yield* change(odin, headers), expected, JSON.stringify(headers))
      }
    })
  )

  it.effect("cannot sign anybody in, up or out", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const body = JSON.stringify({ identifier: "freya", token: password })
      const origin = "https://evil.test"
      const attempts = [
        { path: "/api/auth/password/signin", body },
        {
          path: "/api/auth/password/signup",
          body: JSON.stringify({ identifier: "mallory", token: password })
        },
        { path: "/api/auth/logout", body: "" }
      ]
      for (const attempt of attempts) {
        for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
          const headers = { ...freya.headers, origin, "content-type": type }
          const answer = yield* send({ ...attempt, method: "POST", headers })
          assert.strictEqual(answer.status, 403, attempt.path)
          assert.isUndefined(answer.headers["set-cookie"])
        }
      }
      assert.strictEqual((yield* freya.get("/accounts")).status, 200)
    })
  )

  it.effect("do not include reads, whose answers the other page cannot see", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      for (const method of ["GET", "HEAD"]) {
        const headers = { ...loki.headers, origin: "https://evil.test", "sec-fetch-site": "cross-site" }
        const answer = yield* send({ method, path: "/api/accounts", headers })
        assert.strictEqual(answer.status, 200)
        assert.isUndefined(answer.headers["access-control-allow-origin"])
      }
    })
  )

  it.effect("are refused before the rest of the request is checked", () =>
    Effect.gen(function* () {
      const headers = { origin: "https://evil.test" }
      for (const path of ["/api/threads", "/api/nope"]) {
        const answer = yield* send({ method: "POST", path, headers, body: "{" })
        assert.strictEqual(answer.json.type, "/api/problems/cross-site-request", path)
      }
    })
  )
})
