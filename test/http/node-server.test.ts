/** Responses that the application has no part in. */
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { make, type NodeServerShape } from "../../src/layers/NodeServer.ts"

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
  let server: NodeServerShape["server"]
  let nodeServer: NodeServerShape
  let accepted: Promise<ReadonlyArray<Socket>>

  beforeAll(async () => {
    nodeServer = make()
    server = nodeServer.server
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
  })
  afterAll(() => {
    server.close()
  })

  /** Everything received on a connection that sends `first`, and `next` when a response begins. */
  const exchange = async (first: string, next?: string) => {
    const { port } = server.address() as AddressInfo
    accepted = once(server, "connection")
    const socket = connect(port, "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (part: string) => {
      answer += part
      if (next !== undefined && !/^connection: close$/im.test(part)) socket.write(next)
    })
    socket.write(first)
    await once(socket, "close")
    return answer
  }

  it("without an application says when to retry", async () => {
    const answer = await exchange("GET /api/version HTTP/1.1\r\nhost: x\r\n\r\n")
    assert.deepStrictEqual(isProblem(answer, 503, "shutting-down").metadata, { retry_after: 1 })
    assert.match(answer, /^retry-after: 1$/im)
  })

  it("refuses what is not HTTP", async () => {
    for (const text of ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"]) {
      isProblem(await exchange(text), 400, "unreadable-request")
    }
  })

  it("refuses headers that are too large", async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)
    isProblem(answer, 431, "headers-too-large")
  })

  it("refuses a request that does not arrive in time", async () => {
    const answer = exchange("GET / HTTP/1.1\r\n")
    const [socket] = await accepted
    server.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket)
    isProblem(await answer, 408, "request-too-slow")
  })

  it("writes nothing after a response that has begun", async () => {
    server.once("request", (_request, response) => {
      response.writeHead(200, { "content-length": "4" })
      response.write("ab")
    })
    const answer = await exchange("GET / HTTP/1.1\r\nhost: x\r\n\r\n", "nonsense\r\n\r\n")
    assert.match(answer, /^HTTP\/1.1 200 OK/)
    assert.match(answer, /\r\n\r\nab$/)
  })
  it("keeps connections open until it stops, and then closes each after its response", async () => {
    const request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n"
    const waiting: Array<ServerResponse> = []
    const application = (_request: unknown, response: ServerResponse) => {
      if (waiting.push(response) < 3) response.end("ok")
    }
    server.on("request", application)
    const answer = exchange(request, request)
    while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve))
    assert.isTrue(nodeServer.isBusy())
    nodeServer.stopKeepingAlive()
    waiting.at(-1)?.end("last")
    const heads = (await answer).split("HTTP/1.1 200 OK").slice(1)
    assert.deepStrictEqual(
      heads.map((head) => /^connection: (.*)$/im.exec(head)?.[1]),
      ["keep-alive", "keep-alive", "close"]
    )
    assert.isFalse(nodeServer.isBusy())
    // The next connection is closed as well.
    const next = exchange(request)
    while (waiting.length < 4) await new Promise((resolve) => setImmediate(resolve))
    waiting.at(-1)?.end()
    assert.match(await next, /^connection: close$/im)
    server.off("request", application)
  })
})
