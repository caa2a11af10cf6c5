/** A whole run: databases, services, floors and scenarios. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BenchFailure } from "./BenchFailure.ts"
import { copy, prepare, tidy } from "./databases.ts"
import { floorTurns, startFloors } from "./floors.ts"
import { disturbances, interference } from "./interference.ts"
import type { Load } from "./load.ts"
import { countsCpu, residentMegabytes } from "./processes.ts"
import { type Measured, quietSeconds, type Results } from "./report.ts"
import { growing, replyTo, type Scenario, scenarios } from "./scenarios.ts"
import { Server } from "./server.ts"
import { checkout, type Side, serve, workingTree } from "./sides.ts"
import { rounds, type Target } from "./spans.ts"
import { settings as streamSettings } from "./streamClients.ts"
import { measureStreams } from "./streams.ts"

export interface Options {
  /** The commit to compare with; undefined measures the working tree alone. */
  readonly against: string | undefined
  readonly seconds: number
  /** Parts of the titles of what is measured; none measures everything. */
  readonly only: ReadonlyArray<string>
}

// Enough that a moment in which the machine is busy with something else decides nothing.
const roundCount = 5
const interferenceRounds = 3
const startCount = 5

/** A side with a database of its own. */
interface Contender {
  readonly side: Side
  readonly database: string
  readonly url: string
}

type Floors = Omit<Target, "name"> | undefined

/** What lets webhooks reach receivers on this machine. */
const receivers = { OUTBOUND_NETWORKS: "127.0.0.1/32" }

/** A side's service over its database; without caching it keeps nothing between requests. */
const startService = Effect.fnUntraced(function* ({ database, side, url }: Contender, caching: boolean) {
  const settings = { ...receivers, ...(caching ? {} : { CACHE_MEGABYTES: "0" }) }
  const { started, ...service } = yield* serve(side, url, settings)
  return { name: side.name, database, ...service } satisfies Target
})

const runAll = (statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )

/** What else can be chosen, besides the scenarios, by their titles. */
const interferenceTitle = "interference"
const startTitle = "start"
const streamsTitle = "streams"

const isChosen = ({ only }: Options, title: string) =>
  only.length === 0 || only.some((part) => title.includes(part))

const checkChoice = Effect.fnUntraced(function* (only: Options["only"]) {
  const titles = [...scenarios.map(({ title }) => title), interferenceTitle, startTitle, streamsTitle]
  const unknown = only.find((part) => !titles.some((title) => title.includes(part)))
  if (unknown === undefined) return
  return yield* new BenchFailure({ message: `--only: "${unknown}" is in none of:\n${titles.join("\n")}` })
})

/** Whether a side knows what a scenario asks for: an older commit may not. */
const knows = Effect.fnUntraced(function* ({ url }: Target, { requests }: Load) {
  const [any] = requests
  if (any === undefined || any.method !== undefined) return true
  const asked = Effect.promise(() => fetch(`${url}${any.path}`, { headers: { ...any.headers } }))
  return (yield* asked).status !== 404
})

const measureScenario = Effect.fn("measureScenario")(function* (
  scenario: Scenario,
  targets: ReadonlyArray<Target>,
  floors: Floors,
  seconds: number
) {
  const { within } = yield* Server
  const { before = [], gather, load, title } = scenario
  const others = floors === undefined ? [] : floorTurns(scenario, floors)
  const databases = new Set(
    [...targets, ...others.map(({ target }) => target)].map(({ database }) => database)
  )
  yield* Effect.forEach(databases, tidy, { discard: true })
  const loads = yield* Effect.forEach(targets, (target) =>
    Effect.map(load(target.url), (load) => ({ target, load }))
  )
  const known = yield* Effect.filter(loads, ({ load, target }) => knows(target, load))
  const turns = known.map((turn) => ({
    ...turn,
    ...(gather === undefined ? {} : { gather }),
    before: before.length === 0 ? Effect.void : within(turn.target.database)(runAll(before))
  }))
  const alone = turns.flatMap(({ before, load, target }) =>
    gather !== undefined && target.name === "ours"
      ? [{ target: { ...target, name: "alone" } as const, load, before }]
      : []
  )
  const measured = yield* rounds([...turns, ...alone, ...others], seconds, roundCount)
  yield* Effect.logInfo(`Measured: ${title}`)
  return { title, rounds: measured } satisfies Measured
})

