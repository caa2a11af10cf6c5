/** Chance that follows from a seed, so that a run can be repeated as far as the machine lets it. */
export interface Chance {
  /** A number from 0 up to 1. */
  readonly next: () => number
  /** A whole number below another. */
  readonly below: (end: number) => number
  /** One of these; undefined if there is none. */
  readonly of: <A>(items: ReadonlyArray<A>) => A | undefined
  /** One of these, each as often as its weight says. */
  readonly weighed: <const A>(choices: ReadonlyArray<readonly [weight: number, A]>) => A
}

/** The generator Mulberry32. */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    of: (items) => items[below(items.length)],
    weighed: (choices) => {
      const whole = choices.reduce((sum, [weight]) => sum + weight, 0)
      let left = next() * whole
      for (const [weight, choice] of choices) {
        left -= weight
        if (left < 0) return choice
      }
      throw new Error("There is nothing to choose")
    }
  }
}
