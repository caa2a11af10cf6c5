/** Connections that ask for another protocol. */
import type { IncomingMessage } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { afterEach } from "vitest"
import type { Limits } from "../../src/layers/connections/Limits.ts"
import { answerTo, exchange, get, type Listening, listen, open, until } from "../support/connections.ts"

const upgrade = (path: string) =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n`

let listening: Listening
afterEach(() => listening.close())

/** Changes to a protocol that answers everything as it came. */
const takeEcho = () =>
  listening.upgrading({
    takes: (request: IncomingMessage) => request.url === "/echo",
    take: (_request, socket, head) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n${head}`)
      socket.on("data", (data) => socket.write(data))
      socket.on("end", () => socket.end()).on("error", () => {})
    }
  })

const start = async (limits: Partial<Limits> = {}) => {
  listening = await listen(limits)
  listening.server.on("request", (request, response) => response.end(`request ${request.url}`))
  takeEcho()
}

describe("a connection that asks for another protocol", () => {
  it("gets it where it is taken, with what was sent after the request", async () => {
    await start()
    const client = await open(listening.port, `${upgrade("/echo")}first `)
    await until(() => client.received().includes("first"))
    client.socket.write("second")
    await until(() => client.received().includes("second"))
    assert.match(client.received(), /^HTTP\/1\.1 101 [\s\S]*\r\n\r\nfirst second$/)
    assert.strictEqual(listening.figures().connections, 1)
    client.socket.destroy()
    await until(() => listening.figures().connections === 0)
  })

  it("sends an ordinary request elsewhere, and where nobody takes any", async () => {
    await start()
    const client = await open(listening.port, upgrade("/other"))
    await until(() => client.received().includes("request /other"))
    client.socket.destroy()
  })

  it("is refused beyond a number of them, which leaves requests alone", async () => {
    await start({ upgraded: 1 })
    const client = await open(listening.port, upgrade("/echo"))
    await until(() => client.received().includes("101"))
    assert.match(await exchange(listening.port, upgrade("/echo")), /^HTTP\/1\.1 503 [\s\S]*capacity-exceeded/)
    assert.include(await answerTo(listening.port, "/x"), "request /x")
    client.socket.destroy()
  })

  it("is closed where it has requests that are not answered", async () => {
    await start()
    listening.server.removeAllListeners("request")
    listening.server.on("request", () => {})
    const client = await open(listening.port, get("/waits") + upgrade("/echo"))
    await until(() => client.socket.destroyed)
    assert.notInclude(client.received(), "101")
  })

  it("does not get it before it is taken, and is told to come again", async () => {
    listening = await listen()
    const finishing: Array<() => void> = []
    listening.server.on("request", (request, response) => {
      finishing.push(() => response.end(`request ${request.url}`))
    })
    const client = await open(listening.port, get("/waits") + upgrade("/echo"))
    await until(() => finishing.length === 1)
    takeEcho()
    finishing[0]?.()
    await until(() => client.received().includes("shutting-down"))
    assert.match(client.received(), /request \/waits[\s\S]*HTTP\/1\.1 503 /)
    assert.lengthOf(finishing, 1)
    client.socket.destroy()
  })

  it("does not get it while the server stops, and is told to come again", async () => {
    await start()
    listening.stopKeepingAlive()
    assert.match(await exchange(listening.port, upgrade("/echo")), /^HTTP\/1\.1 503 [\s\S]*shutting-down/)
  })
})
