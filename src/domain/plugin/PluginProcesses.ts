/** Programs of plugins, which run on this machine as processes of their own, kept from the service and from each other. */
import { Context, Data, type Effect, type Scope } from "effect"

export interface PluginLimits {
  /** Of all processes of the plugin together. */
  readonly memoryMegabytes: number
  /** Of the directory of the plugin, what is unpacked there included. */
  readonly diskMegabytes: number
  /** Processes and threads. */
  readonly processes: number
  /** Of each process. */
  readonly openFiles: number
  /** The longest file. */
  readonly fileMegabytes: number
}

export interface PluginProgram {
  /** Of the installation: no two programs of one run at a time. */
  readonly id: string
  /** Where the package is unpacked, an absolute path. The program may write there, and nowhere else. */
  readonly directory: string
  /** A path within the directory, or a name that is looked for in PATH. No shell reads it. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** What the program finds beside PATH, HOME, TMPDIR, LANG and what leads it to `hosts`. */
  readonly environment: Readonly<Record<string, string>>
  readonly limits: PluginLimits
  /** The port at which the service listens. The program reaches the service at this port of 127.0.0.1. */
  readonly servicePort: number
  /** The address of this machine at which the service listens, unless that is 127.0.0.1. */
  readonly serviceHost?: string
  /** The names of hosts on the internet that it may reach, in lower case. */
  readonly hosts: ReadonlyArray<string>
}

/** How a program ended. What is beyond its memory or its disk is ended by the service. */
export interface PluginEnd {
  readonly reason: "exit" | "signal" | "memory" | "disk"
  readonly code?: number
  readonly signal?: string
  /** In words: "exit status 42", "signal: killed". */
  readonly text: string
}

export interface RunningPlugin {
  /** Of the process that the service started; others may be below it. */
  readonly pid: number
  /** Answers when nothing of the program is left. */
  readonly exited: Effect.Effect<PluginEnd>
  /** Asks it to end (SIGINT), ends it three seconds later, and answers when nothing of it is left, within five seconds. */
  readonly stop: Effect.Effect<void>
}

/** The program was not started: it is not there, may not be run, or cannot be kept from the service. */
export class PluginLaunchFailed extends Data.TaggedError("PluginLaunchFailed")<{
  readonly message: string
}> {}

/** What holds on this machine, or why it does not. */
export type Holding = "held" | { readonly because: string }

/** What keeps programs from the service and the machine, as it was tried when the service started. */
export interface PluginIsolation {
  /** Each plugin runs as a user of its own. */
  readonly user: Holding
  /** The system limits memory, processes, open files and the length of files of each. */
  readonly limits: Holding
  /** A program sees and ends its own processes only, and ends with all of them. */
  readonly processes: Holding
  /** A program sees its own directory and the programs of the system, and nothing else of the disk. */
  readonly files: Holding
  /** A program reaches the service and the hosts it may reach, and nothing else. */
  readonly network: Holding
}

export class PluginProcesses extends Context.Service<
  PluginProcesses,
  {
    /** Tried when it is first asked for. */
    readonly isolation: Effect.Effect<PluginIsolation>
    /** Starts a program. When the scope closes, it is ended at once, with all its processes. */
    readonly launch: (program: PluginProgram) => Effect.Effect<RunningPlugin, PluginLaunchFailed, Scope.Scope>
  }
>()("forum/domain/PluginProcesses") {}
