import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageUnavailable } from "../../src/domain/storage/StorageProblem.ts"
import { sessionOf } from "../support/answers.ts"
import { whileUnreachable } from "../support/database.ts"
import * as Logs from "../support/logs.ts"
import { operations } from "../support/operations.ts"
import { call, guest, password, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"

const recorded = TestApp.layer.pipe(Layer.provideMerge(Logs.layer))

const lastAccess = Effect.map(Logs.accesses, (lines) => lines.at(-1)?.annotations ?? {})

layer(recorded)("trace ids", (it) => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"

  const answered = Effect.fnUntraced(function* (headers: Readonly<Record<string, string>>) {
    const answer = yield* send({ path: "/api/nope", headers })
    assert.strictEqual((yield* lastAccess).trace_id, answer.json.trace_id)
    return answer.json.trace_id as string
  })

  it.effect("a valid traceparent is used in the answer and in the log", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* answered({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` }), traceId)
      assert.strictEqual(yield* answered({ traceparent: `00-${traceId}-00f067aa0ba902b7-00` }), traceId)
    })
  )

  it.effect("a traceparent of a later version is used as far as it is known", () =>
    Effect.gen(function* () {
      const later = ["01-%-01", "cc-%-00", "fe-%-ff", "01-%-01-", "01-%-01-what-the-future-will-be-like"]
      for (const form of later) {
        const traceparent = form.replace("%", `${traceId}-00f067aa0ba902b7`)
        assert.strictEqual(yield* answered({ traceparent }), traceId, traceparent)
      }
    })
  )

  it.effect("a malformed traceparent is ignored", () =>
    Effect.gen(function* () {
      const malformed = [
        "",
        "junk",
        traceId,
        `00-${traceId}`,
        `00-${traceId}-00f067aa0ba902b7`,
        `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
        `00-${traceId}-${"0".repeat(16)}-01`,
        `ff-${traceId}-00f067aa0ba902b7-01`,
        `00-${traceId}-00f067aa0ba902b7-01-more`,
        `01-${traceId}-00f067aa0ba902b7-01more`,
        `01-${"0".repeat(32)}-00f067aa0ba902b7-01`,
        `1-${traceId}-00f067aa0ba902b7-01`,
        `00-${traceId.slice(1)}g-00f067aa0ba902b7-01`,
        `00-${traceId}"><script>-00f067aa0ba902b7-01`
      ]
      for (const traceparent of malformed) {
        const given = yield* answered({ traceparent })
        assert.match(given, /^[0-9a-f]{32}$/, traceparent)
        assert.notStrictEqual(given, traceId, traceparent)
        assert.notStrictEqual(given, "0".repeat(32), traceparent)
      }
    })
  )

  it.effect("each request without a traceparent gets an id of its own", () =>
    Effect.gen(function* () {
      const given = yield* Effect.forEach(Array.from({ length: 20 }), () => answered({}))
      assert.strictEqual(new Set(given).size, 20)
    })
  )
})

