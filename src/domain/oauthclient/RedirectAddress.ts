/**
 * Where an authorisation leads: which addresses a client may register, and which it may ask for. Pure.
 *
 * What is asked for is compared as text, so that no way to write the same address differently, and none to write
 * another one alike, is of use to anybody. Registered is therefore only what has one meaning for every program that
 * reads it.
 */

/** Characters of a redirect address. */
export const redirectAddressMax = 2000

/** Why an address cannot be registered. */
export type RedirectRefusal =
  | "too long"
  | "has characters that addresses have percent-encoded only"
  | "is not absolute"
  | "has a fragment"
  | "has a scheme that runs or shows what the address says"
  | "has no host"
  | "has a user name or password"
  | "has a port that there is not"
  | "has dots as a part of its path"
  | "is not one that browsers understand as it is written"
  | "has a wildcard"
  | "is neither https nor http of this machine"

// The characters of RFC 3986. A percent sign begins an encoded byte.
const written = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/
const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/
const web = /^https?:/i

/** What a browser runs, opens within itself or reads from the disk instead of handing it to a program. */
const dangerousSchemes: ReadonlySet<string> = new Set([
  "about",
  "blob",
  "chrome",
  "data",
  "feed",
  "file",
  "filesystem",
  "ftp",
  "jar",
  "javascript",
  "livescript",
  "mailto",
  "mocha",
  "resource",
  "vbscript",
  "view-source",
  "ws",
  "wss"
])

/** The host and port of a web address, as it is written. */
const authority = /^https?:\/\/([^/?#]*)/i
// Names, IPv4 addresses and IPv6 addresses in brackets.
const host = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])(?::([1-9]\d{0,4}))?$/
const dots = /\/(?:\.|%2e){1,2}(?=[/?]|$)/i

const refusalOfHost = (address: string): RedirectRefusal | undefined => {
  const [, named = ""] = authority.exec(address) ?? []
  if (named === "") return "has no host"
  if (named.includes("@")) return "has a user name or password"
  if (named.includes("*")) return "has a wildcard"
  const [whole, port = "1"] = host.exec(named) ?? []
  if (whole === undefined) return "is not one that browsers understand as it is written"
  return Number(port) > 65_535 ? "has a port that there is not" : undefined
}

/** The address with the one slash that browsers add, and with its host and scheme in the letters that they use. */
const asBrowsersWrite = (address: string) => {
  const [start = ""] = authority.exec(address) ?? []
  const rest = address.slice(start.length)
  const isRoot = rest === "" || rest.startsWith("?")
  const port = start.startsWith("https:") ? /:443$/ : /:80$/
  return `${start.toLowerCase().replace(port, "")}${isRoot ? "/" : ""}${rest}`
}

const refusalOfWeb = (address: string): RedirectRefusal | undefined => {
  const refusal = refusalOfHost(address)
  if (refusal !== undefined) return refusal
  if (dots.test(address.split("?", 1)[0] ?? "")) return "has dots as a part of its path"
  return URL.parse(address)?.href.replaceAll("%27", "'") === asBrowsersWrite(address).replaceAll("%27", "'")
    ? undefined
    : "is not one that browsers understand as it is written"
}

/** Why an address cannot be registered by whom the instance trusts; nothing if it can. Schemes of programs can. */
export const refusalOfRedirect = (address: string): RedirectRefusal | undefined => {
  if (address.length > redirectAddressMax) return "too long"
  if (!written.test(address)) return "has characters that addresses have percent-encoded only"
  const [, named] = scheme.exec(address) ?? []
  if (named === undefined) return "is not absolute"
  if (address.includes("#")) return "has a fragment"
  if (dangerousSchemes.has(named.toLowerCase()))
    return "has a scheme that runs or shows what the address says"
  if (web.test(address)) return refusalOfWeb(address)
  if (address.length === named.length + 1) return "has no host"
  return URL.canParse(address) ? undefined : "is not one that browsers understand as it is written"
}

const thisMachine =
  /^http:\/\/(?:localhost|127(?:\.(?:0|[1-9]\d{0,2})){3}|\[::1\])(?::[1-9]\d{0,4})?(?=[/?]|$)/i

/** Why an address cannot be registered by who registers a client without being known. */
export const refusalOfOpenRedirect = (address: string): RedirectRefusal | undefined => {
  const refusal = refusalOfRedirect(address)
  if (refusal !== undefined) return refusal
  if (address.includes("*")) return "has a wildcard"
  return /^https:/i.test(address) || thisMachine.test(address)
    ? undefined
    : "is neither https nor http of this machine"
}

/** An address of this machine by its number: programs listen there at whatever port is free (RFC 8252, 7.3). */
const anyPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?=[/?]|$)/

const withoutPort = (address: string): string | undefined => {
  const [whole, start, port = "1"] = anyPort.exec(address) ?? []
  if (whole === undefined || start === undefined || Number(port) > 65_535) return undefined
  return `${start}${address.slice(whole.length)}`
}

/** Whether an authorisation may lead to an address, by those that the client registered. */
export const isRegisteredRedirect = (registered: ReadonlyArray<string>, asked: string): boolean => {
  if (registered.includes(asked)) return true
  const plain = withoutPort(asked)
  return plain !== undefined && registered.some((address) => withoutPort(address) === plain)
}
