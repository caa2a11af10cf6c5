/**
 * Measures the service against the bare floor: the same database, statements,
 * load generator and machine, in one run. `npm run bench [seconds] [scenario]`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Console, Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import manifest from "../package.json" with { type: "json" }
import { dataDir, start, statementCount } from "./database.ts"
import { drive, type Load, type Measured } from "./load.ts"
import { type Recorded, record } from "./recorder.ts"
import { idOf, repliesPerThread, sessionToken, threads } from "./seed.ts"

/** How long each target of a scenario is driven, and a part of the titles of the scenarios to run. */
const seconds = Number(process.argv[2] ?? 10)
const chosen = process.argv[3] ?? ""
// As long again, since it takes a while until everything that is run often is compiled.
const warmUp = seconds
const cookie = { cookie: `forum-session=${sessionToken}` }
const lastPage = threads / 50

const sample = Array.from({ length: 100 }, (_, n) => idOf("t", 37 + n * 89))
/** Threads that grow, so that those that are read stay as they are. */
const growing = Array.from({ length: 100 }, (_, n) => idOf("t", 38 + n * 89))
const thread = (id: string) => ({ path: `/api/threads/${id}` })
const replyBody = JSON.stringify({ body: "<p>A reply of ordinary length, as people write them.</p>" })

/** What is measured, and which recorded statements its floor runs. */
const scenarios: ReadonlyArray<readonly [title: string, floor: string, load: Load]> = [
  ["tiny endpoint (GET /version)", "tiny", { requests: [{ path: "/api/version" }] }],
  ["thread page, 50 replies, guest", "guest", { requests: sample.map(thread) }],
  ["thread page, 50 replies, signed in", "member", { requests: sample.map(thread), headers: cookie }],
  ["thread page, 304", "member", { requests: sample.slice(0, 1).map(thread), headers: cookie }],
  ["thread list, page 1", "first", { requests: [{ path: "/api/threads" }], headers: cookie }],
  [
    `thread list, page ${lastPage}`,
    "last",
    { requests: [{ path: `/api/threads?page=${lastPage}` }], headers: cookie }
  ],
  [
    "reply create",
    "reply",
    {
      requests: growing.map((id) => ({
        method: "POST",
        path: `/api/threads/${id}/replies`,
        body: replyBody
      })),
      headers: cookie
    }
  ]
]

const get = (path: string, headers: Record<string, string> = {}) =>
  HttpClientRequest.get(path).pipe(HttpClientRequest.setHeaders(headers))
const someThread = `/api/threads/${sample[0]}`

const recorded = {
  guest: get(someThread),
  member: get(someThread, cookie),
  first: get("/api/threads", cookie),
  last: get(`/api/threads?page=${lastPage}`, cookie),
  reply: HttpClientRequest.post(`/api/threads/${growing[0]}/replies`).pipe(
    HttpClientRequest.setHeaders(cookie),
    HttpClientRequest.bodyJsonUnsafe(JSON.parse(replyBody))
  )
}

/** Parameters as JSON: bytes in hex, and JSON marked as such, since drivers differ in how they take it. */
const portable = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("hex") }
  if (typeof value === "bigint") return String(value)
  if (typeof value === "object" && value !== null && "value" in value) return { $json: value.value }
  return value
}

const portableAll = (statements: Readonly<Record<string, ReadonlyArray<Recorded>>>) =>
  Object.fromEntries(
    Object.entries(statements).map(([name, list]) => [
      name,
      list.map(({ params, text }) => ({ text, params: params.map(portable) }))
    ])
  )

/** What `npm start` gives to Node. */
const serviceFlags = manifest.scripts.start.split(" ").filter((word) => word.startsWith("--"))

const child = (
  file: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  flags: ReadonlyArray<string> = []
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...flags, new URL(file, import.meta.url).pathname, ...args], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "ignore", "inherit"]
      })
    ),
    (running) =>
      Effect.callback<void>((resume) => {
        running.once("exit", () => resume(Effect.void))
        running.kill("SIGTERM")
      })
  )

/** Milliseconds until an address answers 200. */
const untilAnswer = (url: string) =>
  Effect.promise(async () => {
    const started = performance.now()
    const ok = () =>
      fetch(url, { signal: AbortSignal.timeout(1000) }).then(
        (response) => response.ok,
        () => false
      )
    while (!(await ok())) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return performance.now() - started
  })

const residentMegabytes = ({ pid }: ChildProcess) => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

