import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { ForumApi } from "../../src/http/Api.ts"
import { signUp } from "../support/people.ts"
import { assertProblem, cookieOf, issuesOf } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("addresses", (it) => {
  it.effect("an unknown one is a problem, inside the API and outside", () =>
    Effect.gen(function* () {
      for (const path of [
        "/api/nope",
        "/api",
        "/",
        "/nope",
        "/API/info",
        "/api/threads/a/b/c",
        "/api/info/x?y=z"
      ]) {
        for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
          assertProblem(yield* send({ method, path }), 404, "not-found", `${method} ${path}`)
        }
      }
    })
  )

  it.effect("a known one with another method lists the methods it takes", () =>
    Effect.gen(function* () {
      const tables: ReadonlyArray<readonly [string, string, string]> = [
        ["PUT", "/api/threads", "GET, HEAD, POST, OPTIONS"],
        ["POST", "/api/threads/x", "GET, HEAD, PATCH, DELETE, OPTIONS"],
        ["GET", "/api/auth/password", "POST, PATCH, OPTIONS"],
        ["DELETE", "/api/info", "GET, HEAD, OPTIONS"],
        ["POST", "/healthz", "GET, HEAD, OPTIONS"],
        ["PROPFIND", "/api/info", "GET, HEAD, OPTIONS"]
      ]
      for (const [method, path, allow] of tables) {
        const answer = yield* send({ method, path })
        assertProblem(answer, 405, "method-not-allowed", `${method} ${path}`)
        assert.strictEqual(answer.headers.allow, allow)
        assert.deepStrictEqual(answer.json.metadata.allow, allow.split(", "))
      }
    })
  )

  it.effect("one that cannot be decoded is not valid, whatever it may have meant", () =>
    Effect.gen(function* () {
      for (const path of ["/api/threads/%zz", "/api/threads/%", "/api/roles/%ff", "/api/roles/%E2%82"]) {
        const answer = yield* send({ path })
        assertProblem(answer, 400, "invalid-request", path)
        assert.deepStrictEqual(issuesOf(answer), [["path", ""]])
      }
      assertProblem(yield* send({ path: `/api/roles/${"a".repeat(16_000)}` }), 404, "role-not-found")
      assertProblem(yield* send({ path: "/%c0%ae%c0%ae/" }), 404, "not-found")
      assertProblem(yield* send({ path: "//" }), 404, "not-found")
    })
  )

  it.effect("a very long one finds nothing, and breaks nothing", () =>
    Effect.gen(function* () {
      assertProblem(yield* send({ path: `/api/threads/${"a".repeat(10_000)}` }), 404, "thread-not-found")
      assertProblem(yield* send({ path: `/api/${"a".repeat(10_000)}` }), 404, "not-found")
      assertProblem(yield* send({ path: `/api/roles/${"%E2%82%AC".repeat(1000)}` }), 404, "role-not-found")
    })
  )

  it.effect("no text may have a NUL character, and the refusal says where", () =>
    Effect.gen(function* () {
      const places: ReadonlyArray<readonly [string, string]> = [
        ["/api/threads/a%00b", "path"],
        ["/api/roles/%00", "path"],
        ["/api/categories/a%00", "path"],
        ["/api/threads?q=a%00b", "query"],
        ["/api/threads?author=%00", "query"]
      ]
      for (const [path, place] of places) {
        const answer = yield* send({ path })
        assertProblem(answer, 400, "invalid-request", path)
        assert.deepStrictEqual(issuesOf(answer), [[place, ""]])
      }
      // What reads no address has none to refuse.
      assert.strictEqual((yield* send({ path: "/api/info?x=%00" })).status, 200)
    })
  )
})

layer(TestApp.layer)("HEAD and OPTIONS", (it) => {
  const readable: Array<string> = []
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      if (endpoint.method === "GET") readable.push(endpoint.path.replace(/:\w+/g, "vvvvvvvvvvvvvvvvvvvg"))
    }
  })

  it.effect("HEAD has the headers of GET, and no body", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      assert.isAbove(readable.length, 10)
      for (const path of [...readable, "/healthz", "/readyz", "/nope"]) {
        for (const headers of [{}, cookieOf(odin)]) {
          const get = yield* send({ path, headers })
          const head = yield* send({ path, headers, method: "HEAD" })
          const { date: _, ...expected } = get.headers
          const { date: __, ...actual } = head.headers
          assert.strictEqual(head.status, get.status, path)
          assert.deepStrictEqual(actual, expected, path)
          assert.strictEqual(head.text, "")
        }
      }
    })
  )

  it.effect("OPTIONS tells what an address takes", () =>
    Effect.gen(function* () {
      const answer = yield* send({ method: "OPTIONS", path: "/api/threads/x" })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.text, "")
      assert.strictEqual(answer.headers.allow, "GET, HEAD, PATCH, DELETE, OPTIONS")
      assertProblem(yield* send({ method: "OPTIONS", path: "/api/nope" }), 404, "not-found")
    })
  )
})
