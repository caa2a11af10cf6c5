/** What a connection of a plugin holds at most, in both directions. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { constants, deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { type ServerOptions, WebSocket, WebSocketServer } from "ws"
import { closings } from "../../../src/domain/plugin/PluginSocket.ts"
import {
  pluginSocket,
  unreadMax,
  unsentMax
} from "../../../src/layers/adapters/plugins/sockets/WebSocketOfPlugin.ts"
import { until } from "../../support/connections.ts"

const bytesOf = (texts: ReadonlyArray<string>) => texts.map((text) => new TextEncoder().encode(text))

/** Both sides of a connection, and the socket of the service. */
const connectedWith = (perMessageDeflate: ServerOptions["perMessageDeflate"]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = new WebSocketServer({
        server: createServer().listen(0, "127.0.0.1"),
        perMessageDeflate
      })
      await once(server, "listening")
      const { port } = server.address() as AddressInfo
      const program = new WebSocket(`ws://127.0.0.1:${port}`)
      const [[ours, { socket: network }], [{ socket: raw }]] = await Promise.all([
        once(server, "connection"),
        once(program, "upgrade"),
        once(program, "open")
      ])
      return {
        server,
        program,
        raw: raw as Socket,
        ours,
        network,
        socket: pluginSocket(ours, network, { userAgent: "test", readsBatches: false })
      }
    }),
    ({ program, server }) =>
      Effect.sync(() => {
        program.terminate()
        server.close()
      })
  )

/** As the service has it: without a context that is kept, short frames are not compressed. */
const connected = connectedWith({
  threshold: 1024,
  serverNoContextTakeover: true,
  clientNoContextTakeover: true
})

/** A frame with a text, compressed, as a program sends it. */
const compressed = (text: string): Buffer => {
  const whole = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH })
  // The end of every such block is left out.
  const payload = whole.subarray(0, -4)
  const header = Buffer.from([0xc1, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0])
  return Buffer.concat([header, payload])
}

/** Lets half a minute pass for what is done at intervals. */
const halfMinutes = Effect.acquireRelease(
  Effect.sync(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    return () => {
      vi.advanceTimersByTime(30_000)
    }
  }),
  () => Effect.sync(() => vi.useRealTimers())
)

const texts = (frames: ReadonlyArray<{ readonly text: string | undefined }>) => frames.map(({ text }) => text)

