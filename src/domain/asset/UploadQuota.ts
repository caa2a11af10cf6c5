/** How much an account may upload. */
import { Context, DateTime, Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

const mebibyte = 1024 * 1024

/** What the files of an account take together that it uploads on one day, in bytes; none if there is no limit. */
export const UploadQuota = Context.Reference<number | undefined>("forum/domain/UploadQuota", {
  defaultValue: () => 1024 * mebibyte
})

// A file takes a row, a name and blocks of the disk, however short it is.
const leastWeight = 64 * 1024

/** What a file of so many bytes counts as. */
export const weightOf = (size: number): number => Math.max(size, leastWeight)

/** The day of an instant, on which quotas are counted: `2026-11-22`, in UTC. */
export const dayOf = (at: DateTime.Utc): string => DateTime.formatIsoDateUtc(at)

/** Until the next day begins, in seconds. */
export const secondsLeftOf = (at: DateTime.Utc): number => {
  const next = DateTime.startOf(DateTime.add(at, { days: 1 }), "day")
  return Math.ceil((DateTime.toEpochMillis(next) - DateTime.toEpochMillis(at)) / 1000)
}

export class UploadQuotaExceeded extends Problem<UploadQuotaExceeded>()("UploadQuotaExceeded", {
  status: 429,
  title: "This account has uploaded too much today",
  explanation: `The files that an account uploads on one day (UTC) may have \`maximum\` bytes together, of which each counts as at least ${leastWeight.toLocaleString("en")}. Nothing of this one was kept. Repeat the request after the seconds in \`Retry-After\`.`,
  metadata: { maximum: Schema.Int, retry_after: Schema.Int }
}) {}
