import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { ClientNetwork } from "../../domain/authentication/ClientNetwork.ts"

// An IPv4 address on a socket that accepts both families (RFC 4291, 2.5.5.2).
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

const dotted = (address: string) => address.replace(mapped, "")

/** The address of the client, IPv4 in dotted form. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): Option.Option<string> =>
  Option.map(request.remoteAddress, dotted)

// What a provider gives to one customer at least: whoever has one address of them has all.
const customerBits = 64

/** An IPv4 address, or the network of an IPv6 address. */
export const networkOf = (text: string): ClientNetwork => {
  const address = dotted(text)
  if (!address.includes(":")) return ClientNetwork.make(address)
  // A link-local address names its interface after `%`.
  const parsed = NetAddress.ipv6FromString(address.replace(/%.*$/, ""))
  const network = Result.flatMap(parsed, (ipv6) => IpNetwork.fromAddress(ipv6, customerBits))
  return ClientNetwork.make(Result.match(network, { onSuccess: IpNetwork.format, onFailure: () => address }))
}

/** The network of the client. Clients whose address is not known count as one. */
export const clientNetwork = (request: HttpServerRequest.HttpServerRequest): ClientNetwork =>
  networkOf(Option.getOrElse(clientAddress(request), () => "unknown"))
