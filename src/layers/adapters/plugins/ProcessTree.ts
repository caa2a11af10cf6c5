/** The processes of this machine, and which of them belong to a program. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { setImmediate, setTimeout } from "node:timers/promises"

export interface Process {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** When it began; with the id, this is one process and no later one. */
  readonly began: string
}

// The system answers from memory, in microseconds, so that to wait for it costs more than to ask.
const textIn = (path: string) => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

// So many answers at a time delay no request.
const batch = 50

/** Reads what the system tells of a process. Its name, in parentheses, may contain anything. */
export const readStat = (text: string): Process | undefined => {
  const [pid] = text.split(" ", 1)
  const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const began = rest[15]
  if (pid === undefined || state === undefined || began === undefined) return undefined
  return {
    pid: Number(pid),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    began
  }
}

const everyProcess = async function* () {
  let read = 0
  for (const name of existsSync("/proc/self/stat") ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(name)) continue
    if (++read % batch === 0) await setImmediate()
    const process = readStat(textIn(`/proc/${name}/stat`))
    if (process !== undefined) yield process
  }
}

/** How a process is known that has left its parent, its group and its session. */
export type Trait =
  | { readonly _tag: "Namespace" }
  | { readonly _tag: "User"; readonly uid: number }
  | { readonly _tag: "Environment"; readonly entry: string }

const hasTrait = ({ pid }: Process, trait: Trait): boolean => {
  switch (trait._tag) {
    // All are below the first.
    case "Namespace":
      return false
    case "User":
      return new RegExp(`^Uid:.*\\t${trait.uid}\\b`, "m").test(textIn(`/proc/${pid}/status`))
    case "Environment":
      return textIn(`/proc/${pid}/environ`).split("\0").includes(trait.entry)
  }
}

const isAlive = ({ state }: Process) => state !== "Z" && state !== "X"

const tasksOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  tasksOf(pid).flatMap((task) =>
    textIn(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number)
  )

/** A process and all below it. It costs what they are, not what there is on the machine. */
const below = async (first: number): Promise<ReadonlyArray<number>> => {
  const found = [first]
  for (let at = 0; at < found.length; at++) {
    if (at % batch === batch - 1) await setImmediate()
    found.push(...childrenOf(found[at] ?? first))
  }
  return found
}

// The kernel may have been built without it.
const tellsChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`)

/**
 * A program by its first process, which leads a group and a session of its own. In a namespace of processes, that is
 * the one that made it; below is the first in there, with which the system ends all others.
 */
export const makeTree = (first: number, trait: Trait) => {
  let known = new Map<number, string>()

  /** What is alive of the program. */
  const members = async (): Promise<ReadonlyArray<Process>> => {
    const found = new Map<number, Process>()
    const others = new Set<Process>()
    for await (const process of everyProcess()) {
      const belongs =
        process.group === first ||
        process.session === first ||
        known.get(process.pid) === process.began ||
        hasTrait(process, trait)
      if (belongs) found.set(process.pid, process)
      else others.add(process)
    }
    for (let size = -1; size < found.size; ) {
      size = found.size
      for (const process of others) if (found.has(process.parent)) found.set(process.pid, process)
    }
    known = new Map([...found.values()].map(({ began, pid }) => [pid, began]))
    return [...found.values()].filter(isAlive)
  }

  const endsTogether = trait._tag === "Namespace"

  return {
    first,
    members,
    /** The ids of its processes while it runs. One that has just been forked may be missing. */
    ids: async (): Promise<ReadonlyArray<number>> =>
      endsTogether && tellsChildren ? await below(first) : (await members()).map(({ pid }) => pid),
    /** Whether the system ends all others with the process below the first. */
    endsTogether
  }
}

export type Tree = ReturnType<typeof makeTree>

/** Sends a signal; a process that has ended meanwhile gets none. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended, or may not be ended by this user.
  }
}

// So many times, what was forked while others were stopped is stopped as well.
const roundsMax = 20

/**
 * Ends all that is left of a program, and answers whether nothing is. All are stopped before any is ended, so that
 * none forks while others end.
 */
export const endAll = async ({ endsTogether, first, members }: Tree, within: number): Promise<boolean> => {
  if (!existsSync("/proc/self/stat")) {
    signal(-first, "SIGKILL")
    return true
  }
  const until = performance.now() + within
  for (let round = 0; performance.now() < until; round++) {
    const left = await members()
    if (left.length === 0) return true
    if (endsTogether) signal(-first, "SIGKILL")
    const running = left.filter(({ state }) => state !== "T" && state !== "t")
    if (running.length > 0 && round < roundsMax && !endsTogether)
      for (const { pid } of running) signal(pid, "SIGSTOP")
    else for (const { pid } of left) signal(pid, "SIGKILL")
    await setTimeout(2)
  }
  return (await members()).length === 0
}

const kibibytes = (status: string, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0)

/** The memory that processes hold of their own, in bytes. What is read from files, such as programs, does not count. */
export const memoryOf = (pids: ReadonlyArray<number>): number => {
  let sum = 0
  for (const pid of pids) {
    const status = textIn(`/proc/${pid}/status`)
    sum += kibibytes(status, "RssAnon") + kibibytes(status, "RssShmem") + kibibytes(status, "VmSwap")
  }
  return sum * 1024
}
