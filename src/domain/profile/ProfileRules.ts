/** How lists of profiles are asked for. Pure. */
import { orderBy } from "../account/AccountListing.ts"

/** The orders of a list of profiles. When an account was last changed is for staff alone. */
export const readOrder = orderBy(["created_at", "name", "handle"])
