/** Measures what a program uses, as the system limits that of each process alone, if at all. */
import { lstatSync, opendirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Predicate } from "effect"
import type { PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"
import type { Excess } from "./Ends.ts"
import { memoryOf, type Tree } from "./ProcessTree.ts"

const mebibyte = 1024 * 1024

// The blocks that the system counts in.
const block = 512

/** Each file and directory takes room beside its blocks, and time to be counted. */
const filesMax = 20_000

// So many files at a time delay no request.
const batch = 100

const memoryEvery = 500

// How many looks at the memory there are for one at the disk, at least.
const looksMin = 4

const hasCode = (error: unknown, codes: ReadonlyArray<string>) =>
  Predicate.hasProperty(error, "code") && codes.some((code) => error.code === code)

/** What was asked for, unless it is gone. */
const unlessGone = <A>(ask: () => A): A | undefined => {
  try {
    return ask()
  } catch (error) {
    if (hasCode(error, ["ENOENT", "ENOTDIR"])) return undefined
    throw error
  }
}

/** Everything below a directory, with links as such. What is removed meanwhile is left out. */
const entriesOf = function* (directory: string) {
  const waiting = [directory]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = next
    const entries = unlessGone(() => opendirSync(path))
    if (entries === undefined) continue
    try {
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
        const below = join(path, entry.name)
        if (entry.isDirectory()) waiting.push(below)
        yield below
      }
    } finally {
      entries.closeSync()
    }
  }
}

/**
 * The bytes that a directory takes on the disk; infinitely many, if it has too many files, or some that the service
 * cannot count, as the plugin has closed them to everybody.
 */
export const sizeOf = async (directory: string): Promise<number> => {
  let bytes = 0
  let files = 0
  try {
    for (const path of entriesOf(directory)) {
      if (++files > filesMax) return Number.POSITIVE_INFINITY
      // To wait for each would take many times as long, in which more are made.
      if (files % batch === 0) await setImmediate()
      bytes += (unlessGone(() => lstatSync(path))?.blocks ?? 0) * block
    }
    return bytes
  } catch (error) {
    if (hasCode(error, ["EACCES", "EPERM"])) return Number.POSITIVE_INFINITY
    throw error
  }
}

/** The bytes of files that have no name any more, but are open. Files that exist in memory only are such, too. */
const sizeOfNameless = (pids: ReadonlyArray<number>): number => {
  const sizes = new Map<string, number>()
  for (const pid of pids) {
    try {
      for (const name of readdirSync(`/proc/${pid}/fd`)) {
        const file = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false })
        if (file?.isFile() && file.nlink === 0) sizes.set(`${file.dev} ${file.ino}`, file.blocks * block)
      }
    } catch {
      // It has ended meanwhile, or its files are closed to this user.
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** Watches a program, and answers what it used too much of; nothing, if it was told to stop before. */
export const watch = async (
  tree: Tree,
  directory: string,
  limits: PluginLimits,
  stop: AbortSignal
): Promise<Excess | undefined> => {
  let untilDisk = 0

  const look = async (): Promise<Excess | undefined> => {
    const ids = await tree.ids()
    if (memoryOf(ids) > limits.memoryMegabytes * mebibyte) return "memory"
    if (--untilDisk >= 0) return undefined
    const began = performance.now()
    const size = (await sizeOf(directory)) + sizeOfNameless(ids)
    // A twentieth of the time at most is for looking.
    untilDisk = Math.max(looksMin, Math.ceil(((performance.now() - began) * 20) / memoryEvery))
    return size > limits.diskMegabytes * mebibyte ? "disk" : undefined
  }

  while (!stop.aborted) {
    // What cannot be read at one moment can be at the next.
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await setTimeout(memoryEvery, undefined, { signal: stop }).catch(() => {})
  }
  return undefined
}
