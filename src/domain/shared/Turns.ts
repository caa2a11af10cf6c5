/** Bounded waiting by name: nobody waits for work under another name. */
import { Effect, Semaphore } from "effect"

export interface Bounds {
  /** How much work under one name runs at the same time. */
  readonly running: number
  /** How much of it may be present, running or waiting. */
  readonly present: number
}

interface Line {
  readonly turns: Semaphore.Semaphore
  present: number
}

/** Work under a name, when it has its turn. */
export type Turns<Full = never> = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Full, R>

/** Runs work under each name in the order in which it comes; beyond the bounds, `full` takes its place. */
export const makeTurns = <Full = never>(bounds: Bounds, full: Effect.Effect<never, Full>): Turns<Full> => {
  const lines = new Map<string, Line>()

  const enter = (name: string): Effect.Effect<Line, Full> =>
    Effect.suspend(() => {
      const line = lines.get(name) ?? { turns: Semaphore.makeUnsafe(bounds.running), present: 0 }
      if (line.present >= bounds.present) return full
      line.present += 1
      lines.set(name, line)
      return Effect.succeed(line)
    })

  const leave = (name: string, line: Line) =>
    Effect.sync(() => {
      line.present -= 1
      if (line.present === 0) lines.delete(name)
    })

  return (name, work) =>
    Effect.acquireUseRelease(
      enter(name),
      ({ turns }) => turns.withPermit(work),
      (line) => leave(name, line)
    )
}
