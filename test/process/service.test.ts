/** The service as a process: settings that it refuses, what it exports to a collector, and how it stops. */
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { sharesAddress } from "../../src/layers/connections/Listeners.ts"
import { startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { beginRequest, freePort, freshDatabase, untilRefused } from "./support.ts"

describe("a setting that cannot be used", () => {
  /** A server that already uses a port, and would share it. */
  const other = createServer()
  let cases: ReadonlyArray<readonly [name: string, settings: Readonly<Record<string, string>>]>

  beforeAll(async () => {
    const at = { port: 0, host: "127.0.0.1", reusePort: sharesAddress }
    await new Promise<void>((resolve) => other.listen(at, resolve))
    const address = other.address()
    const taken = typeof address === "object" && address !== null ? address.port : 0
    const DATABASE_URL = await freshDatabase()
    cases = [
      ["PORT", { PORT: "http" }],
      ["PORT", { PORT: String(taken), DATABASE_URL }],
      ["HOST", { HOST: "203.0.113.1", DATABASE_URL }],
      ["DATABASE_URL", { DATABASE_URL: "nonsense" }],
      ["DATABASE_URL", { DATABASE_URL: "postgres://nobody:hush-hush@127.0.0.1:1/x" }]
    ]
  })
  afterAll(() => {
    other.close()
  })

  it("prevents the start, with one line that names it", async () => {
    const ends = cases.map(async ([name, settings]) => {
      const service = startService(settings)
      const code = await service.exited
      const about = JSON.stringify(settings)
      return { about, name, code, errors: service.errors(), lines: service.lines }
    })
    for (const { about, code, errors, lines, name } of await Promise.all(ends)) {
      assert.strictEqual(code, 1, about)
      assert.match(errors, new RegExp(`^${name}: .+\n$`), about)
      assert.strictEqual(errors.split("\n").length, 2, errors)
      assert.deepStrictEqual(lines, [], about)
      assert.notInclude(errors, "hush-hush")
    }
  })
})

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string }
}
interface Span {
  readonly traceId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: ReadonlyArray<Attribute>
}
interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}
interface Logs {
  readonly resourceLogs: ReadonlyArray<{
    readonly scopeLogs: ReadonlyArray<{
      readonly logRecords: ReadonlyArray<{ readonly attributes: ReadonlyArray<Attribute> }>
    }>
  }>
}

