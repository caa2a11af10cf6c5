/** The processes that the bench starts. Each ends with its scope, also after a failure or Ctrl-C. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { BenchFailure } from "./BenchFailure.ts"

export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly directory: string
  /** Added to the environment of the bench. */
  readonly env?: Readonly<Record<string, string>>
}

const commandOf = ({ args, command, directory, env = {} }: Program) =>
  ChildProcess.make(command, args, {
    cwd: directory,
    env: { ...env },
    extendEnv: true,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
    forceKillAfter: "30 seconds"
  })

/** Runs a program to its end, which must be a success. */
export const run = Effect.fn("run")(function* (program: Program) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const code = yield* spawner.exitCode(commandOf(program))
  if (code !== 0) {
    return yield* new BenchFailure({ message: `${program.command} ended with ${code}` })
  }
})

/** Asks the system for a TCP port that nobody listens on. */
export const freePort = Effect.callback<number>((resume) => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    probe.close(() => resume(Effect.succeed(port)))
  })
})

export interface Listening {
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start to its first answer. */
  readonly started: number
}

const answers = (url: string) =>
  Effect.promise(() =>
    fetch(url, { signal: AbortSignal.timeout(1000) }).then(
      (response) => response.ok,
      () => false
    )
  )

/** Starts a server on the port that its environment gets as `PORT`, and waits until `path` answers. */
export const listen = Effect.fn("listen")(function* (program: Program, path: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const port = yield* freePort
  const start = performance.now()
  const child = yield* spawner.spawn(
    commandOf({ ...program, env: { ...program.env, HOST: "127.0.0.1", PORT: String(port) } })
  )
  const url = `http://127.0.0.1:${port}`
  const failed = new BenchFailure({ message: `${program.command} ${program.args.join(" ")} does not answer` })
  const answered = Effect.gen(function* () {
    while (!(yield* answers(`${url}${path}`))) {
      if (!(yield* child.isRunning)) return yield* failed
      yield* Effect.sleep("5 millis")
    }
  })
  yield* Effect.timeoutOrElse(answered, { duration: "2 minutes", orElse: () => Effect.fail(failed) })
  return { url, pid: child.pid, started: performance.now() - start } satisfies Listening
})

const read = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // A thread or a process may end while the directory is read.
    return ""
  }
}

const threadsOf = (pid: number) => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** CPU time of a process so far, over all of its threads, in microseconds. */
export const cpuMicros = (pid: number): number =>
  threadsOf(pid).reduce(
    (sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1000,
    0
  )

/** Whether this system counts what the bench reads. */
export const countsCpu = (): boolean => cpuMicros(process.pid) > 0

export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
