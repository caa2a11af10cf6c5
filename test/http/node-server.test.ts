/** Responses that the application has no part in. */
import type { RequestListener, ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { exchange, type Listening, listen, until } from "../support/connections.ts"

const isProblem = (answer: string, status: number, name: string) => {
  const [head = "", body = ""] = answer.split("\r\n\r\n")
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} [A-Z]`))
  assert.match(head, /^content-type: application\/problem\+json$/im)
  assert.match(head, /^connection: close$/im)
  assert.match(head, /^cache-control: private, no-store$/im)
  assert.match(head, new RegExp(`^content-length: ${body.length}$`, "im"))
  const { trace_id, ...problem } = JSON.parse(body)
  assert.match(trace_id, /^(?!0{32})[0-9a-f]{32}$/)
  assert.strictEqual(problem.type, `/api/problems/${name}`)
  assert.strictEqual(problem.status, status)
  assert.isString(problem.title)
  return { ...problem, trace_id }
}

const get = "GET / HTTP/1.1\r\nhost: x\r\n\r\n"

describe("a server", () => {
  let listening: Listening
  beforeAll(async () => {
    listening = await listen()
  })
  afterAll(() => listening.close())

  it("without an application says when to retry", async () => {
    const answer = await exchange(listening.port, get)
    assert.deepStrictEqual(isProblem(answer, 503, "shutting-down").metadata, { retry_after: 1 })
    assert.match(answer, /^retry-after: 1$/im)
  })

  it("refuses what is not HTTP", async () => {
    for (const text of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      "BREW\r\n\r\n",
      "BREW / HTTP/1.1"
    ]) {
      isProblem(await exchange(listening.port, text), 400, "unreadable-request")
    }
  })

  it("refuses headers that are too large", async () => {
    const answer = await exchange(
      listening.port,
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`
    )
    isProblem(answer, 431, "headers-too-large")
  })

  it("refuses a request that does not arrive in time", async () => {
    const accepted = listening.accepted()
    const answer = exchange(listening.port, "GET / HTTP/1.1\r\n")
    const socket = await accepted
    const late = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
    listening.server.emit("clientError", late, socket)
    isProblem(await answer, 408, "request-too-slow")
  })
})

describe("a server with an application", () => {
  let listening: Listening
  let application: RequestListener
  beforeAll(async () => {
    listening = await listen()
    listening.server.on("request", (request, response) => application(request, response))
  })
  afterAll(() => listening.close())

  it("answers what it has read, before it refuses what it cannot read", async () => {
    const responses: Array<ServerResponse> = []
    application = (_request, response) => responses.push(response)
    const answer = exchange(listening.port, `${get}${get}nonsense\r\n\r\n`)
    await until(() => responses.length === 1)
    responses[0]?.end("first")
    await until(() => responses.length === 2)
    responses[1]?.end("second")
    const [first, second, third] = (await answer).split(/(?=HTTP\/1.1 )/)
    assert.match(first ?? "", /^HTTP\/1.1 200 OK[\s\S]*\r\n\r\nfirst$/)
    assert.match(second ?? "", /^HTTP\/1.1 200 OK[\s\S]*\r\n\r\nsecond$/)
    isProblem(third ?? "", 400, "unreadable-request")
  })

  it("does not serve a request whose body cannot be read", async () => {
    const responses: Array<ServerResponse> = []
    application = (_request, response) => responses.push(response)
    const broken = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n\r\n"
    const answer = exchange(listening.port, get + broken)
    await until(() => responses.length === 1)
    responses[0]?.end("first")
    const [first, second] = (await answer).split(/(?=HTTP\/1.1 )/)
    assert.match(first ?? "", /\r\n\r\nfirst$/)
    isProblem(second ?? "", 400, "unreadable-request")
    assert.strictEqual(responses.length, 1)
  })

  it("writes nothing after a response that has begun, to a request whose body cannot be read", async () => {
    application = (_request, response) => {
      response.writeHead(200, { "content-length": "4" })
      response.write("ab")
    }
    const head = "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
    const answer = await exchange(listening.port, head, "nonsense\r\n\r\n")
    assert.match(answer, /^HTTP\/1.1 200 OK/)
    assert.match(answer, /\r\n\r\nab$/)
  })

  const refused: ReadonlyArray<readonly [string, number, string]> = [
    ["BREW / HTTP/1.1\r\nhost: x\r\n\r\n", 501, "method-unknown"],
    ["CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n", 501, "method-unknown"],
    ["GET / HTTP/1.1\r\n\r\n", 400, "unreadable-request"],
    ["GET / HTTP/1.1\r\nhost: a\r\nHOST: b\r\n\r\n", 400, "unreadable-request"],
    ["GET / HTTP/1.1\r\nhost: a b\r\n\r\n", 400, "unreadable-request"],
    ["GET / HTTP/1.1\r\nhost: a/b\r\n\r\n", 400, "unreadable-request"],
    ["GET / HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\n\r\n", 417, "expectation-failed"],
    [
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\n",
      415,
      "content-encoding-unsupported"
    ]
  ]
  it.each(refused)("refuses %j with %d", async (text, status, name) => {
    application = () => assert.fail("the application got the request")
    isProblem(await exchange(listening.port, text), status, name)
    // After the answer to a request before it.
    application = (_request, response) => response.end("ok")
    const [first, second] = (await exchange(listening.port, get + text)).split(/(?=HTTP\/1.1 )/)
    assert.match(first ?? "", /^HTTP\/1.1 200 OK[\s\S]*\r\n\r\nok$/)
    isProblem(second ?? "", status, name)
  })

  const served = [
    "GET / HTTP/1.0\r\n\r\n",
    "GET / HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: [::1]:8000\r\nconnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: a.example:80\r\ncontent-encoding: identity\r\nconnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: x\r\ncontent-encoding: br\r\nconnection: close\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AA\r\n\r\n"
  ]
  it.each(served)("serves %j", async (text) => {
    application = (_request, response) => response.end("ok")
    assert.match(await exchange(listening.port, text), /^HTTP\/1.1 200 OK[\s\S]*\r\n\r\nok$/)
  })

  it("says which encoding of a body it takes", async () => {
    const text = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-encoding: br\r\n\r\nx"
    assert.match(await exchange(listening.port, text), /^accept-encoding: identity$/im)
  })

  it("uses the trace of a request that it refuses", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    const text = `GET / HTTP/1.1\r\ntraceparent: 00-${traceId}-00f067aa0ba902b7-01\r\n\r\n`
    const answer = await exchange(listening.port, text)
    assert.strictEqual(isProblem(answer, 400, "unreadable-request").trace_id, traceId)
  })

  it("keeps connections open until it stops, and then closes each after its response", async () => {
    const waiting: Array<ServerResponse> = []
    application = (_request, response) => {
      if (waiting.push(response) < 3) response.end("ok")
    }
    const answer = exchange(listening.port, get, get)
    await until(() => waiting.length === 3)
    assert.isTrue(listening.isBusy())
    listening.stopKeepingAlive()
    waiting.at(-1)?.end("last")
    const heads = (await answer).split("HTTP/1.1 200 OK").slice(1)
    assert.deepStrictEqual(
      heads.map((head) => /^connection: (.*)$/im.exec(head)?.[1]),
      ["keep-alive", "keep-alive", "close"]
    )
    assert.isFalse(listening.isBusy())
    // The next connection is closed as well.
    const next = exchange(listening.port, get)
    await until(() => waiting.length === 4)
    waiting.at(-1)?.end()
    assert.match(await next, /^connection: close$/im)
  })
})
