/** Runs programs of plugins as processes of this machine. */
import { spawnSync } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import {
  type Holding,
  type PluginIsolation,
  PluginLaunchFailed,
  PluginProcesses,
  type PluginProgram
} from "../../../domain/plugin/PluginProcesses.ts"
import { complaintOf } from "./Command.ts"
import { start } from "./Running.ts"
import { limitArguments, type Means, wrapped } from "./Wrapping.ts"

const succeeds = (file: string, args: ReadonlyArray<string>) =>
  spawnSync(file, args, { cwd: "/", stdio: "ignore", timeout: 5000 }).status === 0

const some = { memoryMegabytes: 64, diskMegabytes: 64, processes: 64, openFiles: 64, fileMegabytes: 64 }

/** Tries what this machine lets the service do. */
const findMeans = (): Means => ({
  endsWithService: succeeds("setpriv", ["--pdeathsig", "KILL", "--no-new-privs", "--", "true"]),
  limits: succeeds("prlimit", [...limitArguments(some), "--", "true"])
})

const holding = (holds: boolean, because: string): Holding => (holds ? "held" : { because })

const isolationBy = (means: Means): PluginIsolation => ({
  user: { because: "plugins run as the user of the service" },
  limits: holding(means.limits, "prlimit of util-linux does not work here"),
  processes: { because: "plugins share the processes of the machine" },
  files: { because: "plugins share the files of the machine" },
  network: { because: "plugins share the network of the machine" }
})

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const environmentOf = (program: PluginProgram, path: string, temporary: string) => ({
  ...program.environment,
  PATH: path,
  HOME: program.directory,
  TMPDIR: temporary,
  LANG: process.env.LANG ?? "C.UTF-8",
  FORUM_PLUGIN: program.id
})

export const make = Effect.gen(function* () {
  const logs = yield* PluginLogs
  const means = findMeans()
  const running = new Set<string>()

  const begin = async (program: PluginProgram) => {
    const path = process.env.PATH ?? "/usr/bin:/bin"
    const complaint = complaintOf(program.command, program.directory, path)
    if (complaint !== undefined) throw new Error(complaint)
    const temporary = join(program.directory, ".tmp")
    await mkdir(temporary, { recursive: true, mode: 0o700 })
    return await start({
      command: wrapped(means, program.limits, [program.command, ...program.args]),
      directory: program.directory,
      environment: environmentOf(program, path, temporary),
      trait: { _tag: "Environment", entry: `FORUM_PLUGIN=${program.id}` },
      limits: program.limits,
      append: (lines) => Effect.runPromise(logs.append(program.id, lines)),
      afterwards: () => Effect.runPromise(logs.rotate(program.id))
    })
  }

  const failed = (error: unknown) => new PluginLaunchFailed({ message: reasonOf(error) })

  /** No two programs of a plugin use its directory. */
  const claim = (id: string) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        if (running.has(id)) return Effect.fail(new PluginLaunchFailed({ message: "It runs already" }))
        running.add(id)
        return Effect.void
      }),
      () => Effect.sync(() => running.delete(id))
    )

  return PluginProcesses.of({
    isolation: isolationBy(means),
    launch: Effect.fnUntraced(function* (program) {
      yield* claim(program.id)
      const { finished, pid, stop } = yield* Effect.acquireRelease(
        Effect.tryPromise({ try: () => begin(program), catch: failed }),
        (started) => Effect.promise(started.kill)
      )
      return { pid, exited: Effect.promise(() => finished), stop: Effect.promise(stop) }
    })
  })
})

export const layer = Layer.effect(PluginProcesses, make)