// Enough that a moment in which the machine is busy with something else decides nothing.
const rounds = 5

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Drives all targets by turns, so that whatever slows the machine slows each of them. */
const measure = (targets: ReadonlyArray<readonly [url: string, load: Load]>) =>
  Effect.promise(async () => {
    for (const [url, load] of targets) await drive(url, load, warmUp)
    const measured: Array<ReadonlyArray<Measured>> = []
    for (let round = 0; round < rounds; round++) {
      const turn: Array<Measured> = []
      for (const [url, load] of targets) turn.push(await drive(url, load, seconds / rounds))
      measured.push(turn)
    }
    return measured
  })

const row = (title: string, turns: ReadonlyArray<ReadonlyArray<Measured>>, statements: number) => {
  const medianOf = (target: number, value: (one: Measured) => number) =>
    median(turns.flatMap((turn) => turn.slice(target, target + 1).map(value)))
  const floors = Object.keys(floorPorts).map((name, place) => [
    `floor ${name}`,
    Math.round(medianOf(place + 1, ({ perSecond }) => perSecond))
  ])
  const ratios = turns.map(([ours, ...rest]) =>
    ours === undefined ? 0 : ours.perSecond / Math.max(...rest.map(({ perSecond }) => perSecond))
  )
  return {
    "": title,
    "req/s": Math.round(medianOf(0, ({ perSecond }) => perSecond)),
    "p50 ms": medianOf(0, ({ p50 }) => p50),
    "p99 ms": medianOf(0, ({ p99 }) => p99),
    ...Object.fromEntries(floors),
    ratio: Number(median(ratios).toFixed(2)),
    "statements/request": Number(statements.toFixed(2))
  }
}

const servicePort = 8190
const floorPorts = { postgres: 8191, "sql-pg": 8192 }

const startTime = Effect.gen(function* () {
  yield* child("../src/main.ts", [], { DATA_DIR: dataDir, PORT: "8193", LOG_LEVEL: "Error" }, serviceFlags)
  return yield* untilAnswer("http://127.0.0.1:8193/api/version")
}).pipe(Effect.scoped)

const measureAll = Effect.gen(function* () {
  const database = yield* start
  const statements: Record<string, ReadonlyArray<Recorded>> = yield* record(database, recorded)
  // What the seed made begins otherwise.
  const replyId = statements.reply
    ?.flatMap(({ params, text }) => (/insert into posts/.test(text) ? params : []))
    .find((value) => typeof value === "string" && /^[b-s][0-9a-v]{19}$/.test(value))
  const file = join(tmpdir(), `forum-bench-${process.pid}.json`)
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(file, { force: true })))
  writeFileSync(
    file,
    JSON.stringify({ ...portableAll(statements), replyId: [{ text: replyId, params: [] }] })
  )

  const env = { DATABASE_URL: database.url, LOG_LEVEL: "Info" }
  for (const [driver, port] of Object.entries(floorPorts))
    yield* child("./floor.ts", [driver, String(port), file], env)
  const service = yield* child("../src/main.ts", [], { ...env, PORT: String(servicePort) }, serviceFlags)
  yield* untilAnswer(`http://127.0.0.1:${servicePort}/api/version`)

  const counted = Effect.provide(statementCount, database.client)
  const etag = yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${servicePort}${someThread}`, { headers: cookie }).then((answer) =>
      answer.headers.get("etag")
    )
  )
  const rows: Array<ReturnType<typeof row>> = []
  for (const [title, floor, load] of scenarios.filter(([title]) => title.includes(chosen))) {
    const conditional = title.endsWith("304") ? { headers: { ...cookie, "if-none-match": etag ?? "" } } : {}
    const ours = [`http://127.0.0.1:${servicePort}`, { ...load, ...conditional }] as const
    const floors = Object.values(floorPorts).map(
      (port) => [`http://127.0.0.1:${port}`, { requests: [{ path: `/${floor}` }] }] as const
    )
    const turns = yield* measure([ours, ...floors])
    const before = yield* counted
    const { total } = yield* Effect.promise(() => drive(...ours, warmUp))
    rows.push(row(title, turns, ((yield* counted) - before) / total))
    yield* Console.log(title, JSON.stringify(turns.map(([first]) => first?.answers)))
  }
  return { rows, memory: residentMegabytes(service) }
}).pipe((effect) => Effect.scoped(effect))

const report = Effect.gen(function* () {
  const { memory, rows } = yield* measureAll
  const started = yield* startTime
  yield* Console.table(rows)
  yield* Console.log(`resident memory after the run: ${memory.toFixed(0)} MB`)
  yield* Console.log(
    `start with ${(threads * (repliesPerThread + 1)).toLocaleString("en")} posts to the first 200: ${started.toFixed(0)} ms`
  )
})

await Effect.runPromise(report)
