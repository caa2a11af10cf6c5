/** A fair queue: work waits for one of few places, and free places go to the clients in turns. ARCHITECTURE.md has the words. */
import { Effect } from "effect"

export interface Bounds {
  /** How many run at the same time. */
  readonly running: number
  /** How many of those may be of a single client. */
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

// After so many turns of the urgent in a row, one of the patient who wait has its turn.
const urgentInARow = 4

/** What one client has in a lane. */
interface Line {
  readonly client: string
  readonly lane: Lines
  present: number
  running: number
  /** In the order in which it came. */
  readonly waiting: Set<Work>
  /** How many of those have not begun. */
  unbegun: number
}

/** The lines of a lane. */
interface Lines {
  readonly byClient: Map<string, Line>
  /** Those of which one may begin as soon as there is a place, in the order of their turns. */
  readonly next: Set<Line>
  waiting: number
}

interface Work {
  line: Line | undefined
  hasPlace: boolean
  hasReleased: boolean
  /** Continues what waits. */
  begin: () => void
  /** Refuses what waits and has not begun. */
  giveWay: (() => void) | undefined
}

const nothing = () => {}

const makeLines = (): Lines => ({ byClient: new Map(), next: new Set(), waiting: 0 })

const longestOf = ({ byClient }: Lines): Line | undefined => {
  let longest: Line | undefined
  for (const line of byClient.values()) if (line.unbegun > (longest?.unbegun ?? 0)) longest = line
  return longest
}

const newestOf = ({ waiting }: Line): Work | undefined => {
  let newest: Work | undefined
  for (const work of waiting) if (work.giveWay !== undefined) newest = work
  return newest
}

export const makeFairQueue = ({ perClient, running, runningPerClient, waiting }: Bounds) => {
  const lanes: Readonly<Record<Lane, Lines>> = { urgent: makeLines(), patient: makeLines() }
  let present = 0
  let free = running
  let inARow = 0

  const mayRun = (line: Line) => line.running < runningPerClient

  const take = (work: Work, line: Line) => {
    free -= 1
    line.running += 1
    work.hasPlace = true
  }

  const updateTurn = (line: Line) => {
    if (line.waiting.size > 0 && mayRun(line)) line.lane.next.add(line)
    else line.lane.next.delete(line)
  }

  const startWaiting = (work: Work, line: Line) => {
    line.waiting.add(work)
    line.lane.waiting += 1
    if (work.giveWay !== undefined) line.unbegun += 1
  }

  const stopWaiting = (work: Work, line: Line) => {
    if (!line.waiting.delete(work)) return
    line.lane.waiting -= 1
    if (work.giveWay !== undefined) line.unbegun -= 1
  }

  const lineInTurn = (): Line | undefined => {
    const [urgent] = lanes.urgent.next
    const [patient] = lanes.patient.next
    if (patient === undefined) return urgent
    const isUrgent = urgent !== undefined && inARow < urgentInARow
    inARow = isUrgent ? inARow + 1 : 0
    return isUrgent ? urgent : patient
  }

  const giveTurns = () => {
    while (free > 0) {
      const line = lineInTurn()
      const [work] = line?.waiting ?? []
      if (line === undefined || work === undefined) return
      stopWaiting(work, line)
      take(work, line)
      // Behind the others.
      line.lane.next.delete(line)
      updateTurn(line)
      work.begin()
    }
  }

  const giveBack = (work: Work, line: Line) => {
    work.hasPlace = false
    free += 1
    line.running -= 1
    updateTurn(line)
    giveTurns()
  }

  /** Takes a place when it is the turn of its line. Only what has not begun has a refusal, and may have to give way. */
  const enter = <Refused = never>(
    work: Work,
    line: Line,
    refusal?: () => Effect.Effect<never, Refused>
  ): Effect.Effect<void, Refused> => {
    if (free > 0 && mayRun(line)) {
      take(work, line)
      return Effect.void
    }
    return Effect.callback<void, Refused>((resume) => {
      // What waits does not run within the work that leaves. Declared first for the reason that `InFlight` says.
      const begin = () => resume(Effect.yieldNow)
      const giveWay = refusal === undefined ? undefined : () => resume(refusal())
      work.begin = begin
      work.giveWay = giveWay
      startWaiting(work, line)
      updateTurn(line)
      giveTurns()
    })
  }

  const leave = (work: Work) => {
    const { line } = work
    if (line === undefined) return
    work.line = undefined
    if (!work.hasReleased) present -= 1
    line.present -= 1
    if (line.present === 0) line.lane.byClient.delete(line.client)
    stopWaiting(work, line)
    updateTurn(line)
    if (work.hasPlace) giveBack(work, line)
  }

  /** Makes room for one more to wait in this line, at the cost of the one in which most wait. */
  const makeRoom = (line: Line): boolean => {
    const longest = longestOf(line.lane)
    if (longest === undefined || longest.unbegun <= line.unbegun + 1) return false
    const newest = newestOf(longest)
    if (newest === undefined) return false
    leave(newest)
    newest.giveWay?.()
    return true
  }

  const arrive = (work: Work, client: string, lane: Lines): Line | NoPlace => {
    const line = lane.byClient.get(client) ?? {
      client,
      lane,
      present: 0,
      running: 0,
      waiting: new Set(),
      unbegun: 0
    }
    if (line.present >= perClient) return "client"
    const mustWait = free <= 0 || !mayRun(line)
    if (mustWait && lane.waiting >= waiting && !makeRoom(line)) return "queue"
    lane.byClient.set(client, line)
    line.present += 1
    present += 1
    work.line = line
    return line
  }

  const releasing =
    (work: Work, line: Line): ReleasingPlaceWhile =>
    (wait) =>
      Effect.suspend(() => {
        work.hasReleased = true
        present -= 1
        giveBack(work, line)
        return Effect.tap(wait, () => {
          work.hasReleased = false
          present += 1
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
        const line = arrive(own, client, lanes[lane])
        if (typeof line === "string") return refuse(line)
        return Effect.andThen(
          enter(own, line, () => refuse("queue")),
          work(releasing(own, line))
        )
      })
      return Effect.ensuring(
        inLine,
        Effect.sync(() => leave(own))
      )
    })

  return {
    run,
    /** How many run or wait, without those that have released their place. */
    present: () => present,
    /** How many wait in a lane. */
    waiting: (lane: Lane) => lanes[lane].waiting,
    /** How many clients have a line. */
    clients: () => lanes.urgent.byClient.size + lanes.patient.byClient.size
  } as const
}

export type FairQueue = ReturnType<typeof makeFairQueue>
