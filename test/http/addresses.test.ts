import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { RoleNotFound } from "../../src/domain/role/Role.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { MethodNotAllowed, NotFound } from "../../src/http/contract/RequestProblems.ts"
import { signUp } from "../support/people.ts"
import { assertInvalid, assertProblem, issuesOf } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("addresses", (it) => {
  it.effect("an unknown address is not found, inside the API and outside", () =>
    Effect.gen(function* () {
      for (const path of ["/api/nope", "/nope", "/API/info", "/api/threads/a/b/c", "/api/info/x?y=z"]) {
        for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
          assertProblem(yield* send({ method, path }), NotFound)
        }
      }
    })
  )

  it.effect("an address has one form only, but for a slash at its end", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path: "/api/version/?a;b" })).status, 200)
      for (const path of [
        "//api/version",
        "/api//version",
        "/api/version//",
        "/api/version;x=1",
        "/api/version%3Bx",
        "/api/version#x",
        "/api;x/version",
        "/api/./version",
        "/api/x/../version",
        "/api/version%2F",
        "/api/threads//replies"
      ]) {
        assertProblem(yield* send({ path }), NotFound)
        assertProblem(yield* send({ path, method: "DELETE" }), NotFound)
        assertProblem(yield* send({ path, method: "POST" }), NotFound)
      }
    })
  )

  it.effect("a parameter of an address may contain any character", () =>
    Effect.gen(function* () {
      const id = "00000000000000000010"
      assert.strictEqual((yield* send({ path: `/api/roles/${id}` })).status, 200)
      for (const end of [";x", "#x", "%3Bx", "%2Fx"]) {
        assertProblem(yield* send({ path: `/api/roles/${id}${end}` }), RoleNotFound)
      }
    })
  )

  it.effect("an address lists the methods that it takes, to any other method", () =>
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
        assertProblem(answer, MethodNotAllowed, { allow: allow.split(", ") })
        assert.strictEqual(answer.headers.allow, allow)
      }
    })
  )

  it.effect("an address that cannot be decoded is invalid", () =>
    Effect.gen(function* () {
      for (const path of ["/api/threads/%zz", "/api/threads/%", "/api/roles/%ff", "/api/roles/%E2%82"]) {
        const refused = yield* send({ path })
        assertInvalid(refused, "path")
        assert.match(issuesOf(refused)[0]?.message ?? "", /^Expected an address /)
      }
      assertProblem(yield* send({ path: `/api/roles/${"a".repeat(16_000)}` }), RoleNotFound)
      assertProblem(yield* send({ path: "/%c0%ae%c0%ae/" }), NotFound)
      assertProblem(yield* send({ path: "//" }), NotFound)
    })
  )

  it.effect("a very long address is not found", () =>
    Effect.gen(function* () {
      assertProblem(yield* send({ path: `/api/threads/${"a".repeat(10_000)}` }), ThreadNotFound)
      assertProblem(yield* send({ path: `/api/${"a".repeat(10_000)}` }), NotFound)
      assertProblem(yield* send({ path: `/api/roles/${"%E2%82%AC".repeat(1000)}` }), RoleNotFound)
    })
  )

  it.effect("a NUL character is refused, and the problem names its place", () =>
    Effect.gen(function* () {
      const places: ReadonlyArray<readonly [string, string]> = [
        ["/api/threads/a%00b", "path thread_mark"],
        ["/api/roles/%00", "path role_id"],
        ["/api/categories/a%00", "path category_slug"],
        ["/api/threads?q=a%00b", "query q"],
        ["/api/threads?q=a?b%00", "query q"],
        ["/api/threads?author=%00", "query author"],
        ["/api/threads?tags=a&tags=%00", "query tags.1"]
      ]
      for (const [path, place] of places) {
        assertInvalid(yield* send({ path }), place)
      }
      // Parameters that the operation does not have are ignored.
      assert.strictEqual((yield* send({ path: "/api/threads?x=%00" })).status, 200)
    })
  )
})

/**
 * Headers without what is another one each time: the time, and the challenge in a cookie. How a body is transferred need
 * not be said where there is none (RFC 9112, 6.1).
 */
const steadyOf = ({
  date: _,
  "transfer-encoding": _transfer,
  ...headers
}: Readonly<Record<string, string | undefined>>) => ({
  ...headers,
  "set-cookie": headers["set-cookie"]?.replace(/=[^;]+/, "=")
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
        for (const headers of [{}, odin.headers]) {
          const get = yield* send({ path, headers })
          const head = yield* send({ path, headers, method: "HEAD" })
          const expected = steadyOf(get.headers)
          const actual = steadyOf(head.headers)
          assert.strictEqual(head.status, get.status, path)
          assert.deepStrictEqual(actual, expected, path)
          assert.strictEqual(head.text, "")
        }
      }
    })
  )

  it.effect("OPTIONS lists the methods of an address", () =>
    Effect.gen(function* () {
      const answer = yield* send({ method: "OPTIONS", path: "/api/threads/x" })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.text, "")
      assert.strictEqual(answer.headers.allow, "GET, HEAD, PATCH, DELETE, OPTIONS")
      const service = yield* send({ method: "OPTIONS", path: "*" })
      assert.strictEqual(service.status, 204)
      assert.strictEqual(service.headers.allow, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
      assertProblem(yield* send({ method: "OPTIONS", path: "/api/nope" }), NotFound)
    })
  )
})
