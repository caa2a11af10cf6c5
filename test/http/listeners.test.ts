/** Several listeners at one address accept the connections of one server. */
import { once } from "node:events"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { defaultLimits, type Limits } from "../../src/layers/connections/Limits.ts"
import { listenersMax, sharesAddress } from "../../src/layers/connections/Listeners.ts"
import { make } from "../../src/layers/process/NodeServer.ts"
import { until } from "../support/connections.ts"

const host = "127.0.0.1"

const listen = async (limits: Partial<Limits> = {}) => {
  const bounded = make({ ...defaultLimits, ...limits })
  const { listenMore, server } = bounded
  server.listen({ port: 0, host, reusePort: sharesAddress })
  await once(server, "listening")
  listenMore()
  return { ...bounded, port: (server.address() as AddressInfo).port }
}

/** Connects so often, and answers the connections when all of them are there. */
const connectAll = (port: number, count: number): Promise<ReadonlyArray<Socket>> =>
  Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect({ port, host, allowHalfOpen: true }, () => resolve(socket))
          socket.on("error", () => {})
        })
    )
  )

const destroyAll = (sockets: ReadonlyArray<Socket>) => {
  for (const socket of sockets) socket.destroy()
}

describe.runIf(sharesAddress)("several listeners", () => {
  it("accept several connections in a turn of the event loop", async () => {
    const { port, server } = await listen()
    let turns = 0
    let accepted = 0
    const perTurn = new Map<number, number>()
    server.on("connection", () => {
      accepted += 1
      perTurn.set(turns, (perTurn.get(turns) ?? 0) + 1)
    })
    const connecting = connectAll(port, 200)
    while (accepted < 200) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
    }
    destroyAll(await connecting)
    server.close()
    const most = Math.max(...perTurn.values())
    assert.isAtLeast(most, 2)
    assert.isAtMost(most, listenersMax)
  })

  it("close connections without an answer beyond those that are told so, however they are shared out", async () => {
    const { port, server } = await listen({ connections: 20, refused: 10 })
    let answered = 0
    let ended = 0
    const sockets = await connectAll(port, 50)
    for (const socket of sockets) {
      socket.once("data", () => {
        answered += 1
      })
      socket.once("end", () => {
        ended += 1
      })
    }
    await until(() => ended === 30)
    // Those that are told count for as long as they leave their connections open, or a second.
    assert.strictEqual(answered, 10)
    destroyAll(sockets)
    server.close()
  })

  it("let nobody connect when the server closes, which waits for all that are connected", async () => {
    const { figures, port, server, stopKeepingAlive } = await listen()
    server.on("request", (request, response) => request.resume().on("end", () => response.end("done")))
    const sockets = await connectAll(port, 40)
    let received = ""
    for (const socket of sockets) {
      socket.on("data", (part) => {
        received += part
      })
      socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n")
    }
    await until(() => figures().requestsInProgress === 40)
    let isClosed = false
    server.close(() => {
      isClosed = true
    })
    stopKeepingAlive()
    const [refusal] = await once(connect(port, host), "error")
    assert.include(String(refusal), "ECONNREFUSED")
    assert.isFalse(isClosed)
    for (const socket of sockets) socket.write("x")
    await until(() => isClosed)
    await until(() => received.split("done").length === 41)
  })
})
