/** Where requests come from, as far as it says who shares turns and limits with whom. */
import { Schema } from "effect"

/** An IPv4 address, or the 64 bits of an IPv6 address that a provider gives to one customer. */
export const ClientNetwork = Schema.String.pipe(Schema.brand("ClientNetwork"))
export type ClientNetwork = typeof ClientNetwork.Type
