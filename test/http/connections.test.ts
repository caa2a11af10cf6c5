/** What one client may take from the others: memory for bodies and responses, and connections. */
import type { RequestListener } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { afterEach } from "vitest"
import type { Refusal } from "../../src/layers/connections/Figures.ts"
import type { Limits } from "../../src/layers/connections/Limits.ts"
import {
  answerTo,
  exchange,
  get,
  type Listening,
  listen,
  open,
  pending,
  until
} from "../support/connections.ts"

const post = (length: number) => `POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`

let listening: Listening
afterEach(() => listening.close())

const start = async (application: RequestListener, limits: Partial<Limits> = {}) => {
  listening = await listen(limits)
  listening.server.on("request", application)
  return listening
}

/** Answers the path of each request. */
const echo: RequestListener = (request, response) => response.end(request.url)

const answer = (path: string) => answerTo(listening.port, path)

const assertProblem = (text: string, status: number, name: string, exceeded?: string) => {
  const [head = "", body = "{}"] = text.split("\r\n\r\n")
  const problem = JSON.parse(body)
  assert.deepStrictEqual([problem.type, problem.status], [`/api/problems/${name}`, status], text)
  if (exceeded === undefined) return
  assert.deepStrictEqual(problem.metadata, { retry_after: 1, exceeded })
  assert.match(head, /^retry-after: 1$/im)
}

const refusals = (reason: Refusal) => listening.figures().refusals.get(reason) ?? 0

describe("responses that clients do not receive", () => {
  const large = Buffer.alloc(32 * 1024 * 1024, "x")
  const application: RequestListener = (request, response) =>
    response.end(request.url === "/api/large" ? large : request.url)

  const stall = async (from?: string) => {
    const before = listening.figures().responseBytes
    const client = await open(listening.port, get("/api/large"), from)
    client.socket.pause()
    await until(() => listening.figures().responseBytes > before)
    return client
  }

  /** Of each of five networks, of which none has more than a quarter of the memory: that is 33 MiB. */
  const stallMany = () => Promise.all([2, 3, 4, 5, 6].map((n) => stall(`127.0.0.${n}`)))
  const responseBytes = 132 * 1024 * 1024

  it("refuse others beyond the memory for them, until they are received", async () => {
    const { figures, port } = await start(application, { responseBytes })
    const clients = await stallMany()
    await until(() => figures().responseBytes > responseBytes)
    assertProblem(await answer("/api/x"), 503, "capacity-exceeded", "responses")
    assert.strictEqual(refusals("responses"), 1)
    // What operators look at is always answered.
    assert.match(await answer("/healthz"), /\/healthz$/)
    for (const { socket } of clients) socket.resume()
    await until(() => figures().responseBytes === 0)
    assert.match(await answer("/api/x"), /\/api\/x$/)
    assert.match(await exchange(port, get("/api/x").replace("1.1", "1.0")), /\/api\/x$/)
  })

  it("are given up if they take long while there is no room for others", async () => {
    const { figures } = await start(application, { responseBytes, patience: 0 })
    const clients = await stallMany()
    await until(() => figures().responseBytes > responseBytes)
    assert.match(await answer("/api/x"), /\/api\/x$/)
    assert.strictEqual(refusals("slow_reader"), 1)
    for (const { socket } of clients) socket.resume()
    await Promise.race(clients.map(({ closed }) => closed))
  })

  it("are given up at once, the largest first, if their network holds more than a quarter of the memory", async () => {
    const { figures } = await start(application, { responseBytes: 80 * 1024 * 1024 })
    const modest = await stall("127.0.0.2")
    const first = await stall("127.0.0.3")
    const second = await stall("127.0.0.3")
    await until(() => figures().responseBytes > 80 * 1024 * 1024)
    assert.match(await answer("/api/x"), /\/api\/x$/)
    assert.strictEqual(refusals("slow_reader"), 1)
    assert.strictEqual(refusals("responses"), 0)
    first.socket.resume()
    second.socket.resume()
    await Promise.race([first.closed, second.closed])
    modest.socket.resume()
    await until(() => modest.size() > large.length)
  })

  it("are given up if nothing of them is received for long", async () => {
    const { accepted, figures, server } = await start(application)
    const serverSide = accepted()
    const client = await stall()
    assert.strictEqual(server.timeout, 10_000)
    server.emit("timeout", await serverSide)
    await until(() => figures().connections === 0)
    assert.strictEqual(refusals("slow_reader"), 1)
    client.socket.resume()
    await client.closed
  })
})

