/** A forum of a test: the service over a PostgreSQL of its own, with what the test decides. */
import { Clock, Context, Duration, Effect, Fiber, Layer, References, Scope, Semaphore } from "effect"
import type { Upgrades } from "../layers/connections/BoundedServer.ts"
import type * as App from "../layers/wiring/App.ts"
import { makeBuilders } from "./Builders.ts"
import { type FaultState, type Faults, slowness } from "./Faults.ts"
import { makeGate } from "./Gate.ts"
import { makeMails, makeTexts } from "./Messages.ts"
import { makeRequests } from "./Requests.ts"
import { openPort } from "./Service.ts"
import { storesAfter } from "./Stores.ts"
import { makeWorld, type World } from "./World.ts"

export interface ForumOptions {
  /** What ids, tokens and codes are made from. Default: 1. */
  readonly seed?: number
  /** What time it is at the start. Default: the beginning of the year 2026. */
  readonly now?: string | number | Date
  /** The port that it takes on the address of this machine itself. Default: a free one. */
  readonly port?: number
  /** Other stores than those of the database, or some of them changed. */
  readonly stores?: typeof App.stores
  /** Other implementations of what the service asks for, in the place of those of the test. */
  readonly ports?: Layer.Layer<never>
}

const defaultNow = "2026-01-01T00:00:00Z"

/** Time passes in so many steps at most; what is due is done at each. */
const stepsMax = 60

/** Chores are done where more time passes than this. */
const choresAfter = Duration.toMillis("1 minute")

/** Plugins are connected with wherever they are switched on, which they are. */
const noUpgrades: Upgrades = { takes: () => false, take: () => {} }

/** The same, which tells of each connection. */
const telling = ({ take, takes }: Upgrades, tell: () => void): Upgrades => ({
  takes,
  take: (...given) => {
    tell()
    take(...given)
  }
})

const millisOf = (now: string | number | Date) => {
  const millis = new Date(now).getTime()
  if (Number.isNaN(millis)) throw new Error(`${String(now)} is no time`)
  return millis
}

const make = Effect.fnUntraced(function* (options: ForumOptions) {
  const { now = defaultNow, port: wished = 0, seed = 1 } = options
  const start = millisOf(now)
  const gate = makeGate()
  const faults: FaultState = { current: {} }
  const mails = makeMails(faults, gate.settle)
  const texts = makeTexts(faults, gate.settle)
  const requests = makeRequests(faults, gate)
  const port = yield* openPort(gate, wished)
  const builders = yield* makeBuilders(port.url, gate)
  const scope = yield* Effect.scope
  const newWorld = makeWorld(start, port, {
    seed,
    stores: options.stores ?? storesAfter(Effect.suspend(() => slowness(faults.current.database))),
    ports: options.ports ?? Layer.empty,
    mails: mails.transport,
    texts: texts.transport,
    outbound: requests.outbound
  }).pipe(Scope.provide(scope))

  // What the test provides may be used without a request.
  const isAlwaysUsed = options.ports !== undefined || options.stores !== undefined
  let isUsed = false

  const enter = (next: World) => {
    gate.use({
      answer: Effect.suspend(() => {
        isUsed = true
        return next.place.answer ?? Effect.die("nothing serves")
      }),
      now: next.now,
      settle: next.settle
    })
    const upgrades = telling(next.place.upgrades ?? noUpgrades, () => {
      isUsed = true
    })
    port.node.upgrading(upgrades)
    isUsed = isAlwaysUsed
    return next
  }

  let world = enter(yield* newWorld)
  // A reset goes over to another world, which is made or renewed beside the tests.
  let spare = yield* Effect.forkIn(newWorld, scope)

  const setFaults = Effect.fnUntraced(function* (changed: Faults) {
    const before = faults.current
    faults.current = { ...before, ...changed }
    const isAway = faults.current.database === "away"
    if (isAway === (before.database === "away")) return
    isUsed = true
    yield* world.allow(!isAway)
  })

  const resets = Semaphore.makeUnsafe(1)
  const noFaults: Faults = { database: undefined, mails: undefined, texts: undefined, outbound: undefined }

  const reset = Effect.gen(function* () {
    yield* port.endStreams
    yield* setFaults(noFaults)
    if (isUsed) {
      const used = world
      world = enter(yield* Fiber.join(spare))
      spare = yield* Effect.forkIn(Effect.as(used.renew, used), scope)
    }
    for (const { clear } of [mails, texts, requests]) clear()
    builders.forget()
  })

  const moveTo = Effect.fnUntraced(function* (target: number) {
    isUsed = true
    yield* gate.settle
    const from = world.now()
    const steps = Math.min(stepsMax, Math.ceil((target - from) / 1_000))
    for (let step = 1; step <= steps; step++) {
      yield* world.moveTo(Math.round(from + ((target - from) * step) / steps))
      yield* gate.settle
    }
    if (target - from >= choresAfter) yield* Effect.andThen(world.tidy, gate.settle)
  })

  const { forget: _, ...made } = builders
  return {
    /** Where the forum is: `http://127.0.0.1:` and a port that was free. */
    url: port.url.origin,
    ...made,
    clock: {
      /** What time it is in the forum. */
      now: () => Effect.sync(() => new Date(world.now())),
      /** Lets time pass: `"1 day"`. What becomes due in it is done, mails included. */
      advance: (duration: Duration.Input) => moveTo(world.now() + Duration.toMillis(duration)),
      /** Lets time pass until then, which must not be over. */
      set: (now: string | number | Date) =>
        Effect.suspend(() => {
          const target = millisOf(now)
          return target < world.now()
            ? Effect.die(new Error("Time does not go back; reset does"))
            : moveTo(target)
        })
    },
    mails: { next: mails.next, all: mails.all },
    texts: { next: texts.next, all: texts.all },
    outbound: { answer: requests.answer, requests: requests.requests },
    faults: {
      /** Lets something go wrong until it is set to `undefined`, cleared or reset. */
      set: setFaults,
      clear: () => setFaults(noFaults)
    },
    /** Waits until all that follows from requests is done: notifications, mails, deliveries. */
    settle: () => gate.settle,
    /** Makes the forum what it was after its start: nothing in it, the same time, the same ids to come. */
    reset: () => resets.withPermits(1)(gate.closed(reset, port.endAnswers))
  }
})

/** A forum whose operations are effects. */
export class Forum extends Context.Service<Forum, Effect.Success<ReturnType<typeof make>>>()(
  "forum/testing/Forum"
) {
  /** Runs a forum as long as the layer is used. */
  static readonly layer = (options: ForumOptions = {}) =>
    Layer.effect(Forum, make(options)).pipe(Layer.provide([quiet, realTime]))
}

/** The server of PostgreSQL starts by the clock on the wall, also in tests that have another one. */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** Tests say themselves what went wrong; a forum in them logs warnings only. */
const quiet = Layer.succeed(References.MinimumLogLevel, "Warn")
