import { AccountWarned } from "../event/ModerationEvents.ts"
import { makeNotifying } from "../notification/NotificationConsumer.ts"

/** Tells accounts that they have been warned, and by whom. What they are shown is their own profile. */
export const make = makeNotifying({
  name: "warning notifications",
  reads: [AccountWarned],
  due: ({ account_id }, by) =>
    by === undefined || by === account_id
      ? []
      : [{ accountId: account_id, event: "warning_issued", sourceId: by, profileId: account_id }]
})
