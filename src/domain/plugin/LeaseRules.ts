/** How long an instance has a plugin for itself. Pure. */
import { DateTime, Duration } from "effect"
import type { PluginLease } from "./PluginStore.ts"

/**
 * How long a plugin is kept from other instances without a sign of the one that has it. An instance that was killed is
 * missed this long; its plugins run elsewhere within fifteen seconds.
 */
export const leaseFor = Duration.seconds(6)

/** How often an instance says that it has its plugins, and looks what is wanted of them. */
export const renewEvery = Duration.seconds(1)

/**
 * How often an instance that has no plugins looks where there are none for it to run. Nothing may become free meanwhile that
 * it would have to see sooner: what was wanted since then has been taken by the instance where it was asked for, for longer.
 */
export const lookEvery = Duration.seconds(5)

export const leaseFrom = (holder: string, now: DateTime.Utc): PluginLease => ({
  holder,
  until: DateTime.addDuration(now, leaseFor)
})

/** Whether another instance has the plugin now. */
export const isHeldElsewhere = (
  lease: PluginLease | undefined,
  instance: string,
  now: DateTime.Utc
): boolean => lease !== undefined && lease.holder !== instance && DateTime.isGreaterThan(lease.until, now)
