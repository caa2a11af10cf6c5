/** Which programs of the system start a plugin, so that it is kept from everything else. Pure. */
import type { PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"

/** What works on this machine. */
export interface Means {
  /** The system ends the program when the service has ended, in whatever way. */
  readonly endsWithService: boolean
  readonly limits: boolean
}

const mebibyte = 1024 * 1024

// V8 reserves half a gigabyte for code as if it wrote there. So this bounds how fast a process grows, and the service
// ends what has grown too far.
const reservedMegabytes = 768

export const limitArguments = (limits: PluginLimits): ReadonlyArray<string> => [
  `--data=${(limits.memoryMegabytes + reservedMegabytes) * mebibyte}`,
  `--nproc=${limits.processes}`,
  `--nofile=${limits.openFiles}`,
  `--fsize=${limits.fileMegabytes * mebibyte}`,
  "--core=0"
]

/** The whole command. */
export const wrapped = (
  means: Means,
  limits: PluginLimits,
  program: readonly [string, ...ReadonlyArray<string>]
): readonly [string, ...ReadonlyArray<string>] => {
  const wrappers = [
    ...(means.limits ? ["prlimit", ...limitArguments(limits), "--"] : []),
    ...(means.endsWithService ? ["setpriv", "--pdeathsig", "KILL", "--no-new-privs", "--"] : [])
  ]
  const [first, ...rest] = [...wrappers, ...program]
  return [first ?? program[0], ...rest]
}
