/** In which form a plugin is told where it calls the API and with which key. Pure. */
import { Redacted } from "effect"
import { addressOf } from "../settings/Deployment.ts"

/** As programs read it that use Go's type of addresses. */
const asStruct = ({ host, pathname, protocol }: URL) => ({
  Scheme: protocol.slice(0, -1),
  Opaque: "",
  User: null,
  Host: host,
  Path: pathname === "/" ? "" : pathname,
  RawPath: "",
  OmitHost: false,
  ForceQuery: false,
  RawQuery: "",
  Fragment: "",
  RawFragment: ""
})

/**
 * The address of the service without `/api`, and the key. Two known libraries read the address in another form or
 * under another name; they are known by what their handshake calls itself.
 */
export const accessResult = (publicUrl: URL, key: Redacted.Redacted, userAgent: string): object => {
  const access_key = Redacted.value(key)
  if (userAgent.startsWith("Go-http-client")) return { api_base_url: asStruct(publicUrl), access_key }
  const address = addressOf(publicUrl)
  return userAgent.includes("websockets")
    ? { apibase_url: address, access_key }
    : { api_base_url: address, access_key }
}
