/** How much may be uploaded on a day: by an account, from a network, and by all together. */
import { Context, DateTime, Schema } from "effect"
import type { AccountActor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Problem } from "../shared/Problem.ts"

const mebibyte = 1024 * 1024

/** What files take together that are uploaded on one day, in bytes; undefined where there is no limit. */
export interface Quotas {
  readonly account: number | undefined
  /** The quota of an account in its first 24 hours, if it is less than `account`. */
  readonly firstDay: number | undefined
  readonly network: number | undefined
  readonly instance: number | undefined
}

export const UploadQuotas = Context.Reference<Quotas>("forum/domain/UploadQuotas", {
  defaultValue: () => ({
    account: 1024 * mebibyte,
    firstDay: 256 * mebibyte,
    network: 4096 * mebibyte,
    instance: 16_384 * mebibyte
  })
})

// A file takes a row, a name and blocks of the disk, however short it is.
const leastWeight = 64 * 1024

/** What a file of so many bytes counts as. */
export const weightOf = (size: number): number => Math.max(size, leastWeight)

/** The day of an instant, on which quotas are counted: `2026-11-22`, in UTC. */
export const dayOf = (at: DateTime.Utc): string => DateTime.formatIsoDateUtc(at)

/** The day before that. Instances whose clocks differ may still count on it. */
export const dayBefore = (at: DateTime.Utc): string => dayOf(DateTime.subtract(at, { days: 1 }))

const nextDay = (at: DateTime.Utc) => DateTime.startOf(DateTime.add(at, { days: 1 }), "day")

const QuotaName = Schema.Literals(["account", "first_day", "network", "instance"]).annotate({
  description:
    "Whose quota it is: that of the account, that of an account in its first 24 hours, that of the network which the request comes from, or that of the whole instance"
})

/** Who uploads, and from where. */
export interface Uploader {
  readonly account: AccountActor
  readonly network: ClientNetwork
}

/** One of the sums that an upload counts in, and how much it may be. */
export interface Limit {
  readonly quota: typeof QuotaName.Type
  readonly maximum: number | undefined
  /** Whose sum it is. */
  readonly name: string
  /** When more may be uploaded again. */
  readonly ends: DateTime.Utc
}

/** Everything that an upload counts in. */
export interface Limits {
  readonly account: Limit
  readonly network: Limit
  readonly instance: Limit
}

/** The sums that an upload counts in. */
export type Sum = keyof Limits

export const sums = ["account", "network", "instance"] as const satisfies ReadonlyArray<Sum>

/** The limits of an account that exists since `since`. Shared limits do not hold for administrators, who must be able to work. */
export const decideLimits = (
  quotas: Quotas,
  { account: { accountId, permissions }, network }: Uploader,
  since: DateTime.Utc,
  at: DateTime.Utc
): Limits => {
  const ends = nextDay(at)
  const isAdministrator = permissions.has("ADMINISTRATOR")
  const grown = DateTime.add(since, { hours: 24 })
  const isNew =
    !isAdministrator &&
    DateTime.isLessThan(at, grown) &&
    (quotas.firstDay ?? Number.POSITIVE_INFINITY) < (quotas.account ?? Number.POSITIVE_INFINITY)
  const shared = (maximum: number | undefined) => (isAdministrator ? undefined : maximum)
  return {
    account: isNew
      ? { quota: "first_day", maximum: quotas.firstDay, name: accountId, ends: DateTime.min(ends, grown) }
      : { quota: "account", maximum: quotas.account, name: accountId, ends },
    network: { quota: "network", maximum: shared(quotas.network), name: network, ends },
    instance: { quota: "instance", maximum: shared(quotas.instance), name: "", ends }
  }
}

/** What has no room for any file, where this has been uploaded on the day. */
export const findFull = (limits: Limits, uploaded: Readonly<Record<Sum, number>>): Limit | undefined => {
  const full = sums.find(
    (sum) => uploaded[sum] + leastWeight > (limits[sum].maximum ?? Number.POSITIVE_INFINITY)
  )
  return full && limits[full]
}

export class UploadQuotaExceeded extends Problem<UploadQuotaExceeded>()("UploadQuotaExceeded", {
  status: 429,
  title: "Too much was uploaded today",
  explanation: `The files that an account uploads on one day (UTC) may have a number of bytes together, and so may those that come from one network, and those of all people; an account has less in its first 24 hours. Each file counts as at least ${leastWeight.toLocaleString("en")} bytes. \`quota\` says which of them would be more than its \`maximum\`. Nothing of this file was kept. Repeat the request after the seconds in \`Retry-After\`.`,
  metadata: { quota: QuotaName, maximum: Schema.Int, retry_after: Schema.Int }
}) {}

export const exceeded = ({ ends, maximum = 0, quota }: Limit, at: DateTime.Utc) => {
  const millis = DateTime.toEpochMillis(ends) - DateTime.toEpochMillis(at)
  return new UploadQuotaExceeded({ metadata: { quota, maximum, retry_after: Math.ceil(millis / 1000) } })
}
