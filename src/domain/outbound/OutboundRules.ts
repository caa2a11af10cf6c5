/** Which addresses the service sends requests to. Pure. */
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/**
 * What a request is refused for: what is no address, or not http or https; a name or password in it; a port of
 * another protocol; an address that is not on the public internet; a redirect from https to http.
 */
export type RefusalReason = "address" | "scheme" | "credentials" | "port" | "network" | "downgrade"

const networks = (...texts: ReadonlyArray<string>) => texts.map((text) => IpNetwork.fromStringUnsafe(text))

// The special-purpose addresses of IANA: what is no single host on the public internet, or stands for another one.
const reservedIpv4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
)

// All that is assigned to single hosts. Outside of it are loopback, private, link-local and multicast addresses,
// and those that contain an IPv4 address (NAT64, IPv4-compatible, IPv4-translated).
const publicIpv6 = IpNetwork.fromStringUnsafe("2000::/3")

// Protocol assignments, among them Teredo; documentation; 6to4.
const reservedIpv6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

const isAmong = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  list.some((network) => IpNetwork.contains(network, address))

/** An IPv4 address that is written as an IPv6 one is that IPv4 address. */
const unmapped = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address)
    ? Option.getOrElse(NetAddress.fromIpv4Mapped(address), () => address)
    : address

const isPublic = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv6Address(address)
    ? IpNetwork.contains(publicIpv6, address) && !isAmong(reservedIpv6, address)
    : !isAmong(reservedIpv4, address)

/** Networks that an operator opens although they are not public. */
export type OpenedNetworks = ReadonlyArray<IpNetwork.IpNetwork>

/** Whether an address is in a network that the operator opened. */
export const isOpened = (address: NetAddress.IpAddress, opened: OpenedNetworks) =>
  isAmong(opened, unmapped(address))

// Ports of other protocols, whose servers could take a request for something else: of those from 1024 on, the ones
// that browsers refuse.
const otherProtocols = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080
])

const isWebPort = (port: number) => port === 80 || port === 443 || (port >= 1024 && !otherProtocols.has(port))

/** What may be dialled at an address. In a network that an operator opens, any port may be. */
export const decideDial = (
  address: NetAddress.IpAddress,
  port: number,
  opened: OpenedNetworks
): "dial" | "network" | "port" => {
  if (isOpened(address, opened)) return "dial"
  if (!isPublic(unmapped(address))) return "network"
  return isWebPort(port) ? "dial" : "port"
}

/** A host as an address names it, in lower case: an IP address, a name to look up, or a name of this machine. */
export type Host =
  | { readonly _tag: "Address"; readonly address: NetAddress.IpAddress }
  | { readonly _tag: "Name"; readonly name: string }
  | { readonly _tag: "ThisMachine" }

const isLocalName = (name: string) => name === "" || name === "localhost" || name.endsWith(".localhost")

/** Reads the host of a URL, in which an IPv4 address has one form however it was written. */
export const hostOf = ({ hostname }: URL): Host => {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1")
  const address = NetAddress.ipFromString(bare)
  if (Result.isSuccess(address)) return { _tag: "Address", address: address.success }
  // A dot at the end makes no other name.
  const name = bare.replace(/\.+$/, "").toLowerCase()
  return isLocalName(name) ? { _tag: "ThisMachine" } : { _tag: "Name", name }
}

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** Reads what a request is to be sent to; a redirect is read relative to where it comes from. */
export const readTarget = (text: string, from?: URL): URL | RefusalReason => {
  const url = URL.parse(text, from)
  if (url === null) return "address"
  if (url.protocol !== "http:" && url.protocol !== "https:") return "scheme"
  if (url.username !== "" || url.password !== "") return "credentials"
  if (from?.protocol === "https:" && url.protocol === "http:") return "downgrade"
  url.hash = ""
  return url
}
