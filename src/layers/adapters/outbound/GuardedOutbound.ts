/** Sends requests to the public internet only: each host is resolved once, checked, and dialled as it was checked. */
import { Effect, Layer } from "effect"
import { NetAddress } from "effect/net"
import manifest from "../../../../package.json" with { type: "json" }
import {
  type FailureReason,
  Outbound,
  type OutboundAnswer,
  type OutboundError,
  OutboundFailed,
  OutboundRefused,
  type OutboundRequest
} from "../../../domain/outbound/Outbound.ts"
import {
  decideDial,
  hostOf,
  isOpened,
  type OpenedNetworks,
  portOf,
  readTarget
} from "../../../domain/outbound/OutboundRules.ts"
import { Deployment } from "../../../domain/settings/Deployment.ts"
import { Settings } from "../../process/Settings.ts"
import {
  type Address,
  acceptEncoding,
  EncodingUnknown,
  exchange,
  isRedirect,
  type Reply
} from "./Exchange.ts"
import { Names } from "./Names.ts"

const addressOf = (address: NetAddress.IpAddress): Address => ({
  address: NetAddress.formatIp(address),
  family: NetAddress.isIpv6Address(address) ? 6 : 4
})

interface Options {
  readonly userAgent: string
  readonly opened: OpenedNetworks
}

export const make = Effect.fnUntraced(function* ({ opened, userAgent }: Options) {
  const names = yield* Names

  const lookUp = (url: URL, name: string) =>
    Effect.mapError(
      names.addressesOf(name),
      (cause) => new OutboundFailed({ url: url.href, reason: "name", cause })
    )

  const candidates = (url: URL): Effect.Effect<ReadonlyArray<NetAddress.IpAddress>, OutboundFailed> => {
    const host = hostOf(url)
    if (host._tag === "Address") return Effect.succeed([host.address])
    return host._tag === "Name" ? lookUp(url, host.name) : Effect.succeed(NetAddress.loopbackAddresses)
  }

  /** The addresses of a host, if connections to all of them are allowed; for this machine, those that are allowed. */
  const resolve = Effect.fnUntraced(function* (
    url: URL,
    { publicOnly = false, securely = false }: OutboundRequest
  ) {
    const open = publicOnly ? [] : opened
    const decide = (address: NetAddress.IpAddress) => decideDial(address, portOf(url), open)
    const found = yield* candidates(url)
    const here = hostOf(url)._tag === "ThisMachine"
    const addresses = here ? found.filter((address) => decide(address) === "dial") : found
    const reason = addresses.length === 0 ? "network" : addresses.map(decide).find((one) => one !== "dial")
    if (reason !== undefined) return yield* new OutboundRefused({ url: url.href, reason })
    const isReadable = url.protocol === "http:" && !found.every((address) => isOpened(address, open))
    if (securely && isReadable) return yield* new OutboundRefused({ url: url.href, reason: "scheme" })
    return addresses.map(addressOf)
  })

  const headersFor = (request: OutboundRequest, isFirstOrigin: boolean) => ({
    ...(isFirstOrigin ? request.headers : {}),
    ...(request.body === undefined
      ? {}
      : {
          "content-type": request.body.contentType,
          "content-length": String(request.body.bytes.byteLength)
        }),
    accept: request.accept,
    "accept-encoding": acceptEncoding,
    "user-agent": userAgent
  })

  const failed = (url: URL, reason: FailureReason, cause?: unknown) =>
    new OutboundFailed({ url: url.href, reason, cause })

  const hop = Effect.fnUntraced(function* (url: URL, request: OutboundRequest, isFirstOrigin: boolean) {
    const addresses = yield* resolve(url, request)
    return yield* Effect.tryPromise({
      try: (signal): Promise<Reply> =>
        exchange(
          {
            url,
            addresses,
            headers: headersFor(request, isFirstOrigin),
            body: request.body?.bytes,
            maxBytes: request.maxBytes
          },
          signal
        ),
      catch: (cause) => failed(url, cause instanceof EncodingUnknown ? "encoding" : "connection", cause)
    })
  })

  const target = (text: string, from?: URL): Effect.Effect<URL, OutboundRefused> => {
    const read = readTarget(text, from)
    return typeof read === "string"
      ? Effect.fail(new OutboundRefused({ url: text, reason: read }))
      : Effect.succeed(read)
  }

  const follow = Effect.fnUntraced(function* (request: OutboundRequest) {
    const first = yield* target(request.url)
    const redirects = request.body === undefined ? request.redirects : 0
    let url = first
    for (let followed = 0; ; followed++) {
      const { body, headers, isCut, status } = yield* hop(url, request, url.origin === first.origin)
      if (redirects === 0 || !isRedirect(status, headers)) {
        if (isCut && request.beyond === "failure") return yield* failed(url, "size")
        return { url: url.href, status, headers, body } satisfies OutboundAnswer
      }
      if (followed === redirects) return yield* failed(url, "redirects")
      url = yield* target(headers.location ?? "", url)
    }
  })

  return Outbound.of({
    send: (request): Effect.Effect<OutboundAnswer, OutboundError> =>
      Effect.timeoutOrElse(follow(request), {
        duration: request.within,
        orElse: () => Effect.fail(new OutboundFailed({ url: request.url, reason: "time" }))
      })
  })
})

export const layer = Layer.effect(
  Outbound,
  Effect.gen(function* () {
    const { outboundNetworks } = yield* Settings
    const { publicUrl, version } = yield* Deployment
    const userAgent = `${manifest.name}/${version} (+${publicUrl.origin})`
    return yield* make({ userAgent, opened: outboundNetworks })
  })
).pipe(Layer.provide(Names.live))
