/**
 * Places for work of many clients. Whoever waits has a line of their own, and free places go to the lines in turns:
 * a client waits for its own work, and for a share of that of others, however much that is.
 */
import { Effect } from "effect"

export interface Lane {
  /** How many run at the same time. */
  readonly running: number
  /** How many of those may be of a single client. */
  readonly runningPerClient: number
  /** How many more may wait for one of them to end. In a full lane, who has most waiting gives way to who has less. */
  readonly waiting: number
  /** How many of both a single client may have, and of those that have given up their place for now. */
  readonly perClient: number
}

/** Why there is no place: nobody gets one, or this client has all that it may have. */
export type NoPlace = "queue" | "client"

/** The work of one client. */
interface Line {
  readonly client: string
  present: number
  running: number
  readonly waiting: Set<Place>
  /** Those of them whose work has not begun. */
  readonly fresh: Set<Place>
}

interface Place {
  line: Line | undefined
  isTaken: boolean
  /** Whether it waits for its client, and counts for nobody else. */
  isGivenUp: boolean
  /** Continues the work of who waits. */
  begin: () => void
  /** Refuses the work of who waits to begin. */
  giveWay: () => void
}

const nothing = () => {}

const longestOf = (lines: Iterable<Line>): Line | undefined => {
  let longest: Line | undefined
  for (const line of lines) if (line.fresh.size > (longest?.fresh.size ?? 0)) longest = line
  return longest
}

const newestOf = (places: Iterable<Place>): Place | undefined => {
  let newest: Place | undefined
  for (const place of places) newest = place
  return newest
}

/** An effect that waits for the client gives up the place meanwhile. */
export type GivingUp = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const makePlaces = ({ perClient, running, runningPerClient, waiting }: Lane) => {
  const lines = new Map<string, Line>()
  // Those of which one may begin as soon as there is a place, in the order of their turns.
  const next = new Set<Line>()
  let admitted = 0
  let free = running

  const mayBegin = (line: Line) => line.running < runningPerClient

  const take = (place: Place, line: Line) => {
    free -= 1
    line.running += 1
    place.isTaken = true
  }

  const giveTurns = () => {
    for (const line of next) {
      if (free <= 0) return
      next.delete(line)
      const [place] = line.waiting
      if (place === undefined || !mayBegin(line)) continue
      line.waiting.delete(place)
      line.fresh.delete(place)
      take(place, line)
      // Behind the others.
      if (line.waiting.size > 0 && mayBegin(line)) next.add(line)
      place.begin()
    }
  }

  const giveBack = (place: Place, line: Line) => {
    place.isTaken = false
    free += 1
    line.running -= 1
    if (line.waiting.size > 0) next.add(line)
    giveTurns()
  }

  /** Takes a place, when it is the turn of its line. Only what has not begun may be told to give way. */
  const enter = <Refused = never>(
    place: Place,
    line: Line,
    refusal?: () => Effect.Effect<never, Refused>
  ): Effect.Effect<void, Refused> => {
    if (free > 0 && mayBegin(line)) {
      take(place, line)
      return Effect.void
    }
    return Effect.callback<void, Refused>((resume) => {
      // Who waits does not run within the work of who leaves. Declared first for the reason that `InFlight` says.
      const begin = () => resume(Effect.yieldNow)
      place.begin = begin
      line.waiting.add(place)
      if (refusal !== undefined) {
        const giveWay = () => resume(refusal())
        place.giveWay = giveWay
        line.fresh.add(place)
      }
      if (mayBegin(line)) next.add(line)
      giveTurns()
    })
  }

  const leave = (place: Place) => {
    const { line } = place
    if (line === undefined) return
    place.line = undefined
    if (!place.isGivenUp) admitted -= 1
    line.present -= 1
    if (line.present === 0) lines.delete(line.client)
    line.waiting.delete(place)
    line.fresh.delete(place)
    if (line.waiting.size === 0) next.delete(line)
    if (place.isTaken) giveBack(place, line)
  }

  /** Makes room for one more to wait in this line, at the cost of the one in which most wait. */
  const makeRoom = (line: Line): boolean => {
    const longest = longestOf(lines.values())
    if (longest === undefined || longest.fresh.size <= line.fresh.size + 1) return false
    const newest = newestOf(longest.fresh)
    if (newest === undefined) return false
    leave(newest)
    newest.giveWay()
    return true
  }

  const arrive = (place: Place, client: string): Line | NoPlace => {
    const line = lines.get(client) ?? {
      client,
      present: 0,
      running: 0,
      waiting: new Set(),
      fresh: new Set()
    }
    if (line.present >= perClient) return "client"
    if (admitted >= running + waiting && !makeRoom(line)) return "queue"
    lines.set(client, line)
    line.present += 1
    admitted += 1
    place.line = line
    return line
  }

  const giveUp = (place: Place, line: Line) => {
    place.isGivenUp = true
    admitted -= 1
    giveBack(place, line)
  }

  const comeBack = (place: Place, line: Line) => {
    place.isGivenUp = false
    admitted += 1
    return enter(place, line)
  }

  const givingUp =
    (place: Place, line: Line): GivingUp =>
    (wait) =>
      Effect.suspend(() => {
        giveUp(place, line)
        return Effect.tap(wait, () => comeBack(place, line))
      })

  /** Runs work when it has a place; `refuse` instead if there is none. */
  const admit = <A, E, R, Refused>(
    client: string,
    work: (givingUp: GivingUp) => Effect.Effect<A, E, R>,
    refuse: (reason: NoPlace) => Effect.Effect<never, Refused>
  ): Effect.Effect<A, E | Refused, R> =>
    Effect.suspend(() => {
      const place: Place = {
        line: undefined,
        isTaken: false,
        isGivenUp: false,
        begin: nothing,
        giveWay: nothing
      }
      const refused = () => refuse("queue")
      const run = Effect.suspend((): Effect.Effect<A, E | Refused, R> => {
        const line = arrive(place, client)
        if (typeof line === "string") return refuse(line)
        return Effect.andThen(enter(place, line, refused), work(givingUp(place, line)))
      })
      return Effect.ensuring(
        run,
        Effect.sync(() => leave(place))
      )
    })

  return {
    admit,
    /** How many run or wait, without those that have given up their place for now. */
    admitted: () => admitted,
    /** Of how many clients. */
    clients: () => lines.size
  } as const
}

export type Places = ReturnType<typeof makePlaces>
