/**
 * The port of a forum, behind which a reset puts another service, and what follows from requests: events are handed
 * over and what is due is done after each request that may write, before the next one begins.
 */
import { Duration, Effect, type Scope, Semaphore } from "effect"
import { Cookies, HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pause } from "./Faults.ts"

export type Answering = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** How long a reset waits for requests that are answered, in milliseconds of real time. */
const endsWithin = 1_000

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** A service that may stand behind the port. */
export interface Behind {
  readonly answer: Answering
  /** What time it is for the service, in milliseconds. */
  readonly now: () => number
  /** Does what follows from requests. */
  readonly settle: Effect.Effect<void>
}

export interface Gate {
  /** What the port answers. */
  readonly answer: Answering
  /** Puts a service behind the port. */
  readonly use: (service: Behind) => void
  /** Does all that follows from what was requested until now. */
  readonly settle: Effect.Effect<void>
  /** Runs what sends many requests; what follows from them is done at its end. */
  readonly together: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Marks what others are asked for, who may call the forum before they answer. */
  readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs an effect while no request is answered. What does not end soon, such as an answer that waits, is ended by `end`. */
  readonly closed: <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    end: Effect.Effect<void>
  ) => Effect.Effect<A, E, R>
}

/**
 * The time of an answer is that of the forum. Cookies say how long they last, besides until when: browsers go by their
 * own clock, for which the time of the forum may be over.
 */
const inItsTime = (response: HttpServerResponse.HttpServerResponse, now: number) => {
  let { cookies } = response
  for (const [name, { options, value }] of Object.entries(cookies.cookies)) {
    if (options?.expires === undefined || options.maxAge !== undefined) continue
    const maxAge = Duration.millis(Math.max(0, options.expires.getTime() - now))
    cookies = Cookies.setUnsafe(cookies, name, value, { ...options, maxAge })
  }
  const lasting = cookies === response.cookies ? response : HttpServerResponse.mergeCookies(response, cookies)
  return HttpServerResponse.setHeader(lasting, "date", new Date(now).toUTCString())
}

const notThere: Answering = Effect.die(new Error("The forum has not started"))

export const makeGate = (): Gate => {
  const turn = Semaphore.makeUnsafe(1)
  const waiting = new Set<() => void>()
  let service: Behind = { answer: notThere, now: () => 0, settle: Effect.void }
  const state = {
    settling: 0,
    outside: 0,
    together: 0,
    running: 0,
    closed: false
  }

  const isOpen = () => !state.closed && (state.settling === 0 || state.outside > 0)
  const isIdle = () => state.running === 0
  const look = () => {
    for (const check of waiting) check()
  }
  const until = (isSo: () => boolean) =>
    Effect.callback<void>((resume) => {
      const check = () => {
        if (!isSo()) return
        waiting.delete(check)
        resume(Effect.void)
      }
      waiting.add(check)
      check()
      return Effect.sync(() => waiting.delete(check))
    })

  const counted = <A, E, R>(
    name: "settling" | "outside" | "together" | "running",
    effect: Effect.Effect<A, E, R>
  ) =>
    Effect.suspend(() => {
      state[name]++
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          state[name]--
          look()
        })
      )
    })

  const settle = counted("settling", turn.withPermits(1)(Effect.suspend(() => service.settle)))

  /** Waits until no request is answered. */
  const ending = (end: Effect.Effect<void>) =>
    Effect.raceFirst(until(isIdle), Effect.andThen(pause(endsWithin), Effect.andThen(end, until(isIdle))))

  const answer = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* until(isOpen)
    const response = yield* counted(
      "running",
      Effect.suspend(() => service.answer)
    )
    if (!reading.has(request.method) && state.together === 0)
      yield* Effect.forkDetach(settle, { startImmediately: true })
    const now = service.now()
    // After what the service itself adds when it answers, such as the cookie of a session.
    yield* HttpEffect.appendPreResponseHandler((_request, sent) => Effect.sync(() => inItsTime(sent, now)))
    return response
  })

  return {
    answer,
    use: (next) => {
      service = next
    },
    settle,
    together: (effect) => Effect.ensuring(counted("together", effect), settle),
    outside: (effect) => counted("outside", effect),
    closed: (effect, end) =>
      Effect.acquireUseRelease(
        Effect.andThen(
          Effect.sync(() => {
            state.closed = true
          }),
          Effect.andThen(ending(end), settle)
        ),
        () => effect,
        () =>
          Effect.sync(() => {
            state.closed = false
            look()
          })
      )
  }
}
