import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { networksOf } from "../../src/domain/shared/Network.ts"
import { TagStore } from "../../src/domain/tag/TagStore.ts"
import { RateLimitExceeded, ServiceBusy } from "../../src/http/contract/RequestProblems.ts"
import { MessageTurns } from "../../src/http/mcp/MessageTurns.ts"
import { answerMax } from "../../src/http/mcp/Tools.ts"
import { accept, callTool, resultIn, say } from "../support/agents.ts"
import { ok } from "../support/answers.ts"
import { Cast, call, guest, type Person, withCast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

/** Sends bytes as a message of a version that has sessions elsewhere. */
const send = (person: Person, body: string, version = "2025-11-25") =>
  call("POST", "/mcp", { body, headers: { ...person.headers, ...accept, "mcp-protocol-version": version } })

const message = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const app = TestApp.layerWhere({ mcpEnabled: true })

layer(withCast(app))("messages of agents", (it) => {
  it.effect("have a size, a depth and a form", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const large = message(1, "tools/call", {
        name: "thread_list",
        arguments: { q: "x".repeat(1024 * 1024) }
      })
      assert.strictEqual((yield* send(odin, large)).status, 413)
      const sized = (bytes: number) => message(1, "ping").padEnd(bytes, " ")
      assert.strictEqual((yield* send(odin, sized(256 * 1024))).status, 200)
      assert.strictEqual((yield* send(odin, sized(256 * 1024 + 1))).status, 413)
      const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(200)}1${"}".repeat(200)}}`
      assert.strictEqual((yield* send(odin, deep)).status, 400)
      const wide = (values: number) =>
        message(1, "tools/call", {
          name: "thread_list",
          arguments: Object.fromEntries(Array.from({ length: values }, (_, n) => [`n${n}`, n]))
        })
      // Nine values stand around the arguments.
      assert.strictEqual((yield* send(odin, wide(4_990))).status, 200)
      const refused = yield* send(odin, wide(5_010))
      assertInvalid(refused, "body")
      assert.strictEqual(refused.json.metadata.issues[0].message, "may have 5000 values at most")
      for (const text of ["{", "", "null", "7", '"tools/list"', "{}"]) {
        const answer = yield* send(odin, text)
        assert.oneOf(answer.status, [200, 400], text)
        assert.property(answer.json, "error", text)
      }
      const batch = `[${message(1, "tools/list")},${message(2, "tools/list")}]`
      assert.strictEqual((yield* send(odin, batch)).status, 400)
      assert.strictEqual((yield* send(odin, message(1, "tools/list"), "2024-11-05")).status, 400)
    })
  )

  it.effect("are answered without a session, and none is given", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const begun = yield* send(
        odin,
        message(0, "initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" }
        })
      )
      assert.strictEqual(ok(begun).result.protocolVersion, "2025-06-18")
      assert.notProperty(begun.headers, "mcp-session-id")
      const many = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, id) => id),
        (id) =>
          Effect.map(
            send(odin, message(1, "tools/call", { name: "tag_list", arguments: { q: `${id}` } })),
            (answer) => ok(answer).result.isError ?? false
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(many), new Set([false]))
      // One that somebody made up is not looked at, nor does a message need to say its version.
      const made = { ...odin.headers, ...accept, "mcp-session-id": "made-up" }
      for (const version of ["2025-11-25", "2025-06-18", "2025-11-25", undefined]) {
        const headers = version === undefined ? made : { ...made, "mcp-protocol-version": version }
        const answer = yield* call("POST", "/mcp", { body: message(1, "ping"), headers })
        assert.deepStrictEqual(ok(answer).result, {})
        assert.strictEqual(answer.headers["mcp-protocol-version"], version ?? "2025-06-18")
        assert.notProperty(answer.headers, "mcp-session-id")
      }
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" }
      }
      const again = yield* call("POST", "/mcp", { body: message(0, "initialize", params), headers: made })
      assert.strictEqual(ok(again).result.protocolVersion, "2025-11-25")
      assert.notProperty(again.headers, "mcp-session-id")
    })
  )

  it.effect("are told of no changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { capabilities } = resultIn(yield* say(odin, "server/discover"))
      assert.isFalse(capabilities.tools.listChanged)
      const refused = yield* say(odin, "subscriptions/listen", { notifications: { toolsListChanged: true } })
      assert.include(refused.text, "-32601")
    })
  )

  it.effect("and what they call count for the rate limit of the caller", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* Effect.map(
        odin.patch("/admin", { services: { rate_limiting: { exempt_cidrs: [], rate_limit: 1000 } } }),
        ok
      )
      const left = Effect.map(odin.get("/tags"), ({ headers }) => Number(headers["x-ratelimit-remaining"]))
      const before = yield* left
      yield* callTool(odin, "tag_list")
      // The message, what it called, and the question how much is left.
      assert.strictEqual(before - (yield* left), 3)
    })
  )

  it.effect("are refused beyond the rate limit, and those of nobody cost what guests do", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const limits = { exempt_cidrs: [], rate_limit: 60, rate_limit_guest_cost: 5 }
      ok(yield* odin.patch("/admin", { services: { rate_limiting: limits } }))
      const remainingFor = (person: Person) =>
        Effect.map(say(person, "tools/list"), ({ headers, status }) => {
          assert.strictEqual(status, 401)
          return Number(headers["x-ratelimit-remaining"])
        })
      // Somebody may have the token, until it was looked for.
      const stranger = { ...guest, headers: { authorization: "Bearer nothing" } }
      for (const nobody of [guest, stranger]) {
        assert.strictEqual((yield* remainingFor(nobody)) - (yield* remainingFor(nobody)), 5)
      }
      const answers = yield* Effect.replicateEffect(say(odin, "tools/list"), 61)
      const [last] = answers.slice(-1)
      assert.isDefined(last)
      assertProblem(last, RateLimitExceeded)
    })
  )
})

layer(withCast(app.pipe(Layer.provide(Layer.succeed(answerMax, 100)))))("answers of tools", (it) => {
  it.effect("that are too long are refused", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { content, isError } = yield* callTool(odin, "member_search")
      assert.isTrue(isError)
      assert.include(content[0].text, "100 at most")
      assert.strictEqual((yield* say(odin, "tools/list")).status, 200)
    })
  )
})

const turnOf = Layer.succeed(MessageTurns, { running: 2, runningPerClient: 1, waiting: 64, perClient: 1 })

/** Holds what lists tags, and says that it has come so far. */
const held = Latch.makeUnsafe()
const begun = Latch.makeUnsafe()
const tags = TestApp.storesBut(TagStore, (usual) => ({
  ...usual,
  list: (place) => begun.open.pipe(Effect.andThen(held.await), Effect.andThen(usual.list(place)))
}))

const proxied = TestApp.layerWhere(
  { mcpEnabled: true, trustedProxies: networksOf(["127.0.0.0/8", "::1"]) },
  tags
).pipe(Layer.provide(turnOf))

layer(withCast(proxied))("messages", (it) => {
  it.effect("wait for those of their own network alone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const at = (person: Person, address: string) => ({
        ...person,
        headers: { ...person.headers, "x-forwarded-for": address }
      })
      const slow = say(at(odin, "203.0.113.1"), "tools/call", { name: "tag_list", arguments: {} })
      const running = yield* Effect.forkChild(slow)
      yield* begun.await
      assertProblem(yield* say(at(freya, "203.0.113.1"), "tools/list"), ServiceBusy)
      ok(yield* say(at(odin, "203.0.113.2"), "tools/list"))
      yield* held.open
      ok(yield* Fiber.join(running))
    })
  )
})

const noTurns = Layer.succeed(MessageTurns, { running: 0, runningPerClient: 0, waiting: 0, perClient: 0 })

layer(withCast(app.pipe(Layer.provide(noTurns))))("messages", (it) => {
  it.effect("have a queue of their own", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const method of ["tools/list", "server/discover"]) {
        assertProblem(yield* say(odin, method), ServiceBusy)
      }
      assertProblem(yield* say(odin, "tools/call", { name: "tag_list", arguments: {} }), ServiceBusy)
      ok(yield* odin.get("/tags"))
    })
  )
})
