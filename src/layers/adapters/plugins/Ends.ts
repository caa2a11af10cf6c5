/** How a program ended, in words. Pure. */
import { constants } from "node:os"
import type { PluginEnd, PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"

// As programs of the command line tell of them.
const words: Readonly<Record<string, string>> = {
  SIGABRT: "aborted",
  SIGALRM: "alarm clock",
  SIGBUS: "bus error",
  SIGFPE: "floating point exception",
  SIGHUP: "hangup",
  SIGILL: "illegal instruction",
  SIGINT: "interrupt",
  SIGKILL: "killed",
  SIGPIPE: "broken pipe",
  SIGQUIT: "quit",
  SIGSEGV: "segmentation fault",
  SIGSYS: "bad system call",
  SIGTERM: "terminated",
  SIGTRAP: "trace/breakpoint trap",
  SIGXCPU: "CPU time limit exceeded",
  SIGXFSZ: "file size limit exceeded"
}

export const endBySignal = (signal: string): PluginEnd => ({
  reason: "signal",
  signal,
  text: `signal: ${words[signal] ?? signal}`
})

export const endByCode = (code: number): PluginEnd => ({ reason: "exit", code, text: `exit status ${code}` })

// A shell tells of a signal by its number beyond this one.
const signalsFrom = 128

/** The first process in a namespace is a shell, which ends with the code of the plugin, or tells of a signal. */
export const endByShell = (code: number): PluginEnd => {
  const name = Object.entries(constants.signals).find(([, number]) => number === code - signalsFrom)?.[0]
  return name === undefined ? endByCode(code) : endBySignal(name)
}

/** What the service ends a program for. */
export type Excess = "memory" | "disk"

export const endByExcess = (excess: Excess, limits: PluginLimits): PluginEnd => ({
  reason: excess,
  signal: "SIGKILL",
  text:
    excess === "memory"
      ? `it used more than ${limits.memoryMegabytes} MiB of memory`
      : `its files used more than ${limits.diskMegabytes} MiB, or were too many`
})
