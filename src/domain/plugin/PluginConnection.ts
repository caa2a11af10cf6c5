/** One connection of a plugin, from when it may begin until it is closed. */
import { Context, Deferred, Effect, Layer, Predicate, Semaphore } from "effect"
import { ChangeFeed, type LoggedChange } from "../change/ChangeFeed.ts"
import type { JsonObject } from "../field/Json.ts"
import type { PluginId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"
import { PluginBots } from "./PluginBots.ts"
import { makePluginHost } from "./PluginHost.ts"
import { makePluginPaces } from "./PluginPace.ts"
import { type Frame, failureFrame, readFrame, requestFrame, rpcCodes } from "./PluginRpc.ts"
import type { PluginSession } from "./PluginSessions.ts"
import { closings, type PluginSocket, type ReceivedFrame } from "./PluginSocket.ts"
import type { StoredPlugin } from "./PluginStore.ts"
import { pauseAmong, telling } from "./PluginTelling.ts"

/** How long a plugin may think about a new configuration. */
const configuringMax = "30 seconds"

/** How many events wait for the answer of a plugin; an answer to an older one says nothing. */
const unansweredMax = 1000

type Request = Extract<Frame, { readonly _tag: "Request" }>
type Answer = Extract<Frame, { readonly _tag: "Result" | "Failure" }>

const isOk = (result: unknown): boolean => Predicate.hasProperty(result, "ok") && result.ok === true

const answerOf = (answer: Answer): ConfigurationAnswer => {
  if (answer._tag === "Failure") return { _tag: "Failed", failure: answer.failure }
  return isOk(answer.result) ? { _tag: "Taken" } : { _tag: "Refused" }
}

/** What the service has sent and the plugin has not answered. */
const makeUnanswered = (id: PluginId) => {
  const calls = new Map<Answer["id"], Deferred.Deferred<Answer>>()
  const events = new Map<Answer["id"], string>()

  const noteFailedEvent = (answer: Answer) => {
    const event = events.get(answer.id)
    events.delete(answer.id)
    if (event === undefined || (answer._tag === "Result" && isOk(answer.result))) return Effect.void
    const { code, message } =
      answer._tag === "Failure" ? answer.failure : { code: rpcCodes.failed, message: "It is not ok" }
    return Effect.annotateLogs(Effect.logInfo("A plugin could not handle an event"), {
      plugin_id: id,
      event,
      code,
      message
    })
  }

  return {
    toldOf: (changes: ReadonlyArray<LoggedChange>) => {
      for (const { change, id } of changes) events.set(id, change.event)
      if (events.size <= unansweredMax) return
      // To find the oldest passes over all that were answered before.
      for (const oldest of events.keys()) {
        if (events.size <= unansweredMax) return
        events.delete(oldest)
      }
    },
    /** Waits for the answer to a call that `send` sends. */
    answerTo: Effect.fnUntraced(function* (call: string, send: () => void) {
      const answer = yield* Deferred.make<Answer>()
      calls.set(call, answer)
      send()
      return yield* Effect.ensuring(
        Deferred.await(answer),
        Effect.sync(() => calls.delete(call))
      )
    }),
    answered: (answer: Answer): Effect.Effect<void> => {
      const call = calls.get(answer.id)
      return call === undefined ? noteFailedEvent(answer) : Effect.asVoid(Deferred.succeed(call, answer))
    }
  } as const
}

const callFailed = { code: rpcCodes.failed, message: "The call failed in the service" }

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
    const { closed, isOpen, receive, send, sendTogether } = socket
    const pace = paceOf(plugin.id)
    const answering = (text: string) => {
      pace.count(text.length)
      send(text)
    }
    const host = yield* hostOf(plugin, { ...socket, send: answering })
    const { answerTo, answered, toldOf } = makeUnanswered(plugin.id)

    const asked = (request: Request) =>
      Effect.catchCause(host(request), (cause) => {
        if (request.id !== undefined) answering(failureFrame(request.id, callFailed))
        return Effect.annotateLogs(Effect.logError("A call of a plugin failed", cause), {
          plugin_id: plugin.id,
          method: request.method
        })
      })

    const handle = (frame: Frame): Effect.Effect<void> => {
      switch (frame._tag) {
        case "Request":
          return asked(frame)
        case "Refused":
          return Effect.sync(() => answering(failureFrame(null, frame.failure)))
        case "Unreadable":
          return socket.close(closings.unreadable)
        default:
          return answered(frame)
      }
    }

    const read = ({ bytes, text }: ReceivedFrame) => {
      pace.count(bytes)
      if (text === undefined) return Effect.void
      return inTurn(
        bytes,
        Effect.suspend(() => handle(readFrame(text)))
      )
    }

    const configure = Effect.fnUntraced(function* <E, R>(
      configuration: JsonObject,
      storing: Effect.Effect<void, E, R>
    ) {
      const id = yield* ids.next
      const sending = () => send(requestFrame(id, "configure", configuration))
      const answer = yield* Effect.raceFirst(
        Effect.map(answerTo(id, sending), answerOf),
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

    const tell = (changes: ReadonlyArray<LoggedChange>, frames: ReadonlyArray<string>) => {
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
      telling(take, tell, () => pauseAmong(plugins)),
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
