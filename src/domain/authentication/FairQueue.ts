/** Waiting for places of which there are few: bounded, in two lanes, and fair between those who ask. */
import { Effect } from "effect"
import { AuthenticationBusy } from "./Password.ts"

/** Sign-ups are work for people whom nobody knows yet: they wait for those who have an account. */
export type Lane = "sign-in" | "sign-up"

/** Who waits, and where. Those with the same name share their turns. */
export interface Asker {
  readonly lane: Lane
  readonly name: string
}

export interface Bounds {
  /** How much work runs at the same time. */
  readonly places: number
  /** How much may wait for one asker. */
  readonly perAsker: number
  /** How much may wait in a lane. */
  readonly perLane: number
}

interface Waiting {
  readonly asker: Asker
  readonly resume: (outcome: Effect.Effect<void, AuthenticationBusy>) => void
  state: "waiting" | "placed" | "refused"
}

// Sign-ins go first, but not for ever: after so many in a row, one sign-up that waits has its turn.
const signInsInARow = 4

const secondsToRetry = 2
export const busy = Effect.suspend(() =>
  Effect.fail(new AuthenticationBusy({ metadata: { retry_after: secondsToRetry } }))
)

/** What waits in a lane, by asker; the one whose turn is next comes first. */
class Line {
  readonly #byAsker = new Map<string, Array<Waiting>>()
  size = 0

  countOf({ name }: Asker): number {
    return this.#byAsker.get(name)?.length ?? 0
  }

  add(one: Waiting): void {
    const { name } = one.asker
    const own = this.#byAsker.get(name)
    if (own === undefined) this.#byAsker.set(name, [one])
    else own.push(one)
    this.size += 1
  }

  remove(one: Waiting): void {
    const { name } = one.asker
    const left = (this.#byAsker.get(name) ?? []).filter((other) => other !== one)
    if (left.length === 0) this.#byAsker.delete(name)
    else this.#byAsker.set(name, left)
    this.size -= 1
  }

  /** Takes the first of the asker whose turn it is, who then comes last. */
  next(): Waiting | undefined {
    const [first] = this.#byAsker
    if (first === undefined) return undefined
    const [name, [one, ...others]] = first
    this.#byAsker.delete(name)
    if (others.length > 0) this.#byAsker.set(name, others)
    this.size -= 1
    return one
  }

  /** What came last from the asker of whom most waits. */
  newestOfLongest(): Waiting | undefined {
    let longest: ReadonlyArray<Waiting> = []
    for (const own of this.#byAsker.values()) if (own.length > longest.length) longest = own
    return longest.at(-1)
  }
}

export const makeFairQueue = ({ perAsker, perLane, places }: Bounds) => {
  const lines: Readonly<Record<Lane, Line>> = { "sign-in": new Line(), "sign-up": new Line() }
  let running = 0
  let inARow = 0

  // Later, so that work which ends at once does not run inside the work before it.
  const tell = (one: Waiting, outcome: Effect.Effect<void, AuthenticationBusy>) =>
    queueMicrotask(() => one.resume(outcome))

  const nextSignUp = () => {
    inARow = 0
    return lines["sign-up"].next()
  }

  const next = (): Waiting | undefined => {
    if (lines["sign-up"].size === 0) return lines["sign-in"].next()
    if (inARow === signInsInARow || lines["sign-in"].size === 0) return nextSignUp()
    inARow += 1
    return lines["sign-in"].next()
  }

  const release = () => {
    const one = next()
    if (one === undefined) {
      running -= 1
      return
    }
    one.state = "placed"
    tell(one, Effect.void)
  }

  /** Lets it wait, if there is room. In a full lane, the newest of the asker with most gives way. */
  const admit = (one: Waiting): boolean => {
    const line = lines[one.asker.lane]
    const own = line.countOf(one.asker)
    if (own >= perAsker) return false
    if (line.size >= perLane) {
      const yielding = line.newestOfLongest()
      if (yielding === undefined || line.countOf(yielding.asker) <= own + 1) return false
      line.remove(yielding)
      yielding.state = "refused"
      tell(yielding, busy)
    }
    line.add(one)
    return true
  }

  const leave = (one: Waiting) => {
    if (one.state === "placed") release()
    if (one.state === "waiting") lines[one.asker.lane].remove(one)
  }

  const take = (asker: Asker) =>
    Effect.callback<void, AuthenticationBusy>((resume) => {
      if (running < places) {
        running += 1
        return resume(Effect.void)
      }
      const one: Waiting = { asker, resume, state: "waiting" }
      return admit(one) ? Effect.sync(() => leave(one)) : resume(busy)
    })

  /** Does the work when it has a place. What is interrupted before never begins, what has begun is completed. */
  const inPlace =
    (asker: Asker) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | AuthenticationBusy, R> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.andThen(restore(take(asker)), Effect.ensuring(work, Effect.sync(release)))
      )

  /** How much waits in a lane. */
  const waiting = (lane: Lane): number => lines[lane].size

  return { inPlace, waiting } as const
}