describe("a connection of a plugin", () => {
  it.live("gives what was sent, in order, and fails when it is closed", () =>
    Effect.gen(function* () {
      const { program, socket } = yield* connected
      for (const frame of ["a", Buffer.from("b"), "ü"]) program.send(frame)
      const received = [yield* socket.receive, yield* socket.receive, yield* socket.receive]
      assert.deepStrictEqual(received, [
        { text: "a", bytes: 1 },
        { text: undefined, bytes: 1 },
        { text: "ü", bytes: 2 }
      ])
      program.close()
      assert.strictEqual((yield* Effect.flip(socket.receive))._tag, "PluginSocketClosed")
      yield* socket.closed
      assert.isFalse(socket.isOpen())
      socket.send("nobody gets this")
    }).pipe(Effect.scoped)
  )

  it.live(
    "is not read before somebody asks for a frame, or while several wait, and all of them come in the end",
    () =>
      Effect.gen(function* () {
        const { ours, program, socket } = yield* connected
        assert.isTrue(ours.isPaused)
        program.send("first")
        assert.strictEqual((yield* socket.receive).text, "first")
        assert.isFalse(ours.isPaused)
        const count = 5000
        for (let n = 0; n < count; n++) program.send(String(n))
        yield* Effect.promise(() => until(() => ours.isPaused))
        for (let n = 0; n < count; n++) assert.strictEqual((yield* socket.receive).text, String(n))
      }).pipe(Effect.scoped)
  )

  it.live("is not read while a long frame waits", () =>
    Effect.gen(function* () {
      const { ours, program, socket } = yield* connected
      const long = "x".repeat(1024 * 1024)
      program.send("first")
      yield* socket.receive
      program.send(long)
      yield* Effect.promise(() => until(() => ours.isPaused))
      program.send("next")
      const received = [yield* socket.receive, yield* socket.receive]
      assert.deepStrictEqual(texts(received), [long, "next"])
      assert.isFalse(ours.isPaused)
    }).pipe(Effect.scoped)
  )

  it.live("is closed when what came at once expands to more than may wait", () =>
    Effect.gen(function* () {
      const { program, raw, socket } = yield* connected
      const closed = once(program, "close")
      program.send("first")
      yield* socket.receive
      const long = "x".repeat(unreadMax / 2)
      raw.write(Buffer.concat(Array(3).fill(compressed(long))))
      const [code, reason] = yield* Effect.promise(() => closed)
      assert.deepStrictEqual([code, String(reason)], [1009, "too much at once"])
      assert.strictEqual((yield* Effect.flip(socket.receive))._tag, "PluginSocketClosed")
    }).pipe(Effect.scoped)
  )

  it.live("is closed when more waits to be taken than may", () =>
    Effect.gen(function* () {
      const { ours, program, socket } = yield* connected
      program.pause()
      const text = "x".repeat(64 * 1024)
      let most = 0
      // What the system keeps of a connection is taken first.
      for (let sent = 0; sent < 1000 && socket.isOpen(); sent++) {
        socket.send(text)
        most = Math.max(most, ours.bufferedAmount)
        yield* Effect.sleep(0)
      }
      assert.isFalse(socket.isOpen())
      assert.isBelow(most, unsentMax + 2 * text.length)
      yield* socket.closed
    }).pipe(Effect.scoped)
  )

  it.live("takes several frames with one write, in their order, also when some are compressed", () =>
    Effect.gen(function* () {
      const { network, program, socket } = yield* connected
      const received: Array<string> = []
      program.on("message", (data) => received.push(String(data)))
      let writes = 0
      const { _write, _writev } = network
      network._write = (...given: Parameters<typeof _write>) => {
        writes++
        return _write.apply(network, given)
      }
      network._writev = (...given: Parameters<NonNullable<typeof _writev>>) => {
        writes++
        return _writev?.apply(network, given)
      }
      const short = ["a", "b", "c"]
      socket.sendTogether(bytesOf(short))
      assert.strictEqual(writes, 1)
      const long = "x".repeat(10_000)
      socket.send(long)
      const mixed = ["d", "y".repeat(10_000), "e"]
      socket.sendTogether(bytesOf(mixed))
      socket.send("f")
      yield* Effect.promise(() => until(() => received.length === 8))
      assert.deepStrictEqual(received, [...short, long, ...mixed, "f"])
    }).pipe(Effect.scoped)
  )

  it.live("takes texts of every length that are written once for all, with one write", () =>
    Effect.gen(function* () {
      const { network, ours, program, socket } = yield* connectedWith(false)
      assert.strictEqual(ours.extensions, "")
      const received: Array<string> = []
      program.on("message", (data, isBinary) => received.push(isBinary ? "binary" : String(data)))
      const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 100_000].map((length) => "x".repeat(length))
      socket.send("first")
      network.cork()
      socket.sendTogether(bytesOf([...texts, "ü"]))
      network.uncork()
      socket.send("last")
      yield* Effect.promise(() => until(() => received.length === texts.length + 3))
      assert.deepStrictEqual(received, ["first", ...texts, "ü", "last"])
    }).pipe(Effect.scoped)
  )

  it.live("is closed when more is told than may wait, also where that was written for all", () =>
    Effect.gen(function* () {
      const { program, socket } = yield* connectedWith(false)
      program.pause()
      const [text = new Uint8Array()] = bytesOf(["x".repeat(64 * 1024)])
      for (let sent = 0; sent < 1000 && socket.isOpen(); sent++) {
        socket.sendTogether([text])
        yield* Effect.sleep(0)
      }
      assert.isFalse(socket.isOpen())
      yield* socket.closed
      socket.sendTogether([text])
    }).pipe(Effect.scoped)
  )

  it.live("is closed once, however often that is asked for", () =>
    Effect.gen(function* () {
      const { ours, program, socket } = yield* connected
      program.pause()
      const before = ours.listenerCount("close")
      for (let n = 0; n < 20; n++) yield* socket.close(closings.closed)
      assert.strictEqual(ours.listenerCount("close"), before)
      yield* socket.closed
    }).pipe(Effect.scoped)
  )

  it.live(
    "is closed when its other side does not show for a while that it is alive, and stays as long as it does",
    () =>
      Effect.gen(function* () {
        const pass = yield* halfMinutes
        const { ours, program, socket } = yield* connected
        yield* Effect.forkChild(Effect.forever(socket.receive))
        for (let n = 0; n < 4; n++) {
          const shown = once(ours, "pong")
          pass()
          yield* Effect.promise(() => shown)
        }
        assert.isTrue(socket.isOpen())
        program.pause()
        pass()
        assert.isTrue(socket.isOpen())
        pass()
        assert.isFalse(socket.isOpen())
        yield* socket.closed
      }).pipe(Effect.scoped)
  )

  it.live("is closed with the code that its program acts on", () =>
    Effect.gen(function* () {
      const { program, socket } = yield* connected
      const closed = once(program, "close")
      yield* socket.close(closings.restarting)
      const [code, reason] = yield* Effect.promise(() => closed)
      assert.deepStrictEqual([code, String(reason)], [1012, "service restart"])
      yield* socket.closed
    }).pipe(Effect.scoped)
  )
})
