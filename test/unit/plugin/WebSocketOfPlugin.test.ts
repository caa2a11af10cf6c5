/** What a connection of a plugin holds at most, in both directions. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { WebSocket, WebSocketServer } from "ws"
import { closings } from "../../../src/domain/plugin/PluginSocket.ts"
import { pluginSocket, unsentMax } from "../../../src/layers/adapters/plugins/sockets/WebSocketOfPlugin.ts"
import { until } from "../../support/connections.ts"

/** Both sides of a connection, and the socket of the service. */
const connected = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = new WebSocketServer({ server: createServer().listen(0, "127.0.0.1") })
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const program = new WebSocket(`ws://127.0.0.1:${port}`)
    const [[ours]] = await Promise.all([once(server, "connection"), once(program, "open")])
    return { server, program, ours, socket: pluginSocket(ours, "test") }
  }),
  ({ program, server }) =>
    Effect.sync(() => {
      program.terminate()
      server.close()
    })
)

describe("a connection of a plugin", () => {
  it.live("gives what was sent, in order, and fails when it is closed", () =>
    Effect.gen(function* () {
      const { program, socket } = yield* connected
      for (const text of ["a", "b"]) program.send(text)
      assert.deepStrictEqual([yield* socket.receive, yield* socket.receive], ["a", "b"])
      program.close()
      assert.strictEqual((yield* Effect.flip(socket.receive))._tag, "PluginSocketClosed")
      yield* socket.closed
      assert.isFalse(socket.isOpen())
      socket.send("nobody gets this")
    }).pipe(Effect.scoped)
  )

  it.live("is not read while frames wait, and all of them come in the end", () =>
    Effect.gen(function* () {
      const { ours, program, socket } = yield* connected
      const count = 5000
      for (let n = 0; n < count; n++) program.send(String(n))
      yield* Effect.promise(() => until(() => ours.isPaused))
      for (let n = 0; n < count; n++) assert.strictEqual(yield* socket.receive, String(n))
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
