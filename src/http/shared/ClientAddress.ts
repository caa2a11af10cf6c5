import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

// An IPv4 address on a socket that accepts both families (RFC 4291, 2.5.5.2).
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** The address of the client, IPv4 in dotted form. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): Option.Option<string> =>
  Option.map(request.remoteAddress, (address) => address.replace(mapped, ""))
