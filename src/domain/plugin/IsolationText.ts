/** What keeps plugins from the service and the machine, in words for operators. Pure. */
import type { Holding, PluginIsolation } from "./PluginProcesses.ts"

const words: ReadonlyArray<readonly [keyof PluginIsolation, string]> = [
  ["user", "users of their own"],
  ["limits", "limits of memory, processes and files"],
  ["processes", "processes of their own"],
  ["files", "a disk with nothing of the service"],
  ["network", "a network with nothing but the service and what they may reach"]
]

const reasonOf = (holding: Holding) => (holding === "held" ? undefined : holding.because)

export interface IsolationText {
  readonly held: ReadonlyArray<string>
  /** What does not hold, and why. */
  readonly missing: ReadonlyArray<string>
}

export const describeIsolation = (isolation: PluginIsolation): IsolationText => {
  const found = words.map(([name, text]) => ({ text, because: reasonOf(isolation[name]) }))
  return {
    held: found.filter(({ because }) => because === undefined).map(({ text }) => text),
    missing: found.flatMap(({ because, text }) => (because === undefined ? [] : [`${text} (${because})`]))
  }
}

/** Whether plugins are kept from the service and from each other; namespaces keep those of one user apart as well. */
export const isKept = ({ user: _, ...others }: PluginIsolation): boolean =>
  Object.values(others).every((holding) => holding === "held")
