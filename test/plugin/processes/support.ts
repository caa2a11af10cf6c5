/** Programs of plugins that run as processes of this machine, and what they leave. */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Stream } from "effect"
import { Dns } from "effect/net"
import { PluginLogs } from "../../../src/domain/plugin/PluginLogs.ts"
import type { PluginProgram } from "../../../src/domain/plugin/PluginProcesses.ts"
import type { Outside } from "../../../src/layers/adapters/plugins/Egress.ts"
import type { Without } from "../../../src/layers/adapters/plugins/Host.ts"
import * as LocalPluginProcesses from "../../../src/layers/adapters/plugins/LocalPluginProcesses.ts"
import * as PluginLogFiles from "../../../src/layers/adapters/plugins/PluginLogFiles.ts"
import { removeTree } from "../../../src/layers/adapters/plugins/removeTree.ts"

export const limits = {
  memoryMegabytes: 256,
  diskMegabytes: 32,
  processes: 64,
  openFiles: 256,
  fileMegabytes: 16
}

/**
 * An id that no other program of this machine has. Its user is made of it, and the system counts the processes of a user:
 * two of one user would take them from each other, also where they belong to tests that run beside this one.
 */
const newId = () => `${randomBytes(12).toString("hex").slice(0, 19)}0`

/** A text that no other command line of this machine has, to find the processes of one test by. It is a number of seconds. */
export const newMark = () => `1000.${randomBytes(6).readUIntBE(0, 6)}`

/** A directory that is removed with the scope. */
export const someDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-plugins-"))),
  (path) => Effect.promise(() => removeTree(path))
)

/** No name is known. */
export const nowhere: Outside = {
  names: {
    addressesOf: (hostname) =>
      Effect.fail(new Dns.DnsError({ reason: "NotFound", method: "resolve", hostname }))
  },
  opened: []
}

interface Options {
  readonly outside?: Outside
  readonly without?: ReadonlyArray<Without>
}

/** Starts programs of the corpus, with logs in a directory of their own. */
export const runnerWith = Effect.fnUntraced(function* ({ outside = nowhere, without = [] }: Options) {
  const root = yield* someDirectory
  // As DATA_DIR: users who may not read it may pass through.
  chmodSync(root, 0o711)
  const logs = PluginLogFiles.make(join(root, "logs"))
  const processes = yield* LocalPluginProcesses.make({ dataDir: root, outside, without }).pipe(
    Effect.provideService(PluginLogs, logs)
  )

  const prepare = (
    command: string,
    args: ReadonlyArray<string> = [],
    changes: Partial<PluginProgram> = {}
  ) => {
    const id = newId()
    const directory = join(root, "plugins", id)
    mkdirSync(directory, { recursive: true })
    cpSync(join(import.meta.dirname, "corpus"), directory, { recursive: true })
    return {
      id,
      directory,
      command,
      args,
      environment: {},
      limits,
      servicePort: 1,
      hosts: [],
      ...changes
    } satisfies PluginProgram
  }

  const launch = Effect.fnUntraced(function* (
    command: string,
    args: ReadonlyArray<string> = [],
    changes: Partial<PluginProgram> = {}
  ) {
    const program = prepare(command, args, changes)
    const running = yield* processes.launch(program)
    return { ...program, ...running }
  })

  /** The lines that a program has written until one of them is this one. */
  const linesUntil = (id: string, last: string) =>
    logs.follow(id).pipe(
      Stream.takeUntil((line) => line === last),
      Stream.runCollect,
      Effect.timeoutOrElse({
        duration: "20 seconds",
        orElse: () => Effect.die(new Error(`It did not write: ${last}`))
      })
    )

  /** All lines that a program has written, once it has ended. */
  const linesOf = (id: string) =>
    Effect.sync(() => {
      const directory = join(root, "logs", id)
      const numbers = readdirSync(directory)
        .map((name) => Number.parseInt(name, 10))
        .sort((a, b) => a - b)
      const text = numbers.map((number) => readFileSync(join(directory, `${number}.log`), "utf8")).join("")
      return text.split("\n").slice(0, -1)
    })

  return {
    root,
    logs,
    isolation: processes.isolation,
    prepare,
    processes,
    launch,
    linesUntil,
    linesOf
  } as const
})

/** With all that this machine has. */
export const runner = runnerWith({})

/** The processes whose command line contains a text. */
export const processesWith = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")
      return line.includes(text) ? [`${name} ${line}`] : []
    } catch {
      return []
    }
  })

/** Waits until processes are so many whose command line contains a text; fails if that does not come. */
export const untilProcesses = (text: string, isSo: (count: number) => boolean) =>
  Effect.repeat(
    Effect.delay(
      Effect.sync(() => processesWith(text).length),
      "20 millis"
    ),
    { until: isSo }
  ).pipe(
    Effect.timeoutOrElse({
      duration: "30 seconds",
      orElse: () => Effect.die(new Error(`With ${text}: ${processesWith(text).join(", ") || "nothing"}`))
    })
  )

/** Fails unless all processes end whose command line contains a text. */
export const checkNone = (text: string) => untilProcesses(text, (count) => count === 0)

/** Arguments of `unshare` for what an ordinary user runs. */
export const asUser = ["--user", "--map-user=12345", "--map-group=12345", "--"]

/** Lets an ordinary user start a program, and answers how it ended. */
export const endAsUser = (without: ReadonlyArray<Without>, ...program: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const starts = [process.execPath, join(import.meta.dirname, "ends-as-user.ts"), JSON.stringify(without)]
    const command = [...asUser, ...starts, ...program]
    const options = { encoding: "utf8", timeout: 60_000, killSignal: "SIGKILL" } as const
    const { stdout } = await promisify(execFile)("unshare", command, options)
    return stdout
  })
