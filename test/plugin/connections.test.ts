/** Programs of external plugins that connect, and what they may ask. */
import { once } from "node:events"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keysMax } from "../../src/domain/plugin/PluginHost.ts"
import { idMax } from "../../src/domain/plugin/PluginRpc.ts"
import { knockingBounds } from "../../src/layers/adapters/plugins/sockets/Knocking.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, personByKey } from "../support/people.ts"
import { addExternal, connect, connectTo, dial } from "../support/plugins.ts"
import { least } from "./manifest.ts"

const withAccess = (permissions: ReadonlyArray<string>) => ({
  access: { handle: "Tide Bot", name: "Tide", permissions }
})

layer(People.layer)("a program that connects", (it) => {
  it.effect("is refused where it does not say which plugin it is, or says it wrongly", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const other = yield* addExternal(odin)
      const refusal = (address: string) =>
        Effect.flatMap(dial(address), ({ refused }) => Effect.promise(() => refused))
      const malformed = [
        "/rpc",
        "/rpc?token=",
        `/rpc?token=${connection.token}&plugin_id=x`,
        "/rpc?token=other"
      ]
      for (const address of malformed) assert.strictEqual((yield* refusal(address)).status, 400, address)
      const unknown = [
        "/rpc?token=sdprt_00000000000000000000000000000000",
        `/rpc?token=${connection.token}&plugin_id=${other.id}`,
        `/rpc?token=other&plugin_id=${id}`,
        "/rpc?token=sdprt_short"
      ]
      for (const address of unknown) assert.strictEqual((yield* refusal(address)).status, 401, address)
    })
  )

  it.effect("is the plugin whose token it has, by its address or a header, below the API as well", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      const status = Effect.map(odin.get(`/plugins/${id}`), (answer) => ok(answer).status.active_state)
      assert.strictEqual(yield* status, "connecting")
      for (const address of [
        `/rpc?token=${connection.token}&plugin_id=${id}`,
        `/api/rpc?token=${connection.token}`
      ]) {
        const program = yield* connectTo(address)
        assert.deepInclude(yield* program.call("get_config"), {
          result: { method: "get_config", config: {} }
        })
        assert.strictEqual(yield* status, "active")
        program.socket.close()
        yield* Effect.promise(() => program.closed)
        yield* untilStatus(status, "connecting")
      }
      const headers = { authorization: `Bearer ${connection.token}` }
      const program = yield* connectTo("/rpc", { headers })
      yield* program.call("get_config")
      assert.strictEqual(yield* status, "active")
    })
  )

  it.effect("is turned away while the plugin is connected", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const first = yield* connect(connection.token)
      yield* first.call("get_config")
      const second = yield* dial(`/rpc?token=${connection.token}`)
      assert.deepStrictEqual(yield* Effect.promise(() => second.closed), {
        code: 1008,
        reason: "connection rejected"
      })
      yield* first.call("get_config")
    })
  )
})

layer(People.layer)("programs that come by one proxy", (it) => {
  it.effect("do not answer for each other's wrong tokens", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const services = { client_ip_mode: "xff_trusted_proxies", trusted_proxy_cidrs: ["127.0.0.0/8"] }
      ok(yield* odin.patch("/admin", { services: { client_ip: services } }))
      const { connection } = yield* addExternal(odin)
      const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
      const refusal = (address: string, token: string) =>
        Effect.flatMap(dial(`/rpc?token=${token}`, from(address)), ({ refused }) =>
          Effect.promise(() => refused)
        )
      const wrong = "sdprt_00000000000000000000000000000000"
      for (let n = 0; n < knockingBounds.wrongInMinute; n++) {
        assert.strictEqual((yield* refusal("198.51.100.7", wrong)).status, 401)
      }
      assert.strictEqual((yield* refusal("198.51.100.7", connection.token)).status, 503)
      // A client has all addresses of such a network of IPv6.
      for (let n = 0; n < knockingBounds.wrongInMinute; n++) {
        assert.strictEqual((yield* refusal(`2001:db8::${n}`, wrong)).status, 401)
      }
      assert.strictEqual((yield* refusal("2001:db8::ffff", connection.token)).status, 503)
      const program = yield* connectTo(`/rpc?token=${connection.token}`, from("198.51.100.8"))
      yield* program.call("get_config")
    })
  )
})

const untilStatus = <E, R>(status: Effect.Effect<string, E, R>, wanted: string) =>
  Effect.repeat(status, { until: (now) => now === wanted, times: 2000 })

