/** The tables that a run prints. */
import type { Told } from "./audiences.ts"
import { compare, type Figure, meanOf, median, medianOf, type Ratio, ratioOf } from "./figures.ts"
import type { Interference } from "./interference.ts"
import type { Round, TargetName } from "./spans.ts"
import type { StreamFigures } from "./streams.ts"

export interface Measured {
  readonly title: string
  readonly rounds: ReadonlyArray<Round>
}

/** Seconds without requests before memory is read again. */
export const quietSeconds = 30

/** The figures of a service as a process. */
export interface Process {
  readonly name: string
  /** Milliseconds from its start to its first answer, of several starts. */
  readonly starts: ReadonlyArray<number>
  /** Right after the scenarios, and after a time without requests. */
  readonly residentMegabytes: { readonly busy: number; readonly quiet: number } | undefined
}

export interface Results {
  readonly measured: ReadonlyArray<Measured>
  readonly interference: ReadonlyArray<{
    /** What others do meanwhile. */
    readonly title: string
    readonly name: string
    /** Whether the service may keep in memory what has not changed. */
    readonly caching: boolean
    readonly rounds: ReadonlyArray<Interference>
  }>
  readonly streams: ReadonlyArray<StreamFigures & { readonly name: string }>
  readonly processes: ReadonlyArray<Process>
}

const shown = (value: number | undefined, digits = 0) => value?.toFixed(digits) ?? ""

const ratio = (value: Ratio | undefined) =>
  value === undefined ? "" : `${value.median.toFixed(2)} (${value.min.toFixed(2)}–${value.max.toFixed(2)})`

/** The lines of a table; none without rows. */
const table = (
  title: string,
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0))
  )
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
      )
      .join("  ")
  return ["", title, line(headings), ...rows.map(line)]
}

const throughput: Figure = ({ perSecond }) => perSecond
const serviceCpu: Figure = ({ service }) => service
const databaseCpu: Figure = ({ databaseCpu }) => databaseCpu
const allCpu: Figure = ({ databaseCpu, service }) => service + databaseCpu
const p50: Figure = ({ p50 }) => p50
const p99: Figure = ({ p99 }) => p99

const sides: ReadonlyArray<TargetName> = ["ours", "theirs"]

const requests = (measured: ReadonlyArray<Measured>) =>
  table(
    "Requests",
    ["", "side", "req/s", "p50 ms", "p99 ms", "service µs", "database µs", "statements"],
    measured.flatMap(({ rounds, title }) =>
      sides
        .filter((side) => rounds.some((round) => round[side] !== undefined))
        .map((side) => [
          title,
          side,
          shown(medianOf(rounds, side, throughput)),
          shown(medianOf(rounds, side, p50), 1),
          shown(medianOf(rounds, side, p99), 1),
          shown(meanOf(rounds, side, serviceCpu)),
          shown(meanOf(rounds, side, databaseCpu)),
          shown(
            meanOf(rounds, side, ({ statements }) => statements),
            1
          )
        ])
    )
  )

/** The ratio of the means, then that of the rounds. */
const cpuRatio = (rounds: ReadonlyArray<Round>, above: TargetName, below: TargetName, figure: Figure) => {
  const [one, other] = [meanOf(rounds, above, figure), meanOf(rounds, below, figure)]
  if (one === undefined || other === undefined) return ["", ""]
  return [shown(one / other, 2), ratio(compare(rounds, above, below, figure))]
}

const comparison = (measured: ReadonlyArray<Measured>) =>
  table(
    "Ours / theirs: of all requests, and as the median of the rounds (min–max)",
    ["", "throughput", "p99", "service CPU", "by round", "database CPU", "by round"],
    measured
      .filter(({ rounds }) => rounds.some(({ theirs }) => theirs !== undefined))
      .map(({ rounds, title }) => [
        title,
        ratio(compare(rounds, "ours", "theirs", throughput)),
        ratio(compare(rounds, "ours", "theirs", p99)),
        ...cpuRatio(rounds, "ours", "theirs", serviceCpu),
        ...cpuRatio(rounds, "ours", "theirs", databaseCpu)
      ])
  )

const floors = (measured: ReadonlyArray<Measured>) => {
  const against = (rounds: ReadonlyArray<Round>, floor: TargetName) => [
    shown(medianOf(rounds, floor, throughput)),
    ratio(compare(rounds, "ours", floor, throughput)),
    ...cpuRatio(rounds, "ours", floor, allCpu).slice(0, 1)
  ]
  return table(
    "Ours / floor: throughput, and CPU of service and database together",
    ["", "recorded req/s", "throughput", "CPU", "by hand req/s", "throughput", "CPU"],
    measured
      .filter(({ rounds }) => rounds.some((round) => round["by hand"] !== undefined))
      .map(({ rounds, title }) => [title, ...against(rounds, "recorded"), ...against(rounds, "by hand")])
  )
}

