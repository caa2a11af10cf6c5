/** Who asks for mails to an address of an account, and sends codes back: as far as their network says it. */
import { Schema } from "effect"

/** An IPv4 address, or the 64 bits of an IPv6 address that a provider gives to one customer. */
export const ClientNetwork = Schema.String.pipe(Schema.brand("ClientNetwork"))
export type ClientNetwork = typeof ClientNetwork.Type

export interface Client {
  readonly network: ClientNetwork
  /** Whether it is no stranger's: somebody on it has signed in to the account, or does so now. */
  readonly isKnown: boolean
}

/** The name under which a client's attempts count: strangers share one, each known network has its own. */
export const nameOfClient = ({ isKnown, network }: Client): string =>
  isKnown ? `network ${network}` : "strangers"
