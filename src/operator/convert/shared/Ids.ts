/** Ids and instants of records that other programs have. Pure. */
import { createHash } from "node:crypto"

const digits = "0123456789abcdefghijklmnopqrstuv"

/** The id of a thing of another program: always the same one, and like those that the service makes. */
export const idFrom = (program: string, kind: string, old: string | number | bigint): string => {
  const hash = createHash("sha256").update(`${program}\n${kind}\n${old}`).digest()
  let id = ""
  let held = 0
  let bits = 0
  for (let index = 0; id.length < 19; index += 1) {
    held = (held << 8) | (hash[index] ?? 0)
    bits += 8
    while (bits >= 5 && id.length < 19) {
      bits -= 5
      id += digits[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  // 96 bits, as an Xid has: of the last digit, only the first bit is one of them.
  return `${id}${((hash[31] ?? 0) & 1) === 1 ? "g" : "0"}`
}

/** What stands for an instant that nobody can read; an import says so of the records that have it. */
export const unknownTime = "1970-01-01T00:00:00Z"

const timestamp = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:Z|\+00(?::?00)?)?$/

/** An instant of PostgreSQL in UTC; none if it is no instant (`infinity`, a year before Christ). */
export const timeOf = (text: unknown): string | undefined => {
  const [, day, time] = typeof text === "string" ? (timestamp.exec(text) ?? []) : []
  if (day === undefined || time === undefined) return undefined
  const iso = `${day}T${time}Z`
  return Number.isNaN(Date.parse(iso)) ? undefined : iso
}

/** The last instant that has a year of four digits. */
const lastMillisecond = 253_402_300_799_999

/** An instant by milliseconds since 1970; none for 0, which programs write for none, and for what is out of range. */
export const timeOfMilliseconds = (value: unknown): string | undefined => {
  const number = Number(value)
  return number >= 1 && number <= lastMillisecond ? new Date(Math.floor(number)).toISOString() : undefined
}
