/** Addresses and networks of the internet, as settings and headers write them. */
import { Option, Result } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"

/** Bits of an IPv6 address before the IPv4 address that it may contain. */
const mappedBits = 96

/**
 * The address that a text is: with or without a port or the name of an interface, an IPv6 address with or without
 * brackets. An IPv4 address inside an IPv6 address is the IPv4 address.
 */
export const toAddress = (text: string): NetAddress.IpAddress | undefined => {
  const plain = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "")
  const address = NetAddress.ipFromString(plain)
  if (Result.isSuccess(address)) return NetAddress.toCanonical(address.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}

const canonical = (network: IpNetwork.IpNetwork): IpNetwork.IpNetwork => {
  if (!IpNetwork.isIpv6Network(network) || network.prefixLength < mappedBits) return network
  const inside = Option.getOrUndefined(NetAddress.fromIpv4Mapped(network.address))
  return inside === undefined
    ? network
    : IpNetwork.fromAddressUnsafe(inside, network.prefixLength - mappedBits)
}

/** The network that a text is: an address with a length, of which host bits are ignored, or a single address. */
export const toNetwork = (text: string): IpNetwork.IpNetwork | undefined =>
  Result.getOrUndefined(
    Result.map(IpInterface.fromString(text.trim()), (written) => canonical(IpNetwork.fromInterface(written)))
  )

/** Networks from texts that are known to be networks. */
export const networksOf = (texts: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  texts.flatMap((text) => toNetwork(text) ?? [])

/** Whether an address is in any of the networks. */
export const isWithin = (
  networks: ReadonlyArray<IpNetwork.IpNetwork>,
  address: NetAddress.IpAddress
): boolean => networks.some((network) => IpNetwork.contains(network, address))
