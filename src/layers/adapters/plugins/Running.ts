/** One program of a plugin from its start until nothing of it is left. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { Server, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { Predicate } from "effect"
import type { PluginEnd, PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"
import { serve } from "./Doors.ts"
import { type Excess, endByCode, endByExcess, endByShell, endBySignal } from "./Ends.ts"
import { makePace, readOutput } from "./Output.ts"
import { endAll, makeTree, signal, type Trait, type Tree } from "./ProcessTree.ts"
import { watch } from "./Watch.ts"

export interface Launch {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly trait: Trait
  /** Where the program finds the service in a network of its own, and who handles its connections. */
  readonly doors: ReadonlyArray<{ readonly port: number; readonly handle: (socket: Socket) => void }>
  readonly limits: PluginLimits
  readonly append: (lines: ReadonlyArray<string>) => Promise<void>
  /** Called when nothing of it is left. */
  readonly afterwards: () => Promise<void>
}

// What a program that was asked to end has to do it.
const graceMillis = 3000

// Until then everything of it is gone, or the system does not let it go.
const endMillis = 1500

const isBoxed = ({ trait }: Launch) => trait._tag === "Namespace"

const exitOf = (child: ChildProcess, launch: Launch) =>
  new Promise<PluginEnd>((resolve) => {
    child.once("exit", (code, name) => {
      if (name !== null) resolve(endBySignal(name))
      else resolve(isBoxed(launch) ? endByShell(code ?? 0) : endByCode(code ?? 0))
    })
  })

/** Accepts the connections of the plugin in its network, as soon as something there listens for the service. */
const openDoors = (child: ChildProcess, doors: Launch["doors"]) => {
  const closing: Array<() => void> = []
  child.on("message", (message, server) => {
    const door = doors.find(({ port }) => Predicate.hasProperty(message, "port") && message.port === port)
    if (!(server instanceof Server) || door === undefined) return
    closing.push(serve(server, door.handle))
    if (closing.length < doors.length) return
    // What has listened may end, and the plugin begin.
    child.send("taken", () => child.connected && child.disconnect())
  })
  return () => {
    for (const close of closing) close()
  }
}

/** The processes that a signal is for: not those that only keep the plugin apart. */
const addressees = async ({ first, members }: Tree) => {
  const found = await members()
  const inner = found.find(({ parent }) => parent === first)?.pid
  return found.filter(({ group, pid }) => group === first && pid !== first && pid !== inner)
}

const spawned = async (launch: Launch) => {
  const [file, ...args] = launch.command
  const child = spawn(file, args, {
    cwd: launch.directory,
    env: { ...launch.environment },
    // In a session and a group of its own, and with no open files but these.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", ...(launch.doors.length > 0 ? (["ipc"] as const) : [])]
  })
  const exit = exitOf(child, launch)
  const closeDoors = openDoors(child, launch.doors)
  await once(child, "spawn")
  const outputs = [child.stdout, child.stderr].filter((output) => output !== null)
  return { child, pid: child.pid ?? 0, exit, closeDoors, outputs }
}

/** Starts a program; rejects with the error of the system if that fails. */
export const start = async (launch: Launch) => {
  const { closeDoors, exit, outputs, pid } = await spawned(launch)
  const tree = makeTree(pid, launch.trait)
  const ended = new AbortController()
  let excess: Excess | undefined
  let isOver = false

  const pace = makePace()
  const read = Promise.all(outputs.map((output) => readOutput(output, pace, launch.append, ended.signal)))

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
    closeDoors()
    await Promise.race([read, setTimeout(1000, undefined, { ref: false })])
    for (const output of outputs) output.destroy()
    await read
    await launch.afterwards()
    return excess === undefined ? end : endByExcess(excess, launch.limits)
  })()

  const ask = async () => {
    if (isOver) return
    if (!tree.endsTogether) signal(-pid, "SIGINT")
    else for (const addressee of await addressees(tree)) signal(addressee.pid, "SIGINT")
  }

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
      await ask()
      await Promise.race([finished, setTimeout(graceMillis, undefined, { ref: false })])
      await kill()
      await finished
    }
  }
}
