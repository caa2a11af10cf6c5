/** The end of a service: it becomes quiet, keeps nothing of what happened and stops. Others are attacked meanwhile. */
import { assert } from "vitest"
import { wait } from "./clients.ts"
import { print } from "./harness.ts"
import type { Target } from "./target.ts"

// Consumers and workers have what the attacks left to do.
const quietWithin = 90_000

/** How many megabytes more than at the start it may keep. */
const grownBy = 60

export interface Ending {
  /** It keeps hardly more than at the start. */
  readonly quiet: Promise<void>
  /** Answers the exit code. */
  readonly stop: () => Promise<number | null>
}

const untilMemoryReturns = async (part: string, target: Target, atStart: number) => {
  const end = performance.now() + quietWithin
  let now = await target.inUse()
  while (now > atStart + grownBy && performance.now() < end) {
    await wait(1000)
    now = await target.inUse()
  }
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