layer(recorded)("the access log", (it) => {
  it.effect("has a line for each request: who called which operation, and its status", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const { ms, trace_id, ...signedUp } = yield* lastAccess
      assert.deepStrictEqual(signedUp, {
        method: "POST",
        path: "/api/auth/password/signup",
        status: 200,
        operation: "AuthPasswordSignup",
        account: "guest"
      })
      assert.isNumber(ms)
      assert.match(String(trace_id), /^[0-9a-f]{32}$/)

      yield* odin.get("/threads?q=needle&page=2")
      const read = yield* lastAccess
      assert.strictEqual(read.path, "/api/threads")
      assert.strictEqual(read.operation, "ThreadList")
      assert.strictEqual(read.account, odin.id)

      yield* guest.get("/nope")
      assert.strictEqual((yield* lastAccess).operation, "unrouted")
      assert.strictEqual((yield* lastAccess).status, 404)
    })
  )

  it.effect("contains no secrets, no content and no search terms", () =>
    Effect.gen(function* () {
      const secret = "never-to-be-logged"
      const pair = { identifier: "loki", token: `${secret}-password` }
      const signedUp = yield* guest.post("/auth/password/signup?invitation_id=vvvvvvvvvvvvvvvvvvvg", pair)
      assert.strictEqual(signedUp.status, 403)
      const cookie = sessionOf(yield* guest.post("/auth/password/signup", pair)) ?? ""
      const own = { cookie: `forum-session=${cookie}; other=${secret}` }
      yield* guest.post("/auth/password/signin", { ...pair, token: `${secret}-wrong` })
      yield* call("GET", `/api/threads?q=${secret}&author=${secret}`, { headers: own })
      yield* call("GET", "/api/accounts", { headers: { authorization: `Bearer ${secret}` } })
      yield* call("POST", "/api/threads", { body: { title: secret, body: secret }, headers: own })
      yield* call("POST", "/api/threads", { body: `{"title": "${secret}"`, headers: own })
      yield* call("PATCH", "/api/auth/password", {
        body: { old: pair.token, new: `${secret}-next` },
        headers: own
      })
      yield* call("POST", `/api/auth/logout?redirect=/?code=${secret}`, { headers: own })
      // A statement that fails is logged, without its parameters.
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table passwords rename to passwords_gone`
      const broken = yield* guest.post("/auth/password/signin", pair)
      yield* sql`alter table passwords_gone rename to passwords`
      assert.strictEqual(broken.status, 500)

      const lines = yield* Logs.Logs
      assert.isAbove(lines.length, 10)
      for (const { text } of lines) {
        assert.notInclude(text, secret)
        assert.notInclude(text, cookie)
        assert.notInclude(text, "vvvvvvvvvvvvvvvvvvvg")
      }
    })
  )
})

layer(recorded)("an unexpected failure", (it) => {
  it.effect("is answered without details, and logged with its cause", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table threads rename to threads_gone`
      const answer = yield* guest.get("/threads")
      yield* sql`alter table threads_gone rename to threads`

      assert.strictEqual(answer.status, 500)
      assert.deepStrictEqual(Object.keys(answer.json).sort(), [
        "metadata",
        "status",
        "title",
        "trace_id",
        "type"
      ])
      assert.deepStrictEqual(answer.json.metadata, {})
      assert.notMatch(answer.text, /threads_gone|relation|select|Sql|\.ts/i)
      assert.isUndefined(answer.headers["retry-after"])

      const failures = (yield* Logs.Logs).filter(({ level }) => level === "ERROR")
      assert.strictEqual(failures.length, 1)
      assert.strictEqual(failures[0]?.annotations.trace_id, answer.json.trace_id)
      assert.match(failures[0]?.text ?? "", /relation .*threads.* does not exist/)
      assert.strictEqual((yield* lastAccess).status, 500)

      assert.strictEqual((yield* guest.get("/threads")).status, 200)
    })
  )

  it.effect("is the only kind of failure in the error log", () =>
    Effect.gen(function* () {
      const lines = yield* Logs.Logs
      const before = lines.filter(({ level }) => level === "ERROR").length
      yield* guest.get("/threads/nope")
      yield* guest.get("/accounts")
      yield* guest.post("/auth/password/signin", { identifier: "nobody", token: password })
      assert.strictEqual(lines.filter(({ level }) => level === "ERROR").length, before)
    })
  )
})

layer(recorded)("an unreachable database", (it) => {
  it.effect("is answered with 503 until it is back", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      yield* whileUnreachable(
        Effect.gen(function* () {
          const ready = { method: "GET", path: "/readyz", isOpen: false } as const
          for (const { isOpen, method, path } of [...operations, ready]) {
            const answer = yield* call(method, path, { headers: odin.headers })
            // An operation that identifies no caller may use no storage.
            if (isOpen && answer.status < 500) continue
            assertProblem(answer, StorageUnavailable, { retry_after: 1 })
            assert.strictEqual(answer.headers["retry-after"], "1")
            assert.notMatch(answer.text, /postgres|connect/i)
          }
          assert.strictEqual((yield* call("GET", "/healthz")).status, 200)
          assert.strictEqual((yield* call("GET", "/metrics")).status, 200)
        })
      )

      // The pool may notice a closed connection only when it is used again.
      yield* call("GET", "/readyz").pipe(Effect.repeat({ until: ({ status }) => status === 200, times: 20 }))
      assert.strictEqual((yield* odin.get("/accounts")).status, 200)
      const errors = (yield* Logs.Logs).filter(({ level }) => level === "ERROR")
      assert.deepStrictEqual(errors, [])
    })
  )
})
