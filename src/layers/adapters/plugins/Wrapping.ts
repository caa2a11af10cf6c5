/** Which programs of the system start a plugin, so that it is kept from everything else. Pure. */
import type { PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"
import { type Box, type Machine, scriptOf } from "./Sandbox.ts"
import type { UserRange } from "./Users.ts"

/** What works on this machine. */
export interface Means {
  /** The system ends the program when the service has ended, in whatever way. */
  readonly endsWithService: boolean
  readonly limits: boolean
  /** The users that plugins run as; without them, they run as the user of the service. */
  readonly users: UserRange | undefined
  /** A part of the machine for each plugin, with or without a network of its own. */
  readonly boxes: "none" | "files" | "files and network"
  /** Whether the service needs a namespace of users to make one, as it is not root. */
  readonly asUser: boolean
}

const mebibyte = 1024 * 1024

// V8 reserves half a gigabyte for code as if it wrote there. So this bounds how fast a process grows, and the service
// ends what has grown too far.
const reservedMegabytes = 768

/** The system counts the processes of a user in a namespace; those of the service are not to be among them. */
export const countsProcesses = (means: Means): boolean => means.users !== undefined || means.boxes !== "none"

export const limitArguments = (limits: PluginLimits, withProcesses: boolean): ReadonlyArray<string> => [
  `--data=${(limits.memoryMegabytes + reservedMegabytes) * mebibyte}`,
  ...(withProcesses ? [`--nproc=${limits.processes}`] : []),
  `--nofile=${limits.openFiles}`,
  `--fsize=${limits.fileMegabytes * mebibyte}`,
  "--core=0"
]

/** Of a user without any right but those over its own files. The kernel forgets who is to end with whom at a change of users. */
export const userArguments = (uid: number | undefined): ReadonlyArray<string> => [
  ...(uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"]),
  "--no-new-privs"
]

const withoutRights = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]

const ending = ["--pdeathsig", "KILL"]

// Where memory is short, the kernel ends a plugin first; where processors are, it lets the service go before it.
const last = 'echo 1000 > /proc/self/oom_score_adj; exec nice -n 10 "$@"'

export const boxArguments = ({ asUser, boxes }: Means): ReadonlyArray<string> => [
  ...(asUser ? ["--user", "--map-root-user"] : []),
  ...["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"],
  ...(boxes === "files and network" ? ["--net"] : [])
]

export interface Wish {
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly limits: PluginLimits
  readonly uid: number | undefined
  readonly box: Box
}

type Command = readonly [string, ...ReadonlyArray<string>]

/** The whole command. */
export const wrapped = (means: Means, machine: Machine, { box, command, limits, uid }: Wish): Command => {
  const isBoxed = means.boxes !== "none"
  const limited = means.limits ? ["prlimit", ...limitArguments(limits, countsProcesses(means)), "--"] : []
  const rights = isBoxed || uid !== undefined ? withoutRights : []
  const own = means.endsWithService
    ? ["setpriv", ...userArguments(uid), ...rights, ...(isBoxed ? [] : ending), "--"]
    : []
  const early = means.endsWithService ? ["/bin/sh", "-c", last, "sh"] : []
  const outer = isBoxed
    ? [
        "setpriv",
        ...ending,
        "--",
        "unshare",
        ...boxArguments(means),
        "--",
        "/bin/sh",
        "-c",
        scriptOf(machine, box),
        "sh"
      ]
    : []
  const [file, ...args] = [...early, ...outer, ...limited, ...own, ...command]
  return [file ?? command[0], ...args]
}
