/** Reads values of a service's answers. Pure. */
import { unknownTime } from "../shared/Ids.ts"

const inUtc = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?\d*Z$/

/** An instant as records have it: with six digits of a second at most, in UTC. */
export const instantOf = (text: string | null | undefined): string | undefined => {
  if (text === null || text === undefined || Number.isNaN(Date.parse(text))) return undefined
  const [, time, fraction = ""] = inUtc.exec(text) ?? []
  if (time !== undefined) return `${time}${fraction}Z`
  const at = new Date(text)
  return at.getUTCFullYear() > 9999 || at.getUTCFullYear() < 0 ? undefined : at.toISOString()
}

const digits = "0123456789abcdefghijklmnopqrstuv"

/** When an id was made: its first 32 bits are seconds. */
const secondsOf = (id: string): number => {
  let value = 0
  for (const digit of id.slice(0, 7)) value = value * 32 + digits.indexOf(digit)
  return Math.floor(value / 8)
}

/**
 * When something was made that does not say so, by its id: not before `earliest`, which it belongs to, and not after the
 * moment of reading; an id that was made otherwise says nothing.
 */
export const madeAt = (id: string, earliest: string, latest: number): string => {
  const at = secondsOf(id) * 1000
  const from = Date.parse(earliest)
  return at >= from && at <= latest ? new Date(at).toISOString() : earliest
}

export const timesOf = ({
  createdAt,
  updatedAt
}: {
  readonly createdAt: string
  readonly updatedAt?: string | null | undefined
}) => {
  const created = instantOf(createdAt) ?? unknownTime
  const updated = instantOf(updatedAt) ?? created
  return { created_at: created, updated_at: updated < created ? created : updated }
}
