/** Finds the address that a request comes from, in the way that the settings choose. */
import { Option, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import type { ClientAddressSettings } from "../../domain/settings/ClientAddressSetting.ts"
import { ClientNetwork } from "../../domain/shared/Client.ts"
import { isWithin, networksOf, toAddress } from "../../domain/shared/Network.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "peerAddress">

/** Where a request comes from, by the settings of the instance. */
export interface ClientAddress {
  /** The address of the client; undefined where connections have no addresses. */
  readonly address: string | undefined
  readonly network: ClientNetwork
  /** Whether no rate limit holds for the client. */
  readonly isExempt: boolean
}

// An IPv4 address on a socket that accepts both families (RFC 4291, 2.5.5.2).
const mapped = "::ffff:"

const dotted = (address: string) =>
  address.startsWith(mapped) && address.includes(".") ? address.slice(mapped.length) : address

/** The address of the connection, IPv4 in dotted form. */
export const peerOf = ({ peerAddress }: Request): string | undefined => {
  const address = Option.getOrUndefined(peerAddress)
  return address === undefined ? undefined : dotted(address)
}

/**
 * Whether the server of a web frontend says that it sent the request while it rendered a page. Anybody can say so:
 * nothing may follow from it but that an answer shows what it shows anyway a second time.
 */
export const isFromFrontend = ({ headers }: Pick<Request, "headers">): boolean =>
  headers["x-storyden-ssr"] !== undefined

// Requests pass a few proxies. Thousands of names of trusted ones would take time to check.
const hopsMax = 32

/** The last address that no trusted proxy has, of those that proxies have added one after the other. */
const forwardedFor = (header: string, proxies: ReadonlyArray<IpNetwork.IpNetwork>): string | undefined => {
  for (const entry of header.split(",").slice(-hopsMax).reverse()) {
    const address = toAddress(entry.trim())
    if (address === undefined) return undefined
    if (!isWithin(proxies, address)) return NetAddress.formatIp(address)
  }
  return undefined
}

const named = (header: string | undefined): string | undefined => {
  const address = header === undefined ? undefined : NetAddress.ipFromString(header.trim())
  return address !== undefined && Result.isSuccess(address)
    ? NetAddress.formatIp(NetAddress.toCanonical(address.success))
    : undefined
}

/** Finds the addresses of clients. Where a header does not name one, it is that of the connection. */
export const addressFinder = ({
  client_ip_header,
  client_ip_mode,
  trusted_proxy_cidrs
}: ClientAddressSettings): ((request: Request) => string | undefined) => {
  if (client_ip_mode === "remote_addr") return peerOf
  if (client_ip_mode === "single_header") {
    const header = client_ip_header.toLowerCase()
    return (request) => named(request.headers[header]) ?? peerOf(request)
  }
  const proxies = networksOf(trusted_proxy_cidrs)
  return (request) => {
    const peer = peerOf(request)
    const forwarded = request.headers["x-forwarded-for"]
    if (peer === undefined || forwarded === undefined) return peer
    const address = toAddress(peer)
    const isTrusted = address !== undefined && isWithin(proxies, address)
    return (isTrusted ? forwardedFor(forwarded, proxies) : undefined) ?? peer
  }
}

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

/** The network of clients whose address is not known; they count as one. */
export const unknownNetwork = ClientNetwork.make("unknown")

export const unknownAddress: ClientAddress = { address: undefined, network: unknownNetwork, isExempt: false }
