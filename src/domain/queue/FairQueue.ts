/** A fair queue: work waits for one of few places, and free places go to the clients in turns. ARCHITECTURE.md has the words. */
import { Effect } from "effect"
import { type Line, makePlaces, type Work } from "./Places.ts"

export interface Bounds {
  /** How much work runs at the same time. */
  readonly running: number
  /** How much of the running work may be of a single client. */
  readonly runningPerClient: number
  /** How many may wait in a lane. In a full one, who has most waiting gives way to who has less. */
  readonly waiting: number
  /** How many a single client may have in a lane: running, waiting, or without the place that they have released. */
  readonly perClient: number
}

/** The patient wait for the urgent, but not for ever. A queue that needs one lane uses the urgent one. */
export type Lane = "urgent" | "patient"

/** Why there is no place: too much waits, or this client has all that it may have. */
export type NoPlace = "queue" | "client"

/** Runs what waits for the client itself, such as the rest of a body, without the place; afterwards it has one again. */
export type ReleasingPlaceWhile = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const nothing = () => {}

export const makeFairQueue = (bounds: Bounds) => {
  const places = makePlaces(bounds)

  /** Takes a place when it is the turn of its line. Only what has not begun has a refusal, and may have to give way. */
  const enter = <Refused = never>(
    work: Work,
    line: Line,
    refusal?: () => Effect.Effect<never, Refused>
  ): Effect.Effect<void, Refused> => {
    if (places.takeFree(work, line)) return Effect.void
    return Effect.callback<void, Refused>((resume) => {
      // What waits does not run within the work that leaves. Declared first for the reason that `InFlight` says.
      const begin = () => resume(Effect.yieldNow)
      const giveWay = refusal === undefined ? undefined : () => resume(refusal())
      work.begin = begin
      work.giveWay = giveWay
      places.wait(work, line)
    })
  }

  const releasing =
    (work: Work, line: Line): ReleasingPlaceWhile =>
    (wait) =>
      Effect.suspend(() => {
        places.release(work, line)
        return Effect.tap(wait, () => {
          places.resume(work)
          return enter(work, line)
        })
      })

  /** Runs work for a client when it has a place; `refuse` instead if there is none. */
  const run = <A, E, R, Refused>(
    client: string,
    work: (releasingPlaceWhile: ReleasingPlaceWhile) => Effect.Effect<A, E, R>,
    refuse: (reason: NoPlace) => Effect.Effect<never, Refused>,
    lane: Lane = "urgent"
  ): Effect.Effect<A, E | Refused, R> =>
    Effect.suspend(() => {
      const own: Work = {
        line: undefined,
        hasPlace: false,
        hasReleased: false,
        begin: nothing,
        giveWay: undefined
      }
      const inLine = Effect.suspend((): Effect.Effect<A, E | Refused, R> => {
        const line = places.arrive(own, client, lane)
        if (typeof line === "string") return refuse(line)
        return Effect.andThen(
          enter(own, line, () => refuse("queue")),
          work(releasing(own, line))
        )
      })
      return Effect.ensuring(
        inLine,
        Effect.sync(() => places.leave(own))
      )
    })

  return { run, present: places.present, waiting: places.waiting, clients: places.clients } as const
}

export type FairQueue = ReturnType<typeof makeFairQueue>
