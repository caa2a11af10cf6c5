/** Measures `forum import` into an empty instance: see docs/performance.md. */
import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import * as EmbeddedPostgres from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { BenchFailure } from "../BenchFailure.ts"
import { inputOf } from "./input.ts"

const directory = new URL("../data/import", import.meta.url).pathname
const program = new URL("../../src/operator/forum.js", import.meta.url).pathname

const flags = {
  posts: Flag.Int("posts").pipe(Flag.withDescription("How many posts there are"), Flag.withDefault(300_000)),
  threads: Flag.Int("threads").pipe(
    Flag.withDescription("In how many threads they are"),
    Flag.withDefault(3_000)
  ),
  runs: Flag.Int("runs").pipe(Flag.withDescription("How often it is imported"), Flag.withDefault(1)),
  statements: Flag.Boolean("statements").pipe(
    Flag.withDescription("Lists the statements that take long; all then run on a server that logs them"),
    Flag.withDefault(false)
  )
}

interface Step {
  readonly name: string
  readonly seconds: number
}

const stepIn = (line: string): string | undefined => {
  if (!line.startsWith("{")) return line
  const said: { readonly step?: string } = JSON.parse(line)
  return said.step
}

/** Runs the command, and answers how long each step took that it tells of, in their order. */
const importing = async (input: string, env: Readonly<Record<string, string>>, report: string) => {
  const begun = performance.now()
  const child = spawn(process.execPath, [program, "import", input, "--report", report], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const steps: Array<Step> = []
  let current = { name: "start", at: begun }
  const next = (name: string) => {
    const at = performance.now()
    steps.push({ name: current.name, seconds: (at - current.at) / 1000 })
    current = { name, at }
  }
  for await (const line of createInterface({ input: child.stderr })) {
    const name = stepIn(line)
    if (name !== undefined && name !== current.name) next(name)
  }
  const code = await exited
  next("")
  if (code !== 0) throw new BenchFailure({ message: `The import ended with ${code}: ${steps.at(-1)?.name}` })
  return { steps, seconds: (performance.now() - begun) / 1000 }
}

/** Processor time of all children that have ended, and of theirs, in seconds. */
const processorTime = async () => {
  const stat = await readFile("/proc/self/stat", "utf8")
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

const logged = /duration: ([\d.]+) ms {2}(?:statement|execute [^:]*): ([\s\S]*?)(?=\n\d{4}-|$)/g

/** The statements that took longest, from the log of their server. */
const slowest = async (dataDir: string) =>
  [...(await readFile(join(dataDir, "postgres.log"), "utf8")).matchAll(logged)]
    .map(([, milliseconds = "", text = ""]) => ({
      seconds: Number(milliseconds) / 1000,
      text: text.replace(/\s+/g, " ").slice(0, 150)
    }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 40)

const ownServer = (dataDir: string) =>
  Effect.map(
    EmbeddedPostgres.start({
      dataDir,
      transport: "tcp",
      settings: { log_min_duration_statement: "20", log_error_verbosity: "default" }
    }),
    ({ database, host, password, port, username }) =>
      `postgres://${username}:${Redacted.value(password)}@${host}:${port}/${database}`
  )

const run = Effect.fnUntraced(function* (input: string, withStatements: boolean) {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(directory, "run-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const before = yield* Effect.promise(processorTime)
  const imported = yield* Effect.gen(function* () {
    const env = { DATA_DIR: dataDir, ...(withStatements ? { DATABASE_URL: yield* ownServer(dataDir) } : {}) }
    return yield* Effect.promise(() => importing(input, env, join(dataDir, "report.ndjson")))
  }).pipe(Effect.scoped)
  const after = yield* Effect.promise(processorTime)
  return {
    ...imported,
    processor: after - before,
    statements: withStatements ? yield* Effect.promise(() => slowest(dataDir)) : []
  }
}, Effect.scoped)

const row = (...cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

const bench = Command.make(
  "bench:import",
  flags,
  Effect.fn(function* ({ posts, runs, statements, threads }) {
    yield* Effect.promise(() => mkdir(directory, { recursive: true }))
    const input = yield* Effect.promise(() => inputOf(directory, { posts, threads }))
    for (let number = 0; number < runs; number += 1) {
      const result = yield* run(input, statements)
      const lines = [
        ...result.steps.map(({ name, seconds }) => row(seconds.toFixed(2), name)),
        ...result.statements.map(({ seconds, text }) => row(seconds.toFixed(2), text))
      ]
      yield* Console.log(
        [
          ...lines,
          `${posts.toLocaleString("en")} posts in ${result.seconds.toFixed(1)} s from start to exit, ${Math.round(
            posts / result.seconds
          ).toLocaleString(
            "en"
          )} a second; ${((result.processor / posts) * 1e6).toFixed(0)} µs of processor time each`
        ].join("\n")
      )
    }
  })
).pipe(Command.withDescription("Measures the import of a forum into an empty instance"))

Command.run(bench, { version: manifest.version }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain()
)
