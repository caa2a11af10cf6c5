/** One connection of a plugin, from when it may begin until it is closed. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { ChangeFeed } from "../change/ChangeFeed.ts"
import type { JsonObject } from "../field/Json.ts"
import { Ids } from "../shared/Ids.ts"
import { makeFrameHandling } from "./FrameHandling.ts"
import { PluginBots } from "./PluginBots.ts"
import { makePluginHost } from "./PluginHost.ts"
import { makePluginPaces } from "./PluginPace.ts"
import { readFrames, requestFrame } from "./PluginRpc.ts"
import type { PluginSession } from "./PluginSessions.ts"
import { closings, type PluginSocket, type ReceivedFrame } from "./PluginSocket.ts"
import type { StoredPlugin } from "./PluginStore.ts"
import { pauseAmong, type Told, telling } from "./PluginTelling.ts"
import { makeUnanswered, saidBy } from "./Unanswered.ts"

/** How long a plugin may think about a new configuration. */
const configuringMax = "30 seconds"

const make = Effect.gen(function* () {
  const feed = yield* ChangeFeed
  const ids = yield* Ids
  const hostOf = yield* makePluginHost
  const { inTurn, paceOf } = yield* makePluginPaces
  // How many are served.
  let plugins = 0

  /**
   * Serves a plugin until its connection is closed, unless `begin` says that it may not begin. It is told what happens
   * from then on, in the order in which it happened.
   */
  const serve = Effect.fn("PluginConnection.serve")(function* (
    plugin: StoredPlugin,
    socket: PluginSocket,
    begin: (session: PluginSession) => Effect.Effect<boolean>
  ) {
    const { closed, isOpen, readsBatches, receive, send, sendTogether } = socket
    const pace = paceOf(plugin.id)
    const host = yield* hostOf(plugin, socket.userAgent)
    const { answerTo, answered, toldOf } = makeUnanswered()
    const handle = makeFrameHandling({ id: plugin.id, socket, pace, host, answered })

    const read = ({ bytes, text }: ReceivedFrame) => {
      pace.count(bytes)
      if (text === undefined) return Effect.void
      const reading = Effect.sync(() => readFrames(text))
      return Effect.flatMap(inTurn(bytes, reading), handle)
    }

    const configure = Effect.fnUntraced(function* <E, R>(
      configuration: JsonObject,
      storing: Effect.Effect<void, E, R>
    ) {
      const id = yield* ids.next
      const sending = () => send(requestFrame(id, "configure", configuration))
      const answer = yield* Effect.raceFirst(
        Effect.map(answerTo(id, sending), saidBy),
        Effect.as(closed, { _tag: "Gone" } as const)
      ).pipe(
        Effect.timeoutOrElse({
          duration: configuringMax,
          orElse: () => Effect.succeed({ _tag: "Late" } as const)
        })
      )
      if (answer._tag === "Taken") yield* storing
      return answer
    }, Semaphore.makeUnsafe(1).withPermits(1))

    const end: PluginSession["end"] = (closing) => Effect.andThen(socket.close(closing), closed)

    const names = plugin.manifest.events_consumed ?? []
    // Nothing is read for those who want to be told of nothing.
    const { take } = names.length === 0 ? { take: Effect.never } : yield* feed.subscribe(names)
    if (!(yield* begin({ plugin, configure, end, closed, isOpen })))
      return yield* socket.close(closings.rejected)

    const tell: Told["tell"] = (changes, frames) => {
      toldOf(changes)
      sendTogether(frames)
    }
    const reading = Effect.flatMap(Effect.andThen(pace.pass, receive), read)
    yield* Effect.acquireRelease(
      Effect.sync(() => ++plugins),
      () => Effect.sync(() => --plugins)
    )

    // Who waits to be read is gone as soon as it leaves.
    yield* Effect.raceAllFirst([
      Effect.forever(reading),
      telling({ take, tell, inBatches: readsBatches, pause: () => pauseAmong(plugins) }),
      closed
    ]).pipe(
      Effect.catchTags({
        PluginSocketClosed: () => Effect.void,
        ChangesLost: () => socket.close(closings.slow)
      })
    )
  }, Effect.scoped)

  return { serve } as const
})

export class PluginConnection extends Context.Service<PluginConnection, Effect.Success<typeof make>>()(
  "forum/domain/PluginConnection"
) {
  static readonly layer = Layer.effect(PluginConnection, make).pipe(Layer.provide(PluginBots.layer))
}
