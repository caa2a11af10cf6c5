/** Measures what a program uses, as the system limits that of each process alone, if at all. */
import { readdirSync, statSync } from "node:fs"
import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { PluginLimits } from "../../../domain/plugin/PluginProcesses.ts"
import type { Excess } from "./Ends.ts"
import { memoryOf, type Tree } from "./ProcessTree.ts"

const mebibyte = 1024 * 1024

// The blocks that the system counts in.
const block = 512

/** Each file and directory takes room beside its blocks, and time to be counted. */
const filesMax = 20_000

const memoryEvery = 500

// How many looks at the memory there are for one at the disk, at least.
const looksMin = 4

/** The bytes that a directory takes on the disk; infinitely many, if it has too many files. */
export const sizeOf = async (directory: string): Promise<number> => {
  let bytes = 0
  let files = 0
  const waiting = [directory]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await opendir(next).catch(() => undefined)
    if (entries === undefined) continue
    for await (const entry of entries) {
      if (++files > filesMax) return Number.POSITIVE_INFINITY
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * block
    }
  }
  return bytes
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
  while (!stop.aborted) {
    const ids = await tree.ids()
    if (memoryOf(ids) > limits.memoryMegabytes * mebibyte) return "memory"
    if (--untilDisk < 0) {
      const began = performance.now()
      const size = (await sizeOf(directory)) + sizeOfNameless(ids)
      if (size > limits.diskMegabytes * mebibyte) return "disk"
      // A twentieth of the time at most is for looking.
      untilDisk = Math.max(looksMin, Math.ceil(((performance.now() - began) * 20) / memoryEvery))
    }
    await setTimeout(memoryEvery, undefined, { signal: stop }).catch(() => {})
  }
  return undefined
}