const budgets = (measured: ReadonlyArray<Measured>) =>
  table(
    "Database CPU of a page / of the plain select of its main rows (the budget is 3)",
    ["", "plain µs", "ours µs", "ours / plain", "by round", "theirs / plain", "by round"],
    measured
      .filter(({ rounds }) => rounds.some(({ plain }) => plain !== undefined))
      .map(({ rounds, title }) => [
        title,
        shown(meanOf(rounds, "plain", databaseCpu)),
        shown(meanOf(rounds, "ours", databaseCpu)),
        ...cpuRatio(rounds, "ours", "plain", databaseCpu),
        ...cpuRatio(rounds, "theirs", "plain", databaseCpu)
      ])
  )

const audiences = (measured: ReadonlyArray<Measured>) => {
  const waited =
    (of: keyof Told): Figure =>
    ({ told }) =>
      told?.[of] ?? Number.NaN
  return table(
    "While others are told of it / while nobody is: CPU, of all requests and by round; and from its commit until all are told",
    ["", "side", "p50 ms", "p99 ms", "service CPU", "by round", "database CPU", "by round"],
    measured
      .filter(({ rounds }) => rounds.some(({ alone }) => alone !== undefined))
      .flatMap(({ rounds, title }) =>
        sides
          .filter((side) => rounds.some((round) => round[side] !== undefined))
          .map((side) => [
            title,
            side,
            shown(medianOf(rounds, side, waited("p50")), 1),
            shown(medianOf(rounds, side, waited("p99")), 1),
            ...cpuRatio(rounds, side, "alone", serviceCpu),
            ...cpuRatio(rounds, side, "alone", databaseCpu)
          ])
      )
  )
}

const interferences = (results: Results["interference"]) =>
  table(
    "Thread pages while others ...",
    [
      "",
      "pages",
      "side",
      "quiet p99 ms",
      "loaded p99 ms",
      "loaded / quiet",
      "failed",
      "the others, per second"
    ],
    results.map(({ caching, name, rounds, title }) => [
      title,
      caching ? "read again" : "first read",
      name,
      shown(median(rounds.map(({ quiet }) => quiet.p99)), 1),
      shown(median(rounds.map(({ loaded }) => loaded.p99)), 1),
      ratio(ratioOf(rounds.map(({ loaded, quiet }) => [loaded.p99, quiet.p99]))),
      [...new Set(rounds.flatMap(({ loaded }) => loaded.failures))].join("; "),
      Object.keys(rounds[0]?.others ?? {})
        .map((other) => `${shown(median(rounds.map(({ others }) => others[other] ?? 0)))} ${other}`)
        .join(", ")
    ])
  )

const at = (values: ReadonlyArray<number>, part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

const streams = (results: Results["streams"]) =>
  table(
    "Streams of changes",
    [
      "side",
      "MB more with 5000",
      "ms to all 5000",
      "at most",
      "ms to each of 100",
      "p99",
      "service µs a reply",
      "with 1000",
      "with / without"
    ],
    results.map(({ cpu, megabytes, name, toAll, toEach }) => {
      const [without, beside] = [
        median(cpu.map(({ without }) => without)),
        median(cpu.map((one) => one.with))
      ]
      return [
        name,
        shown(megabytes),
        shown(median(toAll)),
        shown(at(toAll, 1)),
        shown(median(toEach)),
        shown(at(toEach, 0.99)),
        shown(without),
        shown(beside),
        ratio(ratioOf(cpu.map((one) => [one.with, one.without])))
      ]
    })
  )

const processes = (results: Results["processes"]) =>
  table(
    "The process",
    ["side", "start ms", "resident MB after the run", `and ${quietSeconds} s later`],
    results
      .filter(({ residentMegabytes, starts }) => residentMegabytes !== undefined || starts.length > 0)
      .map(({ name, residentMegabytes, starts }) => [
        name,
        starts.length === 0 ? "" : shown(median(starts)),
        shown(residentMegabytes?.busy),
        shown(residentMegabytes?.quiet)
      ])
  )

/** All tables of a run. */
export const tablesOf = (results: Results): string =>
  [
    ...requests(results.measured),
    ...comparison(results.measured),
    ...floors(results.measured),
    ...budgets(results.measured),
    ...audiences(results.measured),
    ...interferences(results.interference),
    ...streams(results.streams),
    ...processes(results.processes)
  ].join("\n")
