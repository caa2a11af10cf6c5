/** When programs of plugins connect again, against a service that closes connections as it is told to. */
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { connectPlugin } from "../../src/client/Plugin.ts"
import { addressFrom, apiBeside } from "../../src/client/plugin/Address.ts"
import { refusedWith } from "../../src/client/plugin/Failures.ts"
import { type Ending, mayReconnect, waitAfter } from "../../src/client/plugin/Reconnecting.ts"

const token = `sdprt_${"a".repeat(32)}`

/** What becomes of the nth program that connects: the status that refuses it, or what is done with its connection. */
type Reception = number | ((socket: WebSocket) => void)

const accept = (socket: WebSocket) =>
  socket.on("message", (data) => {
    const { id, method } = JSON.parse(String(data))
    if (method !== undefined)
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { method, config: {} } }))
  })

const closing = (code: number) => (socket: WebSocket) => {
  accept(socket)
  socket.on("message", () => setTimeout(() => socket.close(code), 20))
}

/** A service that receives programs like this, the last way for all others. */
const serviceWith = async (...receptions: ReadonlyArray<Reception>) => {
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer()
  const times: Array<number> = []
  const addresses: Array<string> = []
  server.on("upgrade", (request, socket, head) => {
    const reception = receptions[Math.min(times.length, receptions.length - 1)] ?? accept
    times.push(performance.now())
    addresses.push(request.url ?? "")
    if (typeof reception === "number") {
      socket.end(`HTTP/1.1 ${reception} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
    } else sockets.handleUpgrade(request, socket, head, reception)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    times,
    addresses,
    [Symbol.dispose]: () => {
      for (const socket of sockets.clients) socket.terminate()
      server.close()
    }
  }
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe("an external plugin", () => {
  it.each([1000, 1001, 1011, 1012, 1013])("connects again after it was closed with %i", async (code) => {
    using service = await serviceWith(closing(code), accept)
    const plugin = await connectPlugin({ url: service.url, token })
    await until(() => service.times.length === 2)
    const [first = 0, second = 0] = service.times
    assert.isAbove(second - first, 240)
    assert.deepStrictEqual(await plugin.configuration(), {})
    plugin.close()
    assert.deepInclude(await plugin.closed, { wasOpen: true })
  })

  it.each([1003, 1007, 1008])("ends when it was closed with %i", async (code) => {
    using service = await serviceWith(closing(code))
    const plugin = await connectPlugin({ url: service.url, token })
    assert.deepInclude(await plugin.closed, { wasOpen: true, code })
    assert.lengthOf(service.times, 1)
  })

  it("waits for a service that cannot take it now, longer each time, and not for one that refuses it", async () => {
    using service = await serviceWith(503, 502, accept)
    const plugin = await connectPlugin({ url: service.url, token })
    const [first = 0, second = 0, third = 0] = service.times
    assert.isAbove(second - first, 240)
    assert.isAbove(third - second, 490)
    plugin.close()
    using strict = await serviceWith(403)
    const refusal = await connectPlugin({ url: strict.url, token }).catch((error) => error)
    assert.deepInclude(refusal, { _tag: "PluginRefused" })
    assert.strictEqual(refusal.ending.status, 403)
    assert.lengthOf(strict.times, 1)
  })

  it("gives up waiting when its program wants it to", async () => {
    const controller = new AbortController()
    using service = await serviceWith(503)
    const connecting = connectPlugin({ url: service.url, token, signal: controller.signal })
    await until(() => service.times.length === 1)
    controller.abort()
    assert.deepInclude(await connecting.catch((error) => error), { _tag: "PluginRefused" })
  })

  it("is told that the answer to a call will not come", async () => {
    using service = await serviceWith((socket) => {
      socket.once("message", (data) => {
        const { id, method } = JSON.parse(String(data))
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { method, config: {} } }))
        socket.once("message", () => socket.close(1012))
      })
    }, accept)
    const plugin = await connectPlugin({ url: service.url, token })
    const failure = await plugin.configuration().catch((error) => error)
    assert.deepInclude(failure, { _tag: "PluginDisconnected" })
    assert.strictEqual(failure.ending.code, 1012)
    assert.deepStrictEqual(await plugin.configuration(), {})
    plugin.close()
  })

  it("answers a ping, and that it has no other methods; what it does not know happens without it", async () => {
    const answers: Array<Readonly<Record<string, unknown>>> = []
    using service = await serviceWith((socket) => {
      accept(socket)
      socket.on("message", (data) => answers.push(JSON.parse(String(data))))
      const ask = (id: string, method: string, params: object) =>
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
      ask("a", "ping", {})
      ask("b", "fly", {})
      ask("c", "event", { event: "EventOfTomorrow", id: "x" })
      socket.send(Buffer.from("binary"))
    })
    const plugin = await connectPlugin({ url: service.url, token })
    await until(() => ["a", "b", "c"].every((wanted) => answers.some(({ id }) => id === wanted)))
    const byId = (wanted: string) => answers.find(({ id }) => id === wanted)
    assert.deepStrictEqual(byId("a"), {
      jsonrpc: "2.0",
      id: "a",
      result: { method: "ping", pong: true, uptime_seconds: 0 }
    })
    assert.deepNestedInclude(byId("b"), { "error.code": -32601 })
    assert.deepStrictEqual(byId("c"), { jsonrpc: "2.0", id: "c", result: { method: "event", ok: true } })
    plugin.close()
  })
})

describe("several events in one frame", () => {
  it("are handled in their order, and answered in one frame when all are done", async () => {
    const answers: Array<unknown> = []
    const events = ["a", "b", "c"].map((id) => ({
      jsonrpc: "2.0",
      id,
      method: "event",
      params: { event: "EventThreadPublished", id: "00000000000000000100" }
    }))
    using service = await serviceWith((socket) => {
      socket.on("message", (data) => {
        const frame = JSON.parse(String(data))
        answers.push(frame)
        if (Array.isArray(frame) || frame.method === undefined) return
        const result = { jsonrpc: "2.0", id: frame.id, result: { method: frame.method, config: {} } }
        // What it has asked is answered in a batch as well.
        socket.send(JSON.stringify([result]))
        socket.send(JSON.stringify(events))
        socket.send(JSON.stringify([{ jsonrpc: "2.0", method: "ping" }]))
      })
    })
    const begun: Array<number> = []
    const slow = Promise.withResolvers<void>()
    const plugin = await connectPlugin({
      url: service.url,
      token,
      on: {
        EventThreadPublished: async () => {
          const number = begun.push(begun.length)
          if (number === 1) await slow.promise
          if (number === 2) throw new Error("broken")
        }
      }
    })
    await until(() => begun.length === 3)
    assert.isFalse(answers.some(Array.isArray))
    slow.resolve()
    await until(() => answers.some(Array.isArray))
    assert.deepStrictEqual(answers.find(Array.isArray), [
      { jsonrpc: "2.0", id: "a", result: { method: "event", ok: true } },
      { jsonrpc: "2.0", id: "b", error: { code: -32000, message: "broken" } },
      { jsonrpc: "2.0", id: "c", result: { method: "event", ok: true } }
    ])
    assert.strictEqual(new URL(service.addresses[0] ?? "", service.url).searchParams.get("batches"), "true")
    assert.lengthOf(answers.filter(Array.isArray), 1)
    plugin.close()
    await plugin.closed
  })
})

describe("a plugin that the service runs", () => {
  it("has one connection", async () => {
    using service = await serviceWith(closing(1012))
    const plugin = await connectPlugin({ url: service.url, token: "for this time" })
    assert.deepInclude(await plugin.closed, { code: 1012 })
    assert.lengthOf(service.times, 1)
  })

  it("finds the service by its environment", async () => {
    using service = await serviceWith(accept)
    for (const name of ["FORUM_RPC_URL", "STORYDEN_RPC_URL"]) {
      process.env[name] = `${service.url}/rpc?plugin_id=a&token=b`
      const plugin = await connectPlugin()
      plugin.close()
      delete process.env[name]
    }
    assert.lengthOf(service.times, 2)
  })
})

describe("what decides about connections", () => {
  it("waits twice as long each time, and ten seconds at most", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 5, 6, 50, 5000].map(waitAfter),
      [250, 500, 1000, 8000, 10_000, 10_000, 10_000]
    )
  })

  it("knows by the token whether there may be another one", () => {
    const ending = { wasOpen: true, status: undefined, code: 1006, reason: "" }
    assert.isTrue(mayReconnect(token, ending))
    assert.isFalse(mayReconnect("opaque", ending))
  })

  it("is told in words why there is none", () => {
    const never = { wasOpen: false, status: undefined, code: 1006, reason: "" }
    const wordsFor = (ending: Partial<Ending>) => refusedWith({ ...never, ...ending }).message
    assert.strictEqual(wordsFor({}), "The plugin may not connect: there was no connection")
    assert.strictEqual(wordsFor({ wasOpen: true }), "The plugin may not connect: it broke off")
    assert.strictEqual(wordsFor({ status: 401 }), "The plugin may not connect: HTTP 401")
    assert.strictEqual(wordsFor({ code: 1008, reason: "no" }), "The plugin may not connect: 1008 no")
  })

  it("knows where the API is beside a connection", () => {
    const beside = (address: string) => apiBeside(new URL(address))
    assert.strictEqual(beside("ws://127.0.0.1:8000/rpc?token=t"), "http://127.0.0.1:8000")
    assert.strictEqual(beside("wss://forum.test/below/api/rpc"), "https://forum.test/below")
  })

  it("makes the address of what is given", () => {
    const of = (url: string) => addressFrom({ url, token: "t" }).href
    assert.strictEqual(of("https://forum.test"), "wss://forum.test/rpc?token=t")
    assert.strictEqual(of("http://forum.test/below/"), "ws://forum.test/below/rpc?token=t")
    assert.strictEqual(
      of("ws://forum.test/rpc?plugin_id=a&token=s"),
      "ws://forum.test/rpc?plugin_id=a&token=t"
    )
    assert.throws(() => of("ftp://forum.test"), TypeError)
    assert.throws(() => addressFrom({}), TypeError)
  })
})