describe("responses that are sent in parts", () => {
  /** Sends parts as long as they are taken, without an end. */
  const endless: RequestListener = (request, response) => {
    if (request.url !== "/api/endless") return void response.end(request.url)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    }
    response.on("drain", more)
    more()
  }

  it("hold what is not received of them, and are given up for others if they take long", async () => {
    const { figures, port } = await start(endless, { responseBytes: 1024, patience: 0, lookEvery: 5 })
    const client = await open(port, get("/api/endless"))
    client.socket.pause()
    await until(() => figures().responseBytes > 1024)
    assert.match(await answer("/api/x"), /\/api\/x$/)
    assert.strictEqual(refusals("slow_reader"), 1)
    assert.strictEqual(figures().responseBytes, 0)
    client.socket.resume()
    await client.closed
  })

  it("hold nothing as soon as all of them is received, and go on", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { lookEvery: 5 })
    const client = await open(port, get("/api/parts"))
    await until(() => requests.length === 1)
    const response = requests[0]?.response
    client.socket.pause()
    response?.write(Buffer.alloc(32 * 1024 * 1024))
    await until(() => figures().responseBytes > 0)
    client.socket.resume()
    await until(() => figures().responseBytes === 0)
    response?.end("the last part")
    await until(() => client.endsWith("the last part\r\n0\r\n\r\n"))
  })
})

