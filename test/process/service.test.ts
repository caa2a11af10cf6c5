/** The service as a process: its settings, what it tells a collector, and how it ends. */
import { createServer, type IncomingMessage, request } from "node:http"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, inject } from "vitest"
import { startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"

describe("a setting that cannot be used", () => {
  const bad: ReadonlyArray<readonly [string, string]> = [
    ["PORT", "http"],
    ["DATABASE_URL", "nonsense"],
    ["DATABASE_URL", "postgres://nobody:hush-hush@127.0.0.1:1/x"]
  ]

  it("stops the start, with one line that names it", { timeout: 60_000 }, async () => {
    const ends = bad.map(async ([name, value]) => {
      const service = startService({ [name]: value })
      const code = await service.exited
      return { about: `${name}=${value}`, name, code, errors: service.errors(), lines: service.lines }
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

const readAll = async (message: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of message) parts.push(part)
  return Buffer.concat(parts).toString("utf8")
}

/** Takes whatever is exported, and keeps it by the path it came to. */
const startCollector = async () => {
  const received = new Map<string, Array<string>>()
  const server = createServer(async (message, response) => {
    const path = message.url ?? ""
    received.set(path, [...(received.get(path) ?? []), await readAll(message)])
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { received, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** A database of its own on the server of the run, as an address. */
const freshDatabase = async () => {
  const { host, password, port, username } = inject("postgres")
  const name = `process_${process.pid}`
  const administrator = PgClient.layer({
    host,
    port,
    username,
    password: Redacted.make(password),
    database: "postgres",
    maxConnections: 1
  })
  const create = PgClient.PgClient.use((sql) => sql`create database ${sql(name)} template template_forum`)
  await Effect.runPromise(Effect.scoped(Effect.provide(create, administrator)))
  const url = new URL(`postgres:///${name}`)
  for (const [key, value] of Object.entries({ host, port: String(port), user: username, password })) {
    url.searchParams.set(key, value)
  }
  return url.href
}

/** A request of which only a part is sent until `finish` is called. */
const hesitantRequest = (port: number, path: string, body: string) => {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  })
  const answer = new Promise<{ readonly status: number | undefined; readonly text: string }>(
    (resolve, reject) => {
      sent.on("error", reject)
      sent.on("response", async (message) => {
        resolve({ status: message.statusCode, text: await readAll(message) })
      })
    }
  )
  const begun = new Promise<void>((resolve) => sent.write(body.slice(0, 5), () => resolve()))
  return { answer, begun, finish: () => sent.end(body.slice(5)) }
}

const untilRefused = async (port: number): Promise<void> => {
  for (;;) {
    const answered = await sendTo(port, { path: "/healthz" }).then(
      () => true,
      () => false
    )
    if (!answered) return
  }
}

describe("a service with a collector, from its start to its end", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
  const parent = "00f067aa0ba902b7"
  const secret = "never-to-be-exported"
  const pair = JSON.stringify({ identifier: "odin", token: secret })
  const credentials = { "content-type": "application/json", traceparent: `00-${traceId}-${parent}-01` }

  let collector: Awaited<ReturnType<typeof startCollector>>
  let service: ReturnType<typeof startService>
  let code: number | null
  let given: string
  let drained: { readonly status: number | undefined; readonly text: string }
  let late: { readonly status: number | undefined; readonly text: string }

  beforeAll(async () => {
    collector = await startCollector()
    const settings = { DATABASE_URL: await freshDatabase(), OTLP_URL: collector.url, DRAIN_SECONDS: "2" }
    service = startService(settings)
    const port = await service.listening()
    const signUp = { method: "POST", path: "/api/auth/password/signup", body: pair, headers: credentials }
    const signedUp = await sendTo(port, signUp)
    assert.strictEqual(signedUp.status, 200, signedUp.text)
    const cookie = signedUp.headers["set-cookie"]?.split(";", 1)[0] ?? ""
    const path = `/api/threads/nope?page=${secret}`
    const failed = await sendTo(port, { path, headers: { ...credentials, cookie } })
    given = failed.json.trace_id

    const finishing = hesitantRequest(port, "/api/auth/password/signin", pair)
    const dawdling = hesitantRequest(port, "/api/auth/password/signin", pair)
    await Promise.all([finishing.begun, dawdling.begun])
    // The service has to have seen both before it is told to stop.
    await sendTo(port, { path: "/readyz" })
    service.process.kill("SIGTERM")
    await untilRefused(port)
    finishing.finish()
    drained = await finishing.answer
    late = await dawdling.answer
    code = await service.exited
  }, 60_000)

  afterAll(() => {
    service.process.kill("SIGKILL")
    collector.close()
  })

  it("finishes what it has begun, and then ends well", () => {
    assert.strictEqual(drained.status, 200, drained.text)
    assert.strictEqual(code, 0)
    assert.strictEqual(service.errors(), "")
  })

  it("tells those who take too long to come again", () => {
    assert.strictEqual(late.status, 503, late.text)
    assert.strictEqual(JSON.parse(late.text).type, "/api/problems/shutting-down")
  })

  it("logs lines of JSON", () => {
    for (const line of service.lines) assert.isObject(JSON.parse(line), line)
    const access = service.lines
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === "request")
    assert.isAtLeast(access.length, 4)
  })

  const exported = (path: string) => collector.received.get(path) ?? []

  it("exports the spans of requests, under the trace that the caller began", () => {
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
    // What the request made the service do is in the same trace.
    assert.isAbove(spans.filter(({ traceId: id }) => id === traceId).length, 2)
    assert.strictEqual(given, traceId)
  })

  it("exports the log as well, with the same trace id", () => {
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
    assert.notInclude(everything, "forum-session=")
  })
})
