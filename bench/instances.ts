/**
 * `node bench/instances.ts`: what one, two and three instances answer over one database, with and without a replica,
 * and what each answer costs them and the servers. See docs/scaling.md.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Schema } from "effect"
import { type Pair, startPair } from "../test/support/replicas.ts"
import { BenchFailure } from "./BenchFailure.ts"
import { request } from "./forum.ts"
import { drive, type Request } from "./load.ts"
import { cpuMicros, type Listening } from "./processes.ts"
import { serve, workingTree } from "./sides.ts"

const threads = 40
const repliesPerThread = 30
const seconds = 10

const Signed = Schema.fromJsonString(Schema.Struct({ slug: Schema.String }))

/** Fills the forum by its API, and answers the requests that are measured. */
const fill = Effect.fnUntraced(function* ({ url }: Listening) {
  const json = { "content-type": "application/json" }
  const asked = (path: string, body: object, headers: Readonly<Record<string, string>>) =>
    request(url, path, { method: "POST", body: JSON.stringify(body), headers: { ...json, ...headers } })
  const person = { identifier: "odin", token: "a password of the bench" }
  const signedUp = yield* asked("/auth/password/signup", person, {})
  const cookie = { cookie: (signedUp.headers.get("set-cookie") ?? "").replace(/;.*$/, "") }
  const slugs = yield* Effect.forEach(
    Array.from({ length: threads }, (_, n) => n),
    (n) =>
      Effect.gen(function* () {
        const made = yield* asked("/threads", { title: `Thread ${n}`, visibility: "published" }, cookie)
        const text = yield* Effect.promise(() => made.text())
        const { slug } = yield* Schema.decodeEffect(Signed)(text)
        for (let reply = 0; reply < repliesPerThread; reply++)
          yield* asked(`/threads/${slug}/replies`, { body: `<body><p>Reply ${reply}</p></body>` }, cookie)
        return slug
      })
  )
  const pages = slugs.map((slug): Request => ({ path: `/api/threads/${slug}` }))
  return {
    "thread page, guest": pages,
    "thread page, signed in": pages.map((page): Request => ({ ...page, headers: cookie })),
    "reply create": slugs.map(
      (slug): Request => ({
        method: "POST",
        path: `/api/threads/${slug}/replies`,
        headers: { ...json, ...cookie },
        body: JSON.stringify({ body: "<body><p>Another one</p></body>" })
      })
    )
  }
})

/** The CPU time of processes so far, in microseconds. */
const cpuOf = (pids: ReadonlyArray<number>) => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)

const measure = Effect.fnUntraced(function* (
  title: string,
  requests: ReadonlyArray<Request>,
  services: ReadonlyArray<Listening>,
  { one, other }: Pair
) {
  const all = (seconds: number) =>
    Effect.forEach(services, ({ url }) => drive(url, { requests, connections: 6 }, { seconds }), {
      concurrency: "unbounded"
    })
  const cpu = () => ({
    services: cpuOf(services.map(({ pid }) => pid)),
    primary: cpuOf(one.processes()),
    replica: cpuOf(other.processes())
  })
  yield* all(seconds / 2)
  const before = cpu()
  const driven = yield* all(seconds)
  const after = cpu()
  const failures = driven.flatMap(({ failures }) => failures)
  if (failures.length > 0) return yield* new BenchFailure({ message: `${title}: ${failures.join(", ")}` })
  const count = driven.reduce((sum, { requests }) => sum + requests, 0)
  const each = (name: keyof typeof before) =>
    String(Math.round((after[name] - before[name]) / count)).padStart(8)
  const perSecond = Math.round(driven.reduce((sum, { perSecond }) => sum + perSecond, 0))
  const p99 = Math.max(...driven.map(({ p99 }) => p99)).toFixed(1)
  const figures = `${String(perSecond).padStart(6)} ${p99.padStart(8)} ${each("services")} ${each("primary")} ${each("replica")}`
  yield* Console.log(`${title.padEnd(24)} ${figures}`)
})

const main = Effect.gen(function* () {
  const pair = yield* Effect.acquireRelease(
    Effect.promise(() => startPair()),
    ({ close }) => Effect.promise(close)
  )
  // Nothing is kept between requests, so that each reads the database.
  const settings = { CACHE_MEGABYTES: "0" }
  const filled = yield* Effect.scoped(
    Effect.flatMap(serve(workingTree, pair.one.url(), settings), (service) => fill(service))
  )
  // Accounts of this half minute read the primary.
  yield* Effect.promise(() =>
    pair.one.rows("update accounts set created_at = created_at - interval '1 minute'")
  )
  yield* Console.log(`${"".padEnd(24)}  req/s   p99 ms  service  primary  replica (µs of CPU a request)`)
  for (const withReplica of [false, true]) {
    for (const instances of [1, 2, 3]) {
      yield* Console.log(`${instances} of the service, ${withReplica ? "a replica" : "no replica"}`)
      const reading = withReplica ? { DATABASE_REPLICA_URLS: pair.other.url() } : {}
      yield* Effect.gen(function* () {
        const services = yield* Effect.replicateEffect(
          serve(workingTree, pair.one.url(), { ...settings, ...reading }),
          instances
        )
        yield* Effect.sleep("3 seconds")
        for (const [title, requests] of Object.entries(filled))
          yield* measure(title, requests, services, pair)
      }).pipe(Effect.scoped)
    }
  }
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

NodeRuntime.runMain(main)
