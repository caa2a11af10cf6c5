/** From rounds to the figures that are shown. */
import type { Round, Span, TargetName } from "./spans.ts"

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export interface Ratio {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Of values that belong together in pairs: the ratio of each pair. */
export const ratioOf = (pairs: ReadonlyArray<readonly [above: number, below: number]>): Ratio => {
  const ratios = pairs.map(([above, below]) => above / below)
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
}

export type Figure = (span: Span) => number

const spansOf = (rounds: ReadonlyArray<Round>, name: TargetName): ReadonlyArray<Span> =>
  rounds.flatMap((round) => round[name] ?? [])

/** The median of a figure of a target over all rounds; undefined if it was not driven. */
export const medianOf = (rounds: ReadonlyArray<Round>, name: TargetName, figure: Figure) => {
  const spans = spansOf(rounds, name)
  return spans.length === 0 ? undefined : median(spans.map(figure))
}

/**
 * A figure per request over all requests of all rounds. Work that comes in lumps, such as
 * garbage collection, is in some spans and not in others, so that their median
 * says little; their sum has all of it.
 */
export const meanOf = (rounds: ReadonlyArray<Round>, name: TargetName, perRequest: Figure) => {
  const spans = spansOf(rounds, name)
  const requests = spans.reduce((sum, span) => sum + span.requests, 0)
  const all = spans.reduce((sum, span) => sum + perRequest(span) * span.requests, 0)
  return requests === 0 ? undefined : all / requests
}

/** How a figure of one target relates to another's, round by round; undefined if either was not driven. */
export const compare = (
  rounds: ReadonlyArray<Round>,
  above: TargetName,
  below: TargetName,
  figure: Figure
): Ratio | undefined => {
  const pairs = rounds.flatMap((round) => {
    const [one, other] = [round[above], round[below]]
    return one === undefined || other === undefined ? [] : [[figure(one), figure(other)] as const]
  })
  return pairs.length === 0 ? undefined : ratioOf(pairs)
}
