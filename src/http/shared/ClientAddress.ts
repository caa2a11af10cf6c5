import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

// A socket that serves both families shows an IPv4 address in this form.
const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** The address that a request comes from, as people write it. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): Option.Option<string> =>
  Option.map(request.remoteAddress, (address) => address.replace(mapped, ""))
