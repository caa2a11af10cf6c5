/** Who may read the metrics. */
import { Context, Option, Redacted, Result } from "effect"
import { Mac } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"

/** The bearer token that the metrics require; without one they are only for this machine. */
export const MetricsToken = Context.Reference<Redacted.Redacted | undefined>("forum/http/MetricsToken", {
  defaultValue: () => undefined
})

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "peerAddress">

/** Headers by which proxies name the client that they forward for. */
const forwarding =
  /^(forwarded|via|x-forwarded(-.+)?|x-original-forwarded-for|x-real-ip|x-envoy-.+|(.+-)?(client|connecting)-ip)$/

const isForwarded = ({ headers }: Request) => Object.keys(headers).some((name) => forwarding.test(name))

const isFromLoopback = ({ peerAddress }: Request) =>
  Option.exists(peerAddress, (text) => {
    const address = NetAddress.ipFromString(text)
    return Result.isSuccess(address) && NetAddress.isLoopback(NetAddress.toCanonical(address.success))
  })

const bytes = (text: string) => new TextEncoder().encode(text)

const carries = ({ headers }: Request, token: Redacted.Redacted) => {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? []
  return Mac.timingSafeEqual(bytes(given), bytes(Redacted.value(token)))
}

/**
 * A request that carries the token, from whatever address. Without a token in the settings, a request from this
 * machine that no proxy has forwarded.
 */
export const mayReadMetrics = (request: Request, token: Redacted.Redacted | undefined): boolean =>
  token === undefined ? isFromLoopback(request) && !isForwarded(request) : carries(request, token)