/** Accepts every export and keeps it by path. */
const startCollector = async () => {
  const received = new Map<string, Array<string>>()
  const server = createServer(async (message, response) => {
    const path = message.url ?? ""
    received.set(path, [...(received.get(path) ?? []), await text(message)])
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { received, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

describe("a service with a collector, from start to stop", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
  const parent = "00f067aa0ba902b7"
  const secret = "never-to-be-exported"
  const pair = JSON.stringify({ identifier: "odin", token: secret })
  const metricsToken = "another-secret-0123456789"
  const credentials = { "content-type": "application/json", traceparent: `00-${traceId}-${parent}-01` }

  let collector: Awaited<ReturnType<typeof startCollector>>
  let service: ReturnType<typeof startService>
  let code: number | null
  let given: string
  const metrics: Array<number> = []
  let drained: { readonly status: number | undefined; readonly text: string }
  let late: { readonly status: number | undefined; readonly text: string }

  beforeAll(async () => {
    collector = await startCollector()
    const settings = {
      DATABASE_URL: await freshDatabase(),
      OTLP_URL: collector.url,
      METRICS_TOKEN: metricsToken,
      DRAIN_SECONDS: "2"
    }
    service = startService(settings)
    const port = await service.listening()
    const signUp = { method: "POST", path: "/api/auth/password/signup", body: pair, headers: credentials }
    const signedUp = await sendTo(port, signUp)
    assert.strictEqual(signedUp.status, 200, signedUp.text)
    const cookie = signedUp.headers["set-cookie"]?.split(";", 1)[0] ?? ""
    const path = `/api/threads/nope?page=${secret}`
    const failed = await sendTo(port, { path, headers: { ...credentials, cookie } })
    given = failed.json.trace_id
    for (const headers of [{}, { authorization: `Bearer ${metricsToken}` }]) {
      metrics.push((await sendTo(port, { path: "/metrics", headers })).status)
    }

    const finishing = beginRequest(port, "/api/auth/password/signin", pair)
    const unfinished = beginRequest(port, "/api/auth/password/signin", pair)
    await Promise.all([finishing.begun, unfinished.begun])
    // The service has received both requests when it has answered this one.
    await sendTo(port, { path: "/readyz" })
    service.process.kill("SIGTERM")
    await untilRefused(port)
    finishing.finish()
    drained = await finishing.answer
    late = await unfinished.answer
    code = await service.exited
  }, 60_000)

  afterAll(() => {
    service.process.kill("SIGKILL")
    collector.close()
  })

  it("finishes the requests in progress, and exits with 0", () => {
    assert.strictEqual(drained.status, 200, drained.text)
    assert.strictEqual(code, 0)
    assert.strictEqual(service.errors(), "")
  })

  it("answers 503 to requests that take too long", () => {
    assert.strictEqual(late.status, 503, late.text)
    assert.strictEqual(JSON.parse(late.text).type, "/api/problems/shutting-down")
  })

  it("shows its metrics to those who have the token", () => {
    assert.deepStrictEqual(metrics, [404, 200])
  })

  it("logs lines of JSON", () => {
    for (const line of service.lines) assert.isObject(JSON.parse(line), line)
    const access = service.lines
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === "request")
    assert.isAtLeast(access.length, 4)
  })

  const exported = (path: string) => collector.received.get(path) ?? []

  it("exports the spans of requests as children of the trace of the caller", () => {
    const traces: ReadonlyArray<Traces> = exported("/v1/traces").map((text) => JSON.parse(text))
    const resources = traces.flatMap(({ resourceSpans }) => resourceSpans)
    const names = resources.flatMap(({ resource }) =>
      resource.attributes.filter(({ key }) => key === "service.name").map(({ value }) => value.stringValue)
    )
    assert.deepStrictEqual([...new Set(names)], ["forum-service"])
    const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    const served = spans.filter(({ parentSpanId, traceId: id }) => id === traceId && parentSpanId === parent)
    assert.strictEqual(served.length, 2)
    for (const { kind } of served) assert.strictEqual(kind, 2)
    // The spans below that of the request are in the same trace.
    assert.isAbove(spans.filter(({ traceId: id }) => id === traceId).length, 2)
    assert.strictEqual(given, traceId)
  })

  it("exports the log with the same trace id", () => {
    const logs: ReadonlyArray<Logs> = exported("/v1/logs").map((text) => JSON.parse(text))
    const records = logs.flatMap(({ resourceLogs }) =>
      resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    )
    const traced = records.filter(({ attributes }) =>
      attributes.some(({ key, value }) => key === "trace_id" && value.stringValue === traceId)
    )
    assert.isAtLeast(traced.length, 2)
  })

  it("exports no secret and no query", () => {
    const everything = [...collector.received.values()].flat().join("\n")
    assert.isAbove(everything.length, 1000)
    assert.notInclude(everything, secret)
    assert.notInclude(everything, metricsToken)
    assert.notInclude(everything, "forum-session=")
  })
})

describe("the lines of requests", () => {
  const services: Array<ReturnType<typeof startService>> = []
  afterAll(() => {
    for (const service of services) service.process.kill("SIGKILL")
  })

  /** Without what the log says of it. */
  const untilServing = async (port: number): Promise<void> => {
    const isServing = await sendTo(port, { path: "/readyz" }).then(
      ({ status }) => status === 200,
      () => false
    )
    if (isServing) return
    await new Promise((resolve) => setTimeout(resolve, 50))
    return untilServing(port)
  }

  const accessesAt = async (settings: Readonly<Record<string, string>>) => {
    const port = await freePort()
    const service = startService({ DATABASE_URL: await freshDatabase(), PORT: String(port), ...settings })
    services.push(service)
    await untilServing(port)
    const { json } = await sendTo(port, { path: "/api/threads/nope?page=hidden" })
    service.process.kill("SIGTERM")
    assert.strictEqual(await service.exited, 0)
    const lines = service.lines.map((line) => JSON.parse(line))
    const accesses = lines.filter(
      ({ annotations, message }) => message === "request" && annotations.path !== "/readyz"
    )
    return { trace: json.trace_id, accesses }
  }

  it("are all written before the service has stopped, without queries of addresses", async () => {
    const { accesses, trace } = await accessesAt({})
    assert.deepStrictEqual(
      accesses.map(({ annotations: { ms: _, trace_id, ...rest }, level }) => [
        level,
        rest,
        trace_id === trace
      ]),
      [
        [
          "INFO",
          {
            method: "GET",
            path: "/api/threads/nope",
            status: 404,
            operation: "ThreadGet",
            account: "guest"
          },
          true
        ]
      ]
    )
  })

  it("are left out where only warnings are asked for", async () => {
    const { accesses } = await accessesAt({ LOG_LEVEL: "Warn" })
    assert.deepStrictEqual(accesses, [])
  })
})

describe("a service with few connections", () => {
  let service: ReturnType<typeof startService> | undefined
  afterAll(() => {
    service?.process.kill("SIGKILL")
  })

  it("refuses those beyond, and shows it in its metrics", async () => {
    service = startService({ DATABASE_URL: await freshDatabase(), MAX_CONNECTIONS: "10" })
    const port = await service.listening()
    const pair = JSON.stringify({ identifier: "odin", token: "correct horse battery" })
    const requests = Array.from({ length: 10 }, () => beginRequest(port, "/api/auth/password/signup", pair))
    await Promise.all(requests.map(({ begun }) => begun))
    const refused = await sendTo(port, { path: "/metrics" })
    assert.strictEqual(refused.json.type, "/api/problems/capacity-exceeded", refused.text)
    for (const { finish } of requests) finish()
    await Promise.all(requests.map(({ answer }) => answer))
    // Their connections are closed some time after their answers.
    let metrics = refused
    while (metrics.status === 503) metrics = await sendTo(port, { path: "/metrics" })
    assert.match(metrics.text, /^forum_http_refusals_total\{reason="connections"\} [1-9]\d*$/m)
    assert.match(metrics.text, /^forum_http_connections \d+$/m)
    service.process.kill("SIGTERM")
    assert.strictEqual(await service.exited, 0)
  })
})
