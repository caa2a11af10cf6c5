/** Who waits in a fair queue, and whose turn it is: all of it that happens at once, without effects. */
import type { Bounds, Lane, NoPlace } from "./FairQueue.ts"

// After so many turns of the urgent in a row, one of the patient who wait has its turn.
const urgentInARow = 4

/** What one client has in a lane. */
export interface Line {
  readonly client: string
  readonly lane: Lines
  present: number
  running: number
  /** The work that waits, in the order in which it came. */
  readonly waiting: Set<Work>
  /** How much of the waiting work has not begun. */
  unbegun: number
}

/** The lines of a lane. */
interface Lines {
  readonly byClient: Map<string, Line>
  /** The lines in which work may begin as soon as there is a place, in the order of their turns. */
  readonly next: Set<Line>
  /** How much work of one line may run. */
  readonly runningOfOne: number
  waiting: number
}

export interface Work {
  line: Line | undefined
  hasPlace: boolean
  hasReleased: boolean
  /** Continues what waits. */
  begin: () => void
  /** Refuses what waits and has not begun. */
  giveWay: (() => void) | undefined
}

const makeLines = (runningOfOne: number): Lines => ({
  byClient: new Map(),
  next: new Set(),
  runningOfOne,
  waiting: 0
})

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

/** What gives way so that one more may wait in this line: the newest of the line in which most wait. */
const givingWayTo = (line: Line): Work | undefined => {
  const longest = longestOf(line.lane)
  return longest === undefined || longest.unbegun <= line.unbegun + 1 ? undefined : newestOf(longest)
}

/** A line of one more client, before anything of it is present. */
const makeLine = (client: string, lane: Lines): Line => ({
  client,
  lane,
  present: 0,
  running: 0,
  waiting: new Set(),
  unbegun: 0
})

const mayRun = (line: Line) => line.running < line.lane.runningOfOne

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

/** The lines of both lanes, and the one of which it is the turn. */
const makeLanes = (runningOfOne: number) => {
  const lanes: Readonly<Record<Lane, Lines>> = {
    urgent: makeLines(runningOfOne),
    patient: makeLines(runningOfOne)
  }
  let inARow = 0

  const lineInTurn = (): Line | undefined => {
    const [urgent] = lanes.urgent.next
    const [patient] = lanes.patient.next
    if (patient === undefined) return urgent
    const isUrgent = urgent !== undefined && inARow < urgentInARow
    inARow = isUrgent ? inARow + 1 : 0
    return isUrgent ? urgent : patient
  }

  /** How many wait in a lane. */
  const waiting = (lane: Lane) => lanes[lane].waiting

  /** How many clients have a line. */
  const clients = () => lanes.urgent.byClient.size + lanes.patient.byClient.size

  return { lanes, lineInTurn, waiting, clients } as const
}

/** A number of places, and how many of them are free. */
const makeSupply = (places: number) => {
  let free = places
  const take = (work: Work, line: Line) => {
    free -= 1
    line.running += 1
    work.hasPlace = true
  }
  const putBack = (work: Work, line: Line) => {
    work.hasPlace = false
    free += 1
    line.running -= 1
  }
  return { isEmpty: () => free <= 0, take, putBack } as const
}

export const makePlaces = ({ perClient, running, runningPerClient, waiting }: Bounds) => {
  const { clients, lanes, lineInTurn, ...counts } = makeLanes(runningPerClient)
  const supply = makeSupply(running)
  let present = 0

  const giveTurns = () => {
    while (!supply.isEmpty()) {
      const line = lineInTurn()
      const [work] = line?.waiting ?? []
      if (line === undefined || work === undefined) return
      stopWaiting(work, line)
      supply.take(work, line)
      // Behind the others.
      line.lane.next.delete(line)
      updateTurn(line)
      work.begin()
    }
  }

  const giveBack = (work: Work, line: Line) => {
    supply.putBack(work, line)
    updateTurn(line)
    giveTurns()
  }

  /** Takes a place if there is one; answers whether the work has one now, or has to wait. */
  const takeFree = (work: Work, line: Line): boolean => {
    if (supply.isEmpty() || !mayRun(line)) return false
    supply.take(work, line)
    return true
  }

  /** Waits for a place: the work begins with its turn. */
  const wait = (work: Work, line: Line) => {
    startWaiting(work, line)
    updateTurn(line)
    giveTurns()
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
    const newest = givingWayTo(line)
    if (newest === undefined) return false
    leave(newest)
    newest.giveWay?.()
    return true
  }

  const arrive = (work: Work, client: string, name: Lane): Line | NoPlace => {
    const lane = lanes[name]
    const line = lane.byClient.get(client) ?? makeLine(client, lane)
    if (line.present >= perClient) return "client"
    const mustWait = supply.isEmpty() || !mayRun(line)
    if (mustWait && lane.waiting >= waiting && !makeRoom(line)) return "queue"
    lane.byClient.set(client, line)
    line.present += 1
    present += 1
    work.line = line
    return line
  }

  /** Gives the place of work back while it waits for its client. */
  const release = (work: Work, line: Line) => {
    work.hasReleased = true
    present -= 1
    giveBack(work, line)
  }

  /** Work that has released its place is present again, and needs one. */
  const resume = (work: Work) => {
    work.hasReleased = false
    present += 1
  }

  return {
    arrive,
    takeFree,
    wait,
    leave,
    release,
    resume,
    /** How many run or wait, without those that have released their place. */
    present: () => present,
    waiting: counts.waiting,
    clients
  } as const
}
