/** What is answered where no app is asked. */
import { once } from "node:events"
import type { Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { makeNodeServer } from "../../src/layers/NodeServer.ts"

const isProblem = (answer: string, status: number, name: string) => {
  const [head = "", body = ""] = answer.split("\r\n\r\n")
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} [A-Z]`))
  assert.match(head, /^content-type: application\/problem\+json$/im)
  assert.match(head, /^connection: close$/im)
  assert.match(head, new RegExp(`^content-length: ${body.length}$`, "im"))
  const { trace_id, ...problem } = JSON.parse(body)
  assert.match(trace_id, /^(?!0{32})[0-9a-f]{32}$/)
  assert.strictEqual(problem.type, `/api/problems/${name}`)
  assert.strictEqual(problem.status, status)
  assert.isString(problem.title)
  return problem
}

describe("a server", () => {
  let server: Server
  let accepted: Promise<ReadonlyArray<Socket>>

  beforeAll(async () => {
    server = makeNodeServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  })
  afterAll(() => {
    server.close()
  })

  /** Everything that comes back on a connection that says this, and something more once it hears something. */
  const exchange = async (said: string, next?: string) => {
    const { port } = server.address() as AddressInfo
    accepted = once(server, "connection")
    const socket = connect(port, "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (part) => {
      answer += part
      if (next !== undefined) socket.write(next)
    })
    socket.write(said)
    await once(socket, "close")
    return answer
  }

  it("without an app says when to come again", async () => {
    const answer = await exchange("GET /api/version HTTP/1.1\r\nhost: x\r\n\r\n")
    assert.deepStrictEqual(isProblem(answer, 503, "shutting-down").metadata, { retry_after: 1 })
    assert.match(answer, /^retry-after: 1$/im)
  })

  it("refuses what is not HTTP", async () => {
    for (const said of ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"]) {
      isProblem(await exchange(said), 400, "unreadable-request")
    }
  })

  it("refuses headers without end", async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)
    isProblem(answer, 431, "headers-too-large")
  })

  it("gives up on requests that do not arrive", async () => {
    const answer = exchange("GET / HTTP/1.1\r\n")
    const [socket] = await accepted
    server.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket)
    isProblem(await answer, 408, "request-too-slow")
  })

  it("adds nothing to an answer that has begun", async () => {
    server.once("request", (_request, response) => {
      response.writeHead(200, { "content-length": "4" })
      response.write("ab")
    })
    const answer = await exchange("GET / HTTP/1.1\r\nhost: x\r\n\r\n", "nonsense\r\n\r\n")
    assert.match(answer, /^HTTP\/1.1 200 OK/)
    assert.match(answer, /\r\n\r\nab$/)
  })
})
