/** What streams of changes cost, and how soon they tell. */
import { Effect } from "effect"
import { BenchFailure } from "./BenchFailure.ts"
import { drive, type Request } from "./load.ts"
import { cpuMicros, residentMegabytes } from "./processes.ts"
import { openReaders, type Readers } from "./streamClients.ts"

/** A service, and the requests by which somebody replies in its threads. */
export interface Streamed {
  readonly url: string
  readonly pid: number
  readonly replies: ReadonlyArray<Request>
}

export interface StreamFigures {
  /** By how many megabytes the process grew with 5,000 streams. */
  readonly megabytes: number
  /** Milliseconds from the request of a reply until all 5,000 are told of it, for each reply. */
  readonly toAll: ReadonlyArray<number>
  /** Milliseconds from the request of a reply until each of 100 is told of it, for each reply and each of them. */
  readonly toEach: ReadonlyArray<number>
  /** CPU time of the service a reply, in microseconds: without streams, with 1,000, by round. */
  readonly cpu: ReadonlyArray<{ readonly without: number; readonly with: number }>
}

const many = 5000
const several = 1000
const few = 100

const roundCount = 5

/** Sends a reply. */
const reply = ({ replies, url }: Streamed, n: number) =>
  Effect.tryPromise({
    try: async () => {
      const { path = "", ...init } = replies[n % replies.length] ?? {}
      const response = await fetch(`${url}${path}`, init)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`status ${response.status}`)
    },
    catch: (cause) => new BenchFailure({ message: `A reply: ${cause}` })
  })

/** Milliseconds from the request of a reply until each reader is told of one. */
const replyTold = Effect.fnUntraced(function* (target: Streamed, readers: Readers, n: number) {
  const start = performance.now()
  const told = readers.told("EventThreadReplyCreated")
  yield* reply(target, n)
  const times = yield* Effect.promise(() => told)
  return times.map((time) => time - start)
})

/** Does something until the process does not grow any more, for some seconds at least. */
const settledMegabytes = Effect.fnUntraced(function* (pid: number) {
  yield* Effect.sleep("5 seconds")
  return residentMegabytes(pid)
})

const measureMany = Effect.fnUntraced(function* (target: Streamed) {
  const before = yield* settledMegabytes(target.pid)
  const readers = yield* openReaders(target.url, many)
  const toAll: Array<number> = []
  for (let n = 0; n < 20; n++) {
    toAll.push(Math.max(...(yield* replyTold(target, readers, n))))
    yield* Effect.sleep("200 millis")
  }
  return { toAll, megabytes: (yield* settledMegabytes(target.pid)) - before }
}, Effect.scoped)

const measureFew = Effect.fnUntraced(function* (target: Streamed) {
  const readers = yield* openReaders(target.url, few)
  const toEach: Array<number> = []
  for (let n = 0; n < 100; n++) {
    toEach.push(...(yield* replyTold(target, readers, n)))
    yield* Effect.sleep("20 millis")
  }
  return toEach
}, Effect.scoped)

const cpuOfReplies = Effect.fnUntraced(function* ({ pid, replies, url }: Streamed, count: number) {
  const before = cpuMicros(pid)
  const { failures, requests } = yield* drive(url, { requests: replies }, { requests: count })
  if (failures.length > 0) return yield* new BenchFailure({ message: failures.join(", ") })
  // What is told of the last replies belongs to them.
  yield* Effect.sleep("1 second")
  return (cpuMicros(pid) - before) / requests
})

const measureCpu = Effect.fnUntraced(function* (target: Streamed, seconds: number) {
  const { perSecond } = yield* drive(target.url, { requests: target.replies }, { seconds })
  // Rounds of two seconds differed by a factor of two: garbage and compilation came in some and not in others.
  const count = Math.max(200, Math.round(perSecond * seconds))
  const without = cpuOfReplies(target, count)
  const beside = Effect.scoped(
    Effect.gen(function* () {
      const readers = yield* openReaders(target.url, several)
      const cpu = yield* without
      const [fewest = 0] = readers.counted()
      if (fewest < count) {
        return yield* new BenchFailure({ message: `A stream told ${fewest} changes of ${count} replies` })
      }
      return cpu
    })
  )
  const cpu: Array<{ readonly without: number; readonly with: number }> = []
  for (let round = 0; round < roundCount; round++) {
    // Every other round goes backwards, so that neither always comes first.
    if (round % 2 === 0) cpu.push({ without: yield* without, with: yield* beside })
    else cpu.push({ with: yield* beside, without: yield* without })
  }
  return cpu
})

export const measureStreams = Effect.fn("measureStreams")(function* (target: Streamed, seconds: number) {
  // What replies take is loaded and compiled.
  yield* drive(target.url, { requests: target.replies }, { seconds })
  const { megabytes, toAll } = yield* measureMany(target)
  const toEach = yield* measureFew(target)
  const cpu = yield* measureCpu(target, seconds)
  return { megabytes, toAll, toEach, cpu } satisfies StreamFigures
})
