/** One at a time, for each name: nobody waits for work under another name. */
import { Effect, Semaphore } from "effect"
import { busy } from "./FairQueue.ts"
import type { AuthenticationBusy } from "./Password.ts"

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  /** Those that wait, and the one whose turn it is. */
  present: number
}

/** Work takes turns by name; for one name, at most `waitingMax` wait. */
export const makeTurns = (waitingMax: number) => {
  const turns = new Map<string, Turn>()

  const turnOf = (name: string): Turn => {
    const known = turns.get(name)
    if (known !== undefined) return known
    const made = { semaphore: Semaphore.makeUnsafe(1), present: 0 }
    turns.set(name, made)
    return made
  }

  const leave = (name: string, turn: Turn) =>
    Effect.sync(() => {
      turn.present -= 1
      if (turn.present === 0) turns.delete(name)
    })

  const inTurn =
    (name: string) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | AuthenticationBusy, R> =>
      Effect.uninterruptibleMask((restore): Effect.Effect<A, E | AuthenticationBusy, R> => {
        const turn = turnOf(name)
        if (turn.present > waitingMax) return busy
        turn.present += 1
        return Effect.ensuring(restore(turn.semaphore.withPermit(work)), leave(name, turn))
      })

  return { inTurn } as const
}
