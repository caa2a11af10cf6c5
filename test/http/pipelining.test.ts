/** Requests that a client sends before it has the answers to those before. */
import type { RequestListener } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { afterEach } from "vitest"
import type { Limits } from "../../src/layers/connections/Limits.ts"
import { answerTo, get, type Listening, listen, open, pending, until } from "../support/connections.ts"

let listening: Listening
afterEach(() => listening.close())

const start = async (application: RequestListener, limits: Partial<Limits> = {}) => {
  listening = await listen(limits)
  listening.server.on("request", application)
  return listening
}

describe("requests that are sent together", () => {
  it("are served one at a time, and answered in order", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application)
    const paths = ["/1", "/2", "/3"]
    const client = await open(port, paths.map(get).join(""))
    for (const [index, path] of paths.entries()) {
      await until(() => requests.length > index && figures().requestsWaiting === 2 - index)
      assert.strictEqual(requests.length, index + 1)
      assert.strictEqual(figures().requestsInProgress, 1)
      requests[index]?.response.end(path)
    }
    await until(() => client.endsWith("/3"))
    const bodies = client.received().split(/HTTP\/1.1 200 OK[\s\S]*?\r\n\r\n/)
    assert.deepStrictEqual(bodies.slice(1), paths)
  })

  it("take turns with those of other connections", async () => {
    const served: Array<string | undefined> = []
    const { figures, port } = await start((request, response) => {
      served.push(request.url)
      response.end()
    })
    const many = await open(port, "")
    const other = await open(port, "")
    await until(() => figures().connections === 2)
    many.socket.write(get("/many").repeat(500))
    other.socket.write(get("/other"))
    await until(() => served.length === 501)
    assert.isBelow(served.indexOf("/other"), 10)
  })

  it("wait until their client has received the responses before them, and then get all of theirs", async () => {
    const count = 20_000
    let served = 0
    const filler = "x".repeat(2000)
    const { accepted, figures, port } = await start((request, response) => {
      if (request.url !== "/other") served++
      response.end(`${request.url} ${filler}\n`)
    })
    const serverSide = accepted()
    const client = await open(port, Array.from({ length: count }, (_, index) => get(`/${index}`)).join(""))
    client.socket.pause()
    const socket = await serverSide
    await until(() => figures().responseBytes > 0)
    const servedThen = served
    const read = socket.bytesRead
    // At most one response waits, and nothing but what came with the last part is read.
    assert.isBelow(servedThen, count / 2)
    assert.isBelow(figures().requestsWaiting, 4000)
    assert.isBelow(figures().responseBytes, 3000)
    for (let request = 0; request < 10; request++) assert.match(await answerTo(port, "/other"), /\/other x/)
    assert.strictEqual(served, servedThen)
    assert.strictEqual(socket.bytesRead, read)
    client.socket.resume()
    await until(() => served === count && figures().requestsInProgress === 0)
    await until(() => client.endsWith(`/${count - 1} ${filler}\n`))
    const order = [...client.received().matchAll(/^\/(\d+) x/gm)].map(([, index]) => Number(index))
    assert.deepStrictEqual(
      order,
      Array.from({ length: count }, (_, index) => index)
    )
    assert.strictEqual(figures().requestsWaiting, 0)
  })

  it("are dropped when the client hangs up, and the one in progress is cancelled", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application)
    const client = await open(port, ["/1", "/2", "/3"].map(get).join(""))
    await until(() => figures().requestsWaiting === 2)
    let isCancelled = false
    requests[0]?.response.once("close", () => {
      isCancelled = !requests[0]?.response.writableEnded
    })
    client.socket.destroy()
    await until(() => figures().connections === 0)
    await until(() => figures().requestsInProgress === 0)
    assert.isTrue(isCancelled)
    assert.strictEqual(figures().requestsWaiting, 0)
    assert.strictEqual(requests.length, 1)
  })

  it("are dropped when their connection is closed after a response", async () => {
    const { application, requests } = pending()
    const { figures, port, stopKeepingAlive } = await start(application)
    const client = await open(port, ["/1", "/2", "/3"].map(get).join(""))
    await until(() => figures().requestsWaiting === 2)
    stopKeepingAlive()
    requests[0]?.response.end("last")
    await client.closed
    assert.match(client.received(), /last$/)
    await until(() => figures().requestsWaiting === 0 && figures().connections === 0)
    assert.strictEqual(requests.length, 1)
  })

  it("close their connection if too many of all connections wait", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { waitingRequests: 3 })
    const patient = await open(port, get("/1").repeat(3))
    await until(() => figures().requestsWaiting === 2)
    const greedy = await open(port, get("/2").repeat(3))
    await greedy.closed
    assert.strictEqual(figures().refusals.get("pipelined"), 1)
    assert.strictEqual(figures().requestsWaiting, 2)
    await until(() => figures().requestsInProgress === 1)
    requests[0]?.response.end("served")
    await until(() => patient.endsWith("served"))
  })
})
