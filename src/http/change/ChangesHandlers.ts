import { Effect, Latch, Option, Scope, Semaphore } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ChangeHistory } from "../../domain/change/ChangeHistory.ts"
import { latest, limits, namesOf } from "../../domain/change/ChangeList.ts"
import { positionOf } from "../../domain/change/ChangePosition.ts"
import { ChangeStreams } from "../../domain/change/ChangeStreams.ts"
import { StreamPlaces } from "../../domain/change/StreamPlaces.ts"
import { Callers } from "../../domain/session/Callers.ts"
import { StreamCallers } from "../../domain/session/StreamCallers.ts"
import { type Actor, accountIdOf, CurrentActor } from "../../domain/shared/Actor.ts"
import { ForumApi } from "../Api.ts"
import { acceptsGzip } from "../bytes/Accept.ts"
import { BodyProgress } from "../bytes/BodyProgress.ts"
import { credentialsOf } from "../pipeline/Authentication.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { waitingLong } from "../pipeline/LongWait.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import { asEvents, comment, type EventPart, eventsOf, makeEventBody, sending } from "./ChangeEvents.ts"
import { makeHeartbeats } from "./Heartbeats.ts"

/** The position that a cursor of a request has, which was looked at with the request. */
const positionIn = (cursor: string | undefined) =>
  cursor === undefined ? undefined : Option.getOrUndefined(positionOf(cursor))

// Proxies that collect answers would keep what comes from whoever waits for it.
const headers = { "x-accel-buffering": "no", vary: "Accept-Encoding" } as const
const gzipHeaders = { ...headers, "content-encoding": "gzip" } as const

/** How many answers that have waited for the same are written in a turn of the event loop. */
const answeredATurn = 8

const isSuspended = (caller: Actor): boolean => caller._tag === "Account" && caller.suspended

interface ListQuery {
  readonly after?: string
  readonly events?: string
  readonly limit?: string
  readonly wait?: string
}

export const layer = group(
  ForumApi,
  "changes",
  Effect.fnUntraced(function* (handlers) {
    const history = yield* ChangeHistory
    const places = yield* StreamPlaces
    const streams = yield* ChangeStreams
    const callers = yield* Callers
    const streamCallers = yield* StreamCallers
    const heartbeats = yield* makeHeartbeats
    const answering = yield* Semaphore.make(answeredATurn)

    const list = Effect.fnUntraced(function* ({ after, events, limit, wait }: ListQuery) {
      if (after === latest) return yield* history.latest
      const actor = yield* CurrentActor
      const { client, releasingPlaceWhile } = yield* RequestContext
      const { network } = client
      const asked = {
        network,
        after: positionIn(after),
        names: namesOf(events),
        limit: limit === undefined ? limits.usual : Number(limit)
      }
      const seconds = Number(wait ?? 0)
      // It waits for its turn to read the log, without a place that others could have.
      const found = yield* releasingPlaceWhile(history.list(actor, asked))
      if (seconds === 0 || found.changes.length > 0 || found.more) return found
      const request = yield* HttpServerRequest.HttpServerRequest
      const again = callers.identify(credentialsOf(request))
      const waiting = history.waitFor(actor, again, { ...asked, after: positionIn(found.next) }, seconds)
      const answer = yield* places
        .take({ network, account: accountIdOf(actor) })
        .pipe(
          Effect.andThen(waitingLong(Effect.raceFirst(waiting, Effect.as(places.ended, found)))),
          Effect.scoped
        )
      // What ends the waiting of hundreds answers few of them in a turn of the event loop.
      yield* answering.withPermits(1)(Effect.yieldNow)
      return answer
    })

    const stream = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      after: string | undefined,
      events: string | undefined
    ) {
      let caller = yield* CurrentActor
      const account = accountIdOf(caller)
      const { network } = (yield* RequestContext).client
      yield* places.take({ network, account })
      const over = yield* Latch.make()
      const { endReader, write } = yield* BodyProgress
      const lost = () => endReader(request.source)
      const follower = yield* streams.follow(
        { callerNow: () => caller, names: namesOf(events), network, lost },
        positionIn(after)
      )
      const end = () => {
        over.openUnsafe()
      }
      yield* places.whenEnded(end)
      yield* streamCallers.follow(credentialsOf(request), {
        end,
        // Whoever has lost the credential is somebody else by then.
        mayGoOn: (found) => {
          caller = found
          return accountIdOf(found) === account && !isSuspended(found)
        }
      })
      const scope = yield* Effect.scope
      const isGzip = acceptsGzip(request.headers["accept-encoding"])
      const body = makeEventBody(isGzip)
      const live = Effect.gen(function* () {
        const sendBytes = sending((bytes) => write(request.source, bytes), lost)
        // Nothing comes after the end of the body.
        const send = (part: EventPart) => {
          if (!over.isOpen()) sendBytes(body.bytesOf(part))
        }
        const sent = yield* heartbeats.begin(() => {
          send(comment)
          sent()
        })
        yield* follower.passOn((changes) => {
          send(eventsOf(changes))
          sent()
        })
        yield* over.await
      })
      return HttpServerResponse.stream(
        asEvents(follower, Effect.provideService(live, Scope.Scope, scope), () => over.isOpen(), body),
        { contentType: "text/event-stream", headers: isGzip ? gzipHeaders : headers }
      )
    })

    return handlers
      .handle("list", ({ query }) => list(query))
      .handle("stream", ({ headers, query, request }) =>
        stream(request, headers["last-event-id"] ?? query.after, query.events)
      )
  })
)
