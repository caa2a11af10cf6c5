/** The end of a service: it becomes quiet, gives back its memory and stops. Others are attacked meanwhile. */
import { assert } from "vitest"
import { wait } from "./clients.ts"
import { print } from "./harness.ts"
import { memoryOf, type Target } from "./target.ts"

// Consumers and workers have what the attacks left to do, and memory is given back when the service is quiet.
const quietWithin = 90_000

/** By how many megabytes it may be larger than at the start. */
const grownBy = 60

export interface Ending {
  /** Its memory has returned. */
  readonly quiet: Promise<void>
  /** Answers the exit code. */
  readonly stop: () => Promise<number | null>
}

const untilMemoryReturns = async (part: string, target: Target, atStart: number) => {
  const end = performance.now() + quietWithin
  while (memoryOf(target) > atStart + grownBy && performance.now() < end) await wait(250)
  const now = memoryOf(target)
  print(`memory: ${Math.round(atStart)} MB at the start, ${Math.round(now)} MB at the end (${part})`)
  assert.isAtMost(now, atStart + grownBy)
}

export const endOf = (part: string, target: Target, atStart: number): Ending => {
  let stopped: Promise<number | null> | undefined
  const stop = () => {
    stopped ??= target.stop()
    return stopped
  }
  const quiet = untilMemoryReturns(part, target, atStart)
  // From here on it takes nothing from those that come next.
  quiet.then(stop, stop)
  return { quiet, stop }
}