describe("bodies that are sent", () => {
  const part = "x".repeat(100_000)

  it("are refused beyond the memory for them, unless they are small", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { bodyBytes: 110_000 })
    const first = await open(port, post(110_000) + part)
    await until(() => figures().bodyBytes >= 60_000)
    for (const { request } of requests) request.resume()
    await until(() => figures().bodyBytes === 100_000)
    const second = await open(port, post(110_000) + part)
    await until(() => requests.length === 2)
    requests[1]?.request.resume()
    await second.closed
    assertProblem(second.received(), 503, "capacity-exceeded", "bodies")
    assert.strictEqual(refusals("bodies"), 1)

    const small = await open(port, `${post(16_384)}${part.slice(0, 16_384)}`)
    await until(() => requests.length === 3 && requests[2]?.request.complete === true)
    requests[2]?.response.end("small")
    await until(() => small.endsWith("small"))

    first.socket.write(part.slice(0, 10_000))
    await until(() => requests[0]?.request.complete === true)
    requests[0]?.response.end("large")
    await until(() => first.endsWith("large"))
    await until(() => figures().bodyBytes === 0)
  })

  it("are given up if they take long while there is no room for others", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { bodyBytes: 250_000, patience: 0 })
    const complete = await open(port, post(100_000) + part)
    await until(() => requests.length === 1)
    requests[0]?.request.resume()
    await until(() => requests[0]?.request.complete === true)
    const slow = await open(port, post(200_000) + part)
    await until(() => requests.length === 2)
    requests[1]?.request.resume()
    await until(() => figures().bodyBytes === 200_000)
    const quick = await open(port, post(100_000) + part)
    await until(() => requests.length === 3)
    requests[2]?.request.resume()
    await until(() => requests[2]?.request.complete === true)
    await slow.closed
    assertProblem(slow.received(), 408, "request-too-slow")
    requests[0]?.response.end("complete")
    requests[2]?.response.end("quick")
    await until(() => complete.endsWith("complete") && quick.endsWith("quick"))
    assert.strictEqual(refusals("slow_sender"), 1)
  })

  it("are given up if nothing arrives for long", async () => {
    const { application, requests } = pending()
    const { accepted, port, server } = await start(application)
    const serverSide = accepted()
    const client = await open(port, `${post(10)}abc`)
    await until(() => requests.length === 1)
    server.emit("timeout", await serverSide)
    await client.closed
    assertProblem(client.received(), 408, "request-too-slow")
    assert.strictEqual(refusals("slow_sender"), 1)
  })

  it("are given up if a mebibyte of them takes long, of which the application waits for more", async () => {
    const { application, requests } = pending()
    const { port } = await start(application, { pace: 0, lookEvery: 5 })
    const client = await open(port, post(200_000) + part)
    await until(() => requests.length === 1)
    requests[0]?.request.resume()
    await client.closed
    assertProblem(client.received(), 408, "request-too-slow")
    assert.strictEqual(refusals("slow_sender"), 1)
  })

  it("are given up where the application says that others have waited long enough", async () => {
    const { application, requests } = pending()
    const { bodyProgress, port } = await start(application)
    const slow = await open(port, `${post(10)}abc`)
    const complete = await open(port, `${post(3)}abc`)
    await until(() => requests.length === 2 && requests[1]?.request.complete === true)
    for (const { request } of requests) bodyProgress.endSlow(request)
    await slow.closed
    assertProblem(slow.received(), 408, "request-too-slow")
    requests[1]?.response.end("served")
    await until(() => complete.endsWith("served"))
    assert.strictEqual(refusals("slow_sender"), 1)
  })

  it("end their connection without another answer where one has begun, or others come first", async () => {
    const { application, requests } = pending()
    const { bodyProgress, figures, port } = await start(application, { bodyBytes: 110_000 })
    const begun = await open(port, `${post(10)}abc`)
    await until(() => requests.length === 1)
    requests[0]?.response.write("begun")
    await until(() => begun.received().includes("begun"))
    const request = requests[0]?.request
    if (request === undefined) return assert.fail()
    bodyProgress.endSlow(request)
    await begun.closed
    assert.notInclude(begun.received(), "408")

    const other = await open(port, post(110_000) + part)
    await until(() => requests.length === 2)
    requests[1]?.request.resume()
    await until(() => figures().bodyBytes === 100_000)
    const second = await open(port, get("/1") + post(110_000) + part)
    await second.closed
    assert.strictEqual(second.received(), "")
    assert.strictEqual(refusals("bodies"), 1)
    other.socket.destroy()
  })

  it("may take as long as they like after the response", async () => {
    const { port } = await start(
      (request, response) => {
        if (request.url !== "/slow") response.end("early")
      },
      { pace: 500, lookEvery: 5 }
    )
    const answered = await open(port, post(110_000) + part)
    await until(() => answered.endsWith("early"))
    const slow = await open(port, post(10).replace("/api", "/slow"))
    await slow.closed
    assertProblem(slow.received(), 408, "request-too-slow")
    // By then, the other one has had more time.
    assert.strictEqual(refusals("slow_sender"), 1)
    answered.socket.write(`${part.slice(0, 10_000)}${get("/next")}`)
    await until(() => answered.received().match(/early/g)?.length === 2)
  })

  it("do not count where they have been written elsewhere", async () => {
    const { application, requests } = pending()
    const { bodyProgress, figures, port } = await start(application, { bodyBytes: 150_000 })
    const client = await open(port, post(400_000) + part)
    await until(() => requests.length === 1)
    const request = requests[0]?.request
    if (request === undefined) return assert.fail()
    request.resume()
    await until(() => figures().bodyBytes === 100_000)
    for (let sent = 1; sent <= 3; sent++) {
      bodyProgress.passedOn(request, 95_000)
      assert.strictEqual(figures().bodyBytes, 0)
      client.socket.write(part)
      await until(() => figures().bodyBytes === 100_000 + sent * 5_000)
    }
    await until(() => request.complete)
    requests[0]?.response.end("served")
    await until(() => client.endsWith("served"))
    assert.strictEqual(figures().bodyBytes, 0)
  })

  it("that are complete may be worked on for long", async () => {
    const { application, requests } = pending()
    const { accepted, port, server } = await start(application)
    const serverSide = accepted()
    const client = await open(port, `${post(3)}abc`)
    await until(() => requests[0]?.request.complete === true)
    server.emit("timeout", await serverSide)
    requests[0]?.response.end("served")
    await until(() => client.endsWith("served"))
  })

  it("do not count after the response", async () => {
    const { figures, port } = await start((_request, response) => response.end("early"))
    const client = await open(port, post(110_000) + part)
    await until(() => client.endsWith("early"))
    client.socket.write(`${part.slice(0, 10_000)}${get("/next")}`)
    await until(() => client.received().match(/early/g)?.length === 2)
    assert.strictEqual(figures().bodyBytes, 0)
  })
})

