/** Tries what this machine lets the service do to keep plugins apart, and says what holds. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Holding, PluginIsolation } from "../../../domain/plugin/PluginProcesses.ts"
import { makeDirectory } from "../../../persistence/shared/makeDirectory.ts"
import { makeMachine, pathBoxed, pathOfService } from "./Machine.ts"
import type { Box, Machine } from "./Sandbox.ts"
import { giveTo, ranges } from "./Users.ts"
import { countsProcesses, limitArguments, type Means, userArguments, wrapped } from "./Wrapping.ts"

/** This machine, as plugins are started on it. */
export interface Host {
  readonly means: Means
  readonly machine: Machine
  readonly isolation: PluginIsolation
}

/** What a test does without. */
export type Without = "boxes" | "network" | "limits"

const tryMillis = 10_000

/** Runs a program of the system; answers why it failed, if it did. */
export const failureOf = ([file = "", ...args]: ReadonlyArray<string>): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { cwd: "/", env: { PATH: pathOfService() }, timeout: tryMillis, maxBuffer: 64 * 1024 }
    execFile(file, args, options, (error, _, complaint) => {
      if (error === null) resolve(undefined)
      else
        resolve(
          complaint.trim().split("\n")[0] || `${file} does not work here (${error.code ?? error.signal})`
        )
    })
  })

const works = async (command: ReadonlyArray<string>) => (await failureOf(command)) === undefined

const some = { memoryMegabytes: 64, diskMegabytes: 64, processes: 256, openFiles: 64, fileMegabytes: 64 }

const findUsers = async (isRoot: boolean) => {
  if (!isRoot) return undefined
  for (const range of ranges)
    if (await works(["setpriv", ...userArguments(range.first), "--", "true"])) return range
  return undefined
}

/** Starts a program that does nothing in a box; answers why that failed, if it did. */
const tryBox = async (means: Means, machine: Machine, within: string): Promise<string | undefined> => {
  const directory = await mkdtemp(join(within, "try-"))
  try {
    const temporary = join(directory, ".tmp")
    await mkdir(temporary)
    const uid = means.users?.first
    if (uid !== undefined) await giveTo(uid, directory)
    const box: Box = {
      uid: uid ?? 0,
      directory,
      temporary,
      network: means.boxes === "files and network",
      ports: [],
      path: pathBoxed()
    }
    return await failureOf(wrapped(means, machine, { command: ["true"], limits: some, uid, box }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const held = (because: string | undefined): Holding => (because === undefined ? "held" : { because })

const isolationOf = (
  means: Means,
  isRoot: boolean,
  reasons: { readonly boxes: string | undefined; readonly network: string | undefined }
): PluginIsolation => ({
  user: held(
    means.users !== undefined
      ? undefined
      : isRoot
        ? "root may not become another user here, so that no plugin is started"
        : "only root can give plugins users of their own"
  ),
  limits: held(
    !means.limits
      ? "prlimit of util-linux does not work here"
      : countsProcesses(means)
        ? undefined
        : "the number of processes has no limit, as those of the service would count"
  ),
  processes: held(reasons.boxes),
  files: held(reasons.boxes),
  network: held(reasons.boxes ?? reasons.network)
})

/** Looks at the machine. What is put together for plugins is put together in a directory of the service. */
export const findHost = async (dataDir: string, without: ReadonlyArray<Without> = []): Promise<Host> => {
  const isRoot = process.getuid?.() === 0
  const within = join(dataDir, "plugin-boxes")
  const root = join(within, "root")
  await makeDirectory(root, 0o700)
  const machine = makeMachine(root, dataDir)
  const [endsWithService, limits, users] = await Promise.all([
    works(["setpriv", "--pdeathsig", "KILL", "--no-new-privs", "--", "true"]),
    without.includes("limits") ? false : works(["prlimit", ...limitArguments(some, true), "--", "true"]),
    findUsers(isRoot)
  ])
  const unboxed: Means = { endsWithService, limits, users, boxes: "none", asUser: !isRoot }
  const withFiles: Means = { ...unboxed, boxes: "files" }
  const withNetwork: Means = { ...unboxed, boxes: "files and network" }

  const none = (boxes: string): Host => ({
    means: unboxed,
    machine,
    isolation: isolationOf(unboxed, isRoot, { boxes, network: undefined })
  })
  if (without.includes("boxes")) return none("left out")
  if (!endsWithService) return none("setpriv of util-linux does not work here")
  if (isRoot && users === undefined) return none("there is no user to run as")

  const network = without.includes("network") ? "left out" : await tryBox(withNetwork, machine, within)
  const boxes = network === undefined ? undefined : await tryBox(withFiles, machine, within)
  if (boxes !== undefined) return none(boxes)
  const means = network === undefined ? withNetwork : withFiles
  return { means, machine, isolation: isolationOf(means, isRoot, { boxes, network }) }
}
