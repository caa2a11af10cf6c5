/** Makes a backup in a process of its own: of low priority, with little memory, and ended with the service. */
import { type ChildProcess, spawn } from "node:child_process"
import { constants, setPriority } from "node:os"
import { fileURLToPath } from "node:url"
import { Context, Data, Duration, Effect } from "effect"

/** A backup was not made. The message is one line. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

/** What runs; a test may run something else. */
export const BackupProgram = Context.Reference("forum/layers/BackupProgram", {
  defaultValue: () => ({
    program: fileURLToPath(new URL("../../operator/main.ts", import.meta.url)),
    /** How long the process may take to end when it is told to. */
    endWithin: Duration.seconds(5)
  })
})

// Rows and files pass through in parts, which are not in this part of the memory.
const flags = ["--disable-warning=ExperimentalWarning", "--max-old-space-size=256"]

/** Of what it says, the end is kept. */
const saidMax = 4000

const isProgress = (line: string) => line.startsWith('{"step":')

/** What a process says on a stream, without lines that only tell how far it is. */
const listen = (stream: NodeJS.ReadableStream | null) => {
  let said = ""
  stream?.setEncoding("utf8")
  stream?.on("data", (text: string) => {
    said = (said + text).slice(-saidMax)
  })
  return () =>
    said
      .split("\n")
      .filter((line) => line.trim() !== "" && !isProgress(line))
      .join(" ")
}

const start = (program: string, args: ReadonlyArray<string>): ChildProcess => {
  const child = spawn(process.execPath, [...flags, program, ...args], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended, or this system has no priorities.
  }
  return child
}

export interface Said {
  /** What was done, in a sentence. */
  readonly output: string
  /** What else somebody should know. */
  readonly errors: string
}

/** Runs `forum backup` with these arguments. Where it is interrupted, the process cleans up and ends before. */
export const runBackup = (args: ReadonlyArray<string>): Effect.Effect<Said, BackupFailed> =>
  Effect.gen(function* () {
    const { endWithin, program } = yield* BackupProgram
    return yield* Effect.callback<Said, BackupFailed>((resume) => {
      const child = start(program, ["backup", ...args])
      const output = listen(child.stdout)
      const errors = listen(child.stderr)
      const fail = (message: string) => resume(Effect.fail(new BackupFailed({ message })))
      child.once("error", ({ message }) => fail(message))
      const ended = new Promise<void>((resolve) => {
        child.once("close", (code, signal) => {
          resolve()
          if (code === 0) return resume(Effect.succeed({ output: output(), errors: errors() }))
          fail(errors() || `The process ended with ${code ?? signal}`)
        })
      })
      return Effect.promise(async () => {
        const timer = setTimeout(() => child.kill("SIGKILL"), Duration.toMillis(endWithin))
        child.kill("SIGTERM")
        await ended
        clearTimeout(timer)
      })
    })
  })
