/** Gives the requests in progress time to finish when the service stops, and then ends every connection. */
import { Duration, Effect, Layer } from "effect"
import { StreamPlaces } from "../../domain/change/StreamPlaces.ts"
import { InFlight } from "../../http/pipeline/InFlight.ts"
import { NodeServer } from "./NodeServer.ts"
import { Settings } from "./Settings.ts"

/**
 * How long requests are accepted after the signal to stop. A load balancer that has been told may have sent some, and the
 * system closes connections that have not been accepted.
 */
const lingering = Duration.millis(500)

const makeDrain = Effect.gen(function* () {
  const { drainSeconds } = yield* Settings
  const { isBusy, server, stopKeepingAlive } = yield* NodeServer
  const inFlight = yield* InFlight
  const { endAll } = yield* StreamPlaces

  // Looks for the first time after a pause, because requests may have arrived that Node has not parsed yet.
  const untilIdle = Effect.sync(isBusy).pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ while: (busy) => busy })
  )

  const linger = Effect.andThen(Effect.sync(stopKeepingAlive), Effect.sleep(lingering))
  // Streams end by nothing else, and their clients go on at another instance.
  const drain = endAll.pipe(
    Effect.andThen(Effect.timeoutOption(untilIdle, Duration.seconds(drainSeconds))),
    Effect.andThen(inFlight.giveUp),
    // Clients get a second to receive the last responses.
    Effect.andThen(Effect.timeoutOption(untilIdle, "1 second")),
    // Ends what Node would wait for: clients that read or write slowly, and connections without a request.
    Effect.andThen(Effect.sync(() => server.closeAllConnections()))
  )
  // Detached, because the server stops at the same time and waits for its connections.
  return Effect.andThen(linger, Effect.forkDetach(drain))
})

export const live = Layer.effectDiscard(
  Effect.flatMap(makeDrain, (drain) => Effect.addFinalizer(() => drain))
)
