/** Where a plugin connects, from its options or its environment. */
import { environment } from "./Platform.ts"

export interface AddressOptions {
  /** Where the service is, or its `/rpc`; `FORUM_RPC_URL` if it is not given. */
  readonly url?: string | URL
  /** The token of the plugin, unless it is in the address. */
  readonly token?: string
}

const missing = "Give the address of the service as `url`, or in FORUM_RPC_URL"

/** The address of the connection, with the token in it. */
export const addressFrom = ({ token, url }: AddressOptions): URL => {
  const given = url ?? environment("FORUM_RPC_URL") ?? environment("STORYDEN_RPC_URL")
  if (given === undefined) throw new TypeError(missing)
  const address = new URL(given)
  address.protocol = address.protocol.replace(/^http/, "ws")
  if (!/\/rpc\/?$/.test(address.pathname)) address.pathname = `${address.pathname.replace(/\/$/, "")}/rpc`
  if (!/^wss?:$/.test(address.protocol)) throw new TypeError(`${address.origin} is no address of a service`)
  if (token !== undefined) address.searchParams.set("token", token)
  return address
}

export const tokenOf = (address: URL): string => address.searchParams.get("token") ?? ""

/** Where the API is at the address of a connection. */
export const apiBeside = ({ host, pathname, protocol }: URL): string =>
  `${protocol.replace(/^ws/, "http")}//${host}${pathname.replace(/(?:\/api)?\/rpc\/?$/, "")}`
