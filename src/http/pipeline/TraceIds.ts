/** The trace id of a request: of the running trace, else as the client sends it, else a new one. */
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { type HttpServerRequest, HttpTraceContext } from "effect/http"
import { findTraceId } from "../../domain/shared/TraceId.ts"

// Random bytes for one id cost as much as for hundreds, so they are drawn for many.
const idsPerDraw = 256

/** New trace ids, of 16 bytes in hexadecimal (W3C Trace Context). */
const makeNewTraceId = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<string> => {
  let drawn: ReadonlyArray<string> = []
  let used = 0
  const draw = Effect.map(random.randomBytes(16 * idsPerDraw), (bytes) => {
    drawn = Hex.encode(bytes).match(/.{32}/g) ?? []
    used = 0
  })
  const next = Effect.sync(() => drawn[used++] ?? "")
  return Effect.suspend(() => (used < drawn.length ? next : Effect.andThen(draw, next)))
}

export const makeTraceIdOf = Effect.map(SecureRandom.SecureRandom, (random) => {
  const newTraceId = makeNewTraceId(random)
  return (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
    Effect.flatMap(findTraceId, (running) => {
      if (Option.isSome(running)) return Effect.succeed(running.value)
      const incoming = HttpTraceContext.fromHeaders(request.headers)
      return Option.isSome(incoming) ? Effect.succeed(incoming.value.traceId) : newTraceId
    })
})
