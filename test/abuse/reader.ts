/** Somebody who reads a thread while others attack. */
import { fork } from "node:child_process"

interface Reads {
  /** How long each answer took, in milliseconds. */
  readonly latencies: ReadonlyArray<number>
  /** What was wrong with the others. */
  readonly failures: ReadonlyArray<string>
}

export interface Reader {
  readonly begin: () => void
  /** Answers the reads since it began. */
  readonly end: () => Promise<Reads>
  /** How long all reads took. */
  readonly all: ReadonlyArray<number>
  readonly leave: () => void
}

/** Starts the process of a reader of what is at this address. */
export const startReader = (address: string): Reader => {
  const child = fork(new URL("probe.ts", import.meta.url), [address])
  const all: Array<number> = []
  const left = new Promise<never>((_, reject) => {
    child.once("exit", () => reject(new Error("The reader ended")))
  })
  left.catch(() => {})
  return {
    begin: () => child.send("begin"),
    end: async () => {
      const answered = new Promise<Reads>((resolve) => {
        child.once("message", (reads: Reads) => resolve(reads))
      })
      child.send("end")
      const reads = await Promise.race([answered, left])
      all.push(...reads.latencies)
      return reads
    },
    all,
    leave: () => child.kill()
  }
}