layer(People.layer)("a plugin", (it) => {
  it.effect("is told that a method is unknown, and is not read any more if it sends no JSON-RPC", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      const { error, id } = yield* program.call("fly", {}, "any text")
      assert.deepStrictEqual([id, error?.code], ["any text", -32601])
      program.socket.send(Buffer.from("binary frames are passed over"))
      yield* program.call("get_config")
      program.socket.send("no JSON")
      assert.strictEqual((yield* Effect.promise(() => program.closed)).code, 1007)
    })
  )

  it.effect("gets no answer to what it does not ask to be answered", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      const answer = once(program.socket, "message")
      for (const method of ["get_config", "access_get", "fly"]) {
        program.socket.send(JSON.stringify({ jsonrpc: "2.0", method }))
      }
      yield* program.call("get_config", {}, "asked")
      const [data] = yield* Effect.promise(() => answer)
      assert.strictEqual(JSON.parse(String(data)).id, "asked")
    })
  )

  it.effect("is told why without its id, if that is too long to be sent back", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      const longest = "i".repeat(idMax)
      assert.strictEqual((yield* program.call("get_config", {}, longest)).id, longest)
      const answer = once(program.socket, "message")
      program.socket.send(JSON.stringify({ jsonrpc: "2.0", id: `${longest}i`, method: "get_config" }))
      const [data] = yield* Effect.promise(() => answer)
      assert.deepStrictEqual(JSON.parse(String(data)), {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32600, message: "An id has 256 characters at most" }
      })
      yield* program.call("get_config")
    })
  )

  it.effect("asks for no more keys of its configuration than it may", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin)
      const program = yield* connect(connection.token)
      const keys = Array.from({ length: keysMax }, (_, n) => `key ${n}`)
      assert.deepStrictEqual((yield* program.call("get_config", { keys })).result.config, {})
      const { error } = yield* program.call("get_config", { keys: [...keys, "more"] })
      assert.strictEqual(error?.code, -32602)
      assert.deepStrictEqual((yield* program.call("get_config", { keys: "all" })).result.config, {})
    })
  )

  it.effect("acts as a bot that may do what its manifest says, by the same key in one connection", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin, withAccess(["MANAGE_CATEGORIES"]))
      const other = ok(yield* odin.post("/roles", { name: "Other", colour: "red", permissions: [] }))
      const program = yield* connect(connection.token)
      const { result } = yield* program.call("access_get")
      assert.strictEqual(result.method, "access_get")
      assert.strictEqual(result.result.api_base_url, "http://forum.test")
      const { access_key } = result.result
      assert.match(access_key, /^fbk_[A-Za-z0-9_-]{43}$/)
      assert.strictEqual((yield* program.call("access_get")).result.result.access_key, access_key)
      const bot = personByKey(access_key, "bot")
      const self = ok(yield* bot.get("/accounts"))
      assert.deepInclude(self, { handle: `tide-bot-${id.slice(-4)}`, name: "Tide", kind: "bot" })
      assert.strictEqual((yield* bot.get("/plugins")).status, 403)
      ok(yield* bot.post("/categories", { name: "Tides", description: "", colour: "red" }))
      const { roles } = ok(yield* odin.get("/roles"))
      const role = roles.find(({ meta }: { meta?: object }) => Object.hasOwn(meta ?? {}, "plugin.managed"))
      assert.deepInclude(role, { colour: "hsl(157, 65%, 44%)", permissions: ["MANAGE_CATEGORIES"] })
      // Below all others.
      const listed = roles.map(({ id }: { id: string }) => id)
      assert.isAbove(listed.indexOf(role.id), listed.indexOf(other.id))
      assert.deepStrictEqual(role.meta, {
        "plugin.installation_id": id,
        "plugin.account_id": self.id,
        "plugin.managed": true
      })
    })
  )

  it.effect("gets another key with its next connection, and what its new manifest says", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(
        odin,
        withAccess(["MANAGE_CATEGORIES", "MANAGE_SETTINGS"])
      )
      const first = yield* connect(connection.token)
      const key = (yield* first.call("access_get")).result.result.access_key
      const bot = personByKey(key, "bot")
      ok(yield* bot.get("/admin"))
      ok(yield* odin.patch(`/plugins/${id}/manifest`, { ...least, ...withAccess(["MANAGE_CATEGORIES"]) }))
      first.socket.close()
      yield* Effect.promise(() => first.closed)
      const second = yield* connect(connection.token)
      const next = (yield* second.call("access_get")).result.result.access_key
      assert.notStrictEqual(next, key)
      assert.strictEqual((yield* bot.get("/accounts")).status, 401)
      const again = personByKey(next, "bot")
      ok(yield* again.get("/accounts"))
      assert.strictEqual((yield* again.get("/admin")).status, 403)
    })
  )

  it.effect("is told inside of the answer why it gets no access", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const none = yield* addExternal(odin)
      const program = yield* connect(none.connection.token)
      const { result } = yield* program.call("access_get")
      assert.strictEqual(result.error.code, -32601)
      const unknown = yield* addExternal(odin, withAccess(["FLY"]))
      const other = yield* connect(unknown.connection.token)
      const answer = yield* other.call("access_get")
      assert.strictEqual(answer.result.error.code, -32603)
      assert.include(answer.result.error.message, "FLY")
    })
  )
})