const memoryOf = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>) {
  const busy = targets.map(({ pid }) => residentMegabytes(pid))
  yield* Effect.sleep(`${quietSeconds} seconds`)
  return targets.map(({ pid }, n) => ({ busy: busy[n] ?? Number.NaN, quiet: residentMegabytes(pid) }))
})

/** All scenarios for services with the default settings, or for services that keep nothing between requests. */
const measureServices = Effect.fn("measureServices")(function* (
  contenders: ReadonlyArray<Contender>,
  caching: boolean,
  floors: Floors,
  options: Options
) {
  const { seconds } = options
  const chosen = scenarios.filter(
    (scenario) => scenario.caching === caching && isChosen(options, scenario.title)
  )
  const isInterfering = isChosen(options, interferenceTitle)
  if (chosen.length === 0 && !isInterfering) return { measured: [], interference: [], memory: [] }
  const targets = yield* Effect.forEach(contenders, (contender) => startService(contender, caching))
  const measured = yield* Effect.forEach(chosen, (scenario) =>
    measureScenario(scenario, targets, floors, seconds)
  )
  const interfered = yield* Effect.forEach(isInterfering ? disturbances : [], ({ others, title }) =>
    Effect.map(interference(targets, others, seconds, interferenceRounds), (rounds) => ({ title, rounds }))
  )
  return {
    measured,
    interference: interfered.flatMap(({ rounds, title }) =>
      targets.map(({ name }, n) => ({
        title,
        name,
        caching,
        rounds: rounds.flatMap((round) => round[n] ?? [])
      }))
    ),
    memory: caching ? yield* memoryOf(targets) : []
  }
}, Effect.scoped)

/** Milliseconds from the start of a service to its first answer, several times, by turns. */
const measureStarts = Effect.fn("measureStarts")(function* (contenders: ReadonlyArray<Contender>) {
  const rounds = yield* Effect.replicateEffect(
    Effect.forEach(contenders, ({ side, url }) =>
      Effect.scoped(Effect.map(serve(side, url), ({ started }) => started))
    ),
    startCount
  )
  return contenders.map((_, n) => rounds.flatMap((round) => round[n] ?? []))
})

/** What streams of changes cost a service of its own, which may have as many. */
const measureStreamsOf = Effect.fnUntraced(function* ({ side, url: database }: Contender, seconds: number) {
  const { pid, url } = yield* serve(side, database, streamSettings)
  const figures = yield* measureStreams({ url, pid, replies: growing.map(replyTo) }, seconds)
  return { name: side.name, ...figures }
}, Effect.scoped)

/** The sides of a run. Fails, before anything is started, if the options make no sense. */
export const sidesOf = Effect.fn("sidesOf")(function* ({ against, only }: Options) {
  yield* checkChoice(only)
  if (!countsCpu())
    return yield* new BenchFailure({ message: "The bench needs Linux: /proc/<pid>/schedstat" })
  return against === undefined ? [workingTree] : [workingTree, yield* checkout(against)]
})

export const measure = Effect.fn("measure")(function* (sides: ReadonlyArray<Side>, options: Options) {
  yield* prepare(sides)
  const contenders = yield* Effect.forEach(sides, (side) =>
    Effect.map(copy(side, side.name), (database) => ({ side, ...database }))
  )
  const wantsFloors = scenarios.some(
    ({ floor, plain, title }) => isChosen(options, title) && (floor !== undefined || plain !== undefined)
  )
  const floors = wantsFloors ? yield* startFloors(yield* copy(workingTree, "floor")) : undefined
  const uncached = yield* measureServices(contenders, false, floors, options)
  const cached = yield* measureServices(contenders, true, floors, options)
  const starts = isChosen(options, startTitle) ? yield* measureStarts(contenders) : []
  const streams = yield* Effect.forEach(isChosen(options, streamsTitle) ? contenders : [], (contender) =>
    measureStreamsOf(contender, options.seconds)
  )
  const measured = [...uncached.measured, ...cached.measured]
  return {
    measured: scenarios.flatMap(({ title }) => measured.find((one) => one.title === title) ?? []),
    interference: [...uncached.interference, ...cached.interference],
    streams,
    processes: sides.map(({ name }, n) => ({
      name,
      starts: starts[n] ?? [],
      residentMegabytes: cached.memory[n]
    }))
  } satisfies Results
})
