/** One program of a plugin from its start until nothing of it is left. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout } from "node:timers/promises"
import type { PluginEnd, PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"
import { type Excess, endByCode, endByExcess, endBySignal } from "./Ends.ts"
import { makePace, readOutput } from "./Output.ts"
import { endAll, makeTree, signal, type Trait } from "./ProcessTree.ts"
import { watch } from "./Watch.ts"

export interface Launch {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly trait: Trait
  readonly limits: PluginLimits
  readonly append: (lines: ReadonlyArray<string>) => Promise<void>
  /** Called when nothing of it is left. */
  readonly afterwards: () => Promise<void>
}

// What a program that was asked to end has to do it.
const graceMillis = 3000

// Until then everything of it is gone, or the system does not let it go.
const endMillis = 1500

const exitOf = (child: ChildProcess) =>
  new Promise<PluginEnd>((resolve) => {
    child.once("exit", (code, name) => resolve(name === null ? endByCode(code ?? 0) : endBySignal(name)))
  })

/** Starts a program; rejects with the error of the system if that fails. */
export const start = async (launch: Launch) => {
  const [file, ...args] = launch.command
  const child = spawn(file, args, {
    cwd: launch.directory,
    env: { ...launch.environment },
    // In a session and a group of its own, and with no open files but these.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exit = exitOf(child)
  await once(child, "spawn")
  const pid = child.pid ?? 0
  const tree = makeTree(pid, launch.trait)
  const ended = new AbortController()
  let excess: Excess | undefined
  let isOver = false

  const pace = makePace()
  const outputs = Promise.all(
    [child.stdout, child.stderr].map((output) => readOutput(output, pace, launch.append, ended.signal))
  )

  // Afterwards, another program may have the id of its first process.
  const kill = async () => {
    if (!isOver) await endAll(tree, endMillis)
  }

  const watched = watch(tree, launch.directory, launch.limits, ended.signal).then((found) => {
    excess = found
    return found === undefined ? undefined : kill()
  })

  const finished = (async () => {
    const end = await exit
    ended.abort()
    await watched
    await kill()
    isOver = true
    await Promise.race([outputs, setTimeout(1000, undefined, { ref: false })])
    child.stdout.destroy()
    child.stderr.destroy()
    await outputs
    await launch.afterwards()
    return excess === undefined ? end : endByExcess(excess, launch.limits)
  })()

  return {
    pid,
    finished,
    /** Ends it at once, with all its processes. */
    kill: async () => {
      await kill()
      await finished
    },
    /** Asks it to end, and ends it if it does not. */
    stop: async () => {
      if (!isOver) signal(-pid, "SIGINT")
      await Promise.race([finished, setTimeout(graceMillis, undefined, { ref: false })])
      await kill()
      await finished
    }
  }
}
