import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { ForumApi } from "../../src/http/Api.ts"
import { type Answer, guest, type Person, password, signUp } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const mebibyte = 1024 * 1024

const problemOf = (answer: Answer) => String(answer.json?.type).replace("/api/problems/", "")

const assertProblem = (answer: Answer, status: number, name: string, about = "") => {
  assert.strictEqual(answer.status, status, `${about} ${answer.text}`)
  assert.strictEqual(problemOf(answer), name, about)
  assert.strictEqual(answer.headers["content-type"], "application/problem+json")
  assert.strictEqual(answer.json.status, status)
  assert.match(answer.json.trace_id, /^[0-9a-f]{32}$/)
}

const issuesOf = (answer: Answer): ReadonlyArray<readonly [string, string]> =>
  answer.json.metadata.issues.map((issue: { in: string; path: string }) => [issue.in, issue.path])

const cookieOf = (person: Person) => ({ cookie: `forum-session=${person.cookie}` })

const json = { "content-type": "application/json" }

const signIn = "/api/auth/password/signin"

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

layer(TestApp.layer)("bodies", (it) => {
  it.effect("JSON may have a mebibyte, whether its length is told or not", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const headers = { ...cookieOf(odin), ...json }
      const bodyOf = (length: number) => {
        const empty = JSON.stringify({ title: "t", meta: { x: "" } })
        return empty.replace('""', `"${"x".repeat(length - empty.length)}"`)
      }
      for (const chunked of [false, true]) {
        const fits = yield* send({
          method: "POST",
          path: "/api/threads",
          headers,
          body: bodyOf(mebibyte),
          chunked
        })
        assert.strictEqual(fits.status, 200, `chunked ${chunked}: ${fits.text.slice(0, 300)}`)
        const large = { method: "POST", path: "/api/threads", headers, body: bodyOf(mebibyte + 1), chunked }
        const answer = yield* send(large)
        assertProblem(answer, 413, "payload-too-large", `chunked ${chunked}`)
        assert.deepStrictEqual(answer.json.metadata, { maximum: mebibyte })
      }
    })
  )

  it.effect("nobody uploads much before being told to sign in", () =>
    Effect.gen(function* () {
      const body = "x".repeat(2 * mebibyte)
      assertProblem(
        yield* send({ method: "POST", path: "/api/threads", headers: json, body }),
        401,
        "unauthenticated"
      )
    })
  )

  it.effect("what is no JSON may have fifty mebibytes", () =>
    Effect.gen(function* () {
      const author = yield* signUp("author")
      const thread = yield* author.post("/threads", { title: "t", visibility: "published" })
      const signal = JSON.stringify({ k: "thread", id: thread.json.id })
      for (const [handle, size, counts] of [
        ["patient", 2 * mebibyte, true],
        ["excessive", 51 * mebibyte, false]
      ] as const) {
        const reader = yield* signUp(handle)
        const headers = { ...cookieOf(reader), "content-type": "text/plain" }
        const body = signal.padEnd(size)
        assert.strictEqual((yield* send({ method: "POST", path: "/api/beacon", headers, body })).status, 202)
        const read = yield* reader.get(`/threads/${thread.json.id}`)
        assert.strictEqual("read_status" in read.json, counts, handle)
      }
    })
  )

  it.effect("operations without a body do not mind one", () =>
    Effect.gen(function* () {
      const answer = yield* send({
        method: "POST",
        path: "/api/auth/logout",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "a=b"
      })
      assert.strictEqual(answer.status, 302)
    })
  )

  it.effect("another kind of body is refused by its name", () =>
    Effect.gen(function* () {
      for (const type of [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "junk"
      ]) {
        const answer = yield* send({
          method: "POST",
          path: signIn,
          headers: { "content-type": type },
          body: "{}"
        })
        assertProblem(answer, 415, "unsupported-media-type", type)
        assert.deepStrictEqual(answer.json.metadata, { content_type: type })
      }
    })
  )

  it.effect("JSON is taken with a charset, in any case, and without a type", () =>
    Effect.gen(function* () {
      yield* signUp("freya")
      const body = JSON.stringify({ identifier: "freya", token: password })
      for (const type of [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/json;charset=UTF-8"
      ]) {
        const answer = yield* send({ method: "POST", path: signIn, headers: { "content-type": type }, body })
        assert.strictEqual(answer.status, 200, `${type}: ${answer.text}`)
      }
      assert.strictEqual((yield* send({ method: "POST", path: signIn, body })).status, 200)
    })
  )

  it.effect("what is no JSON is an issue of the body", () =>
    Effect.gen(function* () {
      for (const body of ["{", "{'a': 1}", "[1,]", '{"identifier": "a", "token": "b"', "undefined", "NaN"]) {
        const answer = yield* send({ method: "POST", path: signIn, headers: json, body })
        assertProblem(answer, 400, "invalid-request", body)
        assert.deepStrictEqual(issuesOf(answer), [["body", ""]], body)
      }
    })
  )

  it.effect("no body counts as an empty object", () =>
    Effect.gen(function* () {
      const answer = yield* send({ method: "POST", path: signIn, headers: json })
      assertProblem(answer, 400, "invalid-request")
      assert.deepStrictEqual(issuesOf(answer), [
        ["body", "identifier"],
        ["body", "token"]
      ])
    })
  )

  it.effect("every broken rule is told at once, each with its place", () =>
    Effect.gen(function* () {
      const loki = yield* signUp("loki")
      const answer = yield* loki.post("/threads", {
        title: " ",
        category: "nope",
        tags: ["ok", 5, "x".repeat(101)],
        visibility: "secret",
        pinned: 1.5,
        meta: []
      })
      assertProblem(answer, 400, "invalid-request")
      assert.deepStrictEqual([...new Set(issuesOf(answer).map(([, path]) => path))].sort(), [
        "category",
        "meta",
        "pinned",
        "tags.1",
        "tags.2",
        "title",
        "visibility"
      ])
      for (const issue of answer.json.metadata.issues) assert.isNotEmpty(issue.message)
    })
  )

  it.effect("an issue of the query says so", () =>
    Effect.gen(function* () {
      const answer = yield* guest.get("/threads?visibility=secret&ignore_pinned=maybe")
      assertProblem(answer, 400, "invalid-request")
      assert.deepStrictEqual(issuesOf(answer), [
        ["query", "visibility.0"],
        ["query", "ignore_pinned"]
      ])
    })
  )

  it.effect("deep nesting is refused, and moderate nesting kept", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      const nested = (depth: number) => `{"title":"t","meta":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`
      const post = (body: string) =>
        send({ method: "POST", path: "/api/threads", headers: { ...cookieOf(tyr), ...json }, body })
      const kept = yield* post(nested(100))
      assert.strictEqual(kept.status, 200, kept.text)
      for (const depth of [200, 10_000, 100_000])
        assertProblem(yield* post(nested(depth)), 400, "invalid-request")
      // Brackets within text nest nothing.
      assert.strictEqual((yield* post(JSON.stringify({ title: "[".repeat(500) }))).status, 200)
    })
  )

  const unstorable: ReadonlyArray<readonly [string, boolean]> = [
    ['"a\\u0000b"', true],
    ['"a\\\\\\u0000b"', true],
    ['"a\\\\u0000b"', false],
    ['"\\ud800"', true],
    ['"\\udc00\\ud800"', true],
    ['"\\uD83D\\uDE00"', false],
    ['"\\\\ud800"', false],
    ['"x\\uDBFFx"', true]
  ]
  it.effect("text that cannot be kept is refused, text that only looks like it is not", () =>
    Effect.gen(function* () {
      const vidar = yield* signUp("vidar")
      for (const [title, refused] of unstorable) {
        const body = `{"title": ${title}, "meta": {"k": ${title}}}`
        const headers = { ...cookieOf(vidar), ...json }
        const answer = yield* send({ method: "POST", path: "/api/threads", headers, body })
        assert.strictEqual(answer.status, refused ? 400 : 200, `${title}: ${answer.text}`)
        if (!refused) assert.strictEqual(answer.json.title, JSON.parse(title))
      }
    })
  )
})

layer(TestApp.layer)("every kind of answer", (it) => {
  it.effect("carries the headers that keep browsers from guessing", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const requests = [
        { path: "/api/info" },
        { path: "/api/accounts", headers: cookieOf(odin) },
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
        assert.isUndefined(headers["x-powered-by"])
        assert.isUndefined(headers.server)
      }
    })
  )

  it.effect("tells its length where it is empty, and its type where it is not", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const thread = yield* freya.post("/threads", { title: "t" })
      assert.strictEqual(thread.headers["content-type"], "application/json")
      const deleted = yield* send({
        method: "DELETE",
        path: `/api/threads/${thread.json.id}`,
        headers: cookieOf(freya)
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
