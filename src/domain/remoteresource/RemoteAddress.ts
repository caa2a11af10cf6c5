/** Which addresses of remote resources and their servers are used, and where they tell about themselves. Pure. */
import { Result } from "effect"
import { IpNetwork } from "effect/net"
import { hostOf } from "../outbound/OutboundRules.ts"

/** Characters of an address, as it is stored. */
export const remoteAddressMax = 1000

/**
 * Why an address is not used: it is none, or too long; it is neither https nor http of this machine; it has a user name
 * or password, or a fragment.
 */
export const addressRefusals = ["address", "length", "scheme", "credentials", "fragment"] as const
export type AddressRefusal = (typeof addressRefusals)[number]

const loopback = ["127.0.0.0/8", "::1/128"].map((text) => IpNetwork.fromStringUnsafe(text))

const isThisMachine = (url: URL): boolean => {
  const host = hostOf(url)
  if (host._tag !== "Address") return host._tag === "ThisMachine"
  return loopback.some((network) => IpNetwork.contains(network, host.address))
}

// What programs read in different ways is no address: white space, control characters, backslashes.
const written = /^https?:\/\/[^\s\\\p{Cc}/?#][^\s\\\p{Cc}]*$/iu

/** Reads an address. It is written in one way from then on. */
export const readRemoteAddress = (text: string): Result.Result<URL, AddressRefusal> => {
  const url = written.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === "") return Result.fail("address")
  if (url.username !== "" || url.password !== "") return Result.fail("credentials")
  if (text.includes("#")) return Result.fail("fragment")
  if (url.protocol === "http:" && !isThisMachine(url)) return Result.fail("scheme")
  return url.href.length > remoteAddressMax ? Result.fail("length") : Result.succeed(url)
}

/** Reads where a redirect leads. None leads from https to http. */
export const readRedirect = (from: URL, location: string): Result.Result<URL, AddressRefusal> => {
  const to = URL.parse(location, from)
  if (to === null) return Result.fail("address")
  if (from.protocol === "https:" && to.protocol === "http:") return Result.fail("scheme")
  return readRemoteAddress(to.href)
}

/** The address without slashes at its end, as issuers are compared. */
export const trimmed = (url: URL): string => url.href.replace(/\/+$/, "")

const pathOf = ({ pathname }: URL) => (pathname === "/" ? "" : pathname)

/** Where a resource tells about itself (RFC 9728, 3.1): first for its path, then for all of its origin. */
export const resourceDocuments = (resource: URL): readonly [string, ...ReadonlyArray<string>] => {
  const whole = `${resource.origin}/.well-known/oauth-protected-resource`
  const path = pathOf(resource)
  return path === "" ? [whole] : [`${whole}${path}`, whole]
}

/** Where an authorisation server tells about itself: by RFC 8414, 3.1, or as a provider of OpenID. */
export const serverDocuments = (server: URL): readonly [string, ...ReadonlyArray<string>] => {
  const path = pathOf(server).replace(/\/+$/, "")
  return [
    `${server.origin}/.well-known/oauth-authorization-server${path}`,
    `${server.origin}${path}/.well-known/openid-configuration`
  ]
}