describe("connections", () => {
  it("are refused beyond their number", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { connections: 2 })
    await open(port, get("/1"))
    await open(port, get("/2"))
    await until(() => requests.length === 2)
    const third = await open(port, get("/3"))
    await third.closed
    assertProblem(third.received(), 503, "capacity-exceeded", "connections")
    assert.strictEqual(refusals("connections"), 1)
    assert.strictEqual(figures().connections, 2)

    // A connection without a request may still send one for a while.
    requests[0]?.response.end()
    await until(() => figures().requestsInProgress === 1)
    assertProblem(await answer("/4"), 503, "capacity-exceeded", "connections")
  })

  it("take the place of none that is closed already", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { connections: 1, idle: 0 })
    const closed = await open(port, "")
    await until(() => figures().connections === 1)
    closed.socket.destroy()
    await until(() => figures().connections === 0)
    await open(port, get("/1"))
    await until(() => requests.length === 1)
    assertProblem(await answer("/2"), 503, "capacity-exceeded", "connections")
  })

  it("of a network that has most of them give way to those of others, the ones without a request first", async () => {
    const { application, requests } = pending()
    const { figures, port } = await start(application, { connections: 4 })
    const greedy = "127.0.0.2"
    const first = await open(port, get("/1"), greedy)
    const second = await open(port, get("/2"), greedy)
    await until(() => requests.length === 2)
    const unused = await open(port, "", greedy)
    const third = await open(port, get("/3"), greedy)
    await until(() => requests.length === 3 && figures().connections === 4)
    const other = await open(port, get("/4"))
    await until(() => requests.length === 4)
    await unused.closed
    const another = await open(port, get("/5"))
    await until(() => requests.length === 5)
    await first.closed
    assertProblem(first.received(), 503, "capacity-exceeded", "connections")
    // Both have as many.
    assertProblem(await answerTo(port, "/6"), 503, "capacity-exceeded", "connections")
    assertProblem(await answerTo(port, "/6", greedy), 503, "capacity-exceeded", "connections")
    for (const { response } of requests.slice(1)) response.end("served")
    for (const client of [second, third, other, another]) {
      await until(() => client.endsWith("served"))
    }
    assert.strictEqual(refusals("connections"), 4)
  })

  it("take the place of the one that was longest without a request", async () => {
    const { figures, port } = await start(echo, { connections: 2, idle: 0 })
    const first = await open(port, get("/1"))
    const second = await open(port, get("/2"))
    await until(() => first.endsWith("/1") && second.endsWith("/2"))
    first.socket.write(get("/again"))
    await until(() => first.endsWith("/again") && figures().requestsInProgress === 0)
    assert.match(await answer("/3"), /\/3$/)
    await second.closed
    first.socket.write(get("/more"))
    await until(() => first.endsWith("/more"))
    assert.strictEqual(refusals("connections"), 0)
  })

  it("without a request are closed after a time that is longer than that of proxies", async () => {
    const { accepted, figures, port, server } = await start(echo)
    const serverSide = accepted()
    const client = await open(port, get("/1"))
    await until(() => client.endsWith("/1"))
    assert.match(client.received(), /^keep-alive: timeout=75$/im)
    await until(() => figures().requestsInProgress === 0)
    server.emit("timeout", await serverSide)
    await client.closed
  })
})
