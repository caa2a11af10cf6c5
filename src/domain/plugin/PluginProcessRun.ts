/** Runs one process of a plugin on this instance, from its start to its end. */
import { Data, DateTime, Deferred, Duration, Effect } from "effect"
import type { PluginId } from "../shared/Id.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { PluginInstance } from "./PluginInstance.ts"
import { type PluginEnd, PluginProcesses, type RunningPlugin } from "./PluginProcesses.ts"
import { localHost, PluginDirectories, PluginPort, PluginRuntimeSettings } from "./PluginRuntime.ts"
import { type PluginSession, PluginSessions } from "./PluginSessions.ts"
import { closings } from "./PluginSocket.ts"
import { type PluginPackage, PluginStore, type StoredPlugin } from "./PluginStore.ts"

/** How long a process may take until it has connected, and again after its connection was closed. */
const connectingMax = "30 seconds"

/** A plugin that this instance runs, and the archive that it was unpacked from. */
export interface SupervisedPlugin {
  readonly plugin: StoredPlugin
  readonly archive: PluginPackage
}

/** How one process came to its end. */
export type Ended =
  | { readonly _tag: "Stopped" }
  | {
      readonly _tag: "Crashed"
      readonly stage: "start" | "exit"
      readonly text: string
      readonly code: number | undefined
      /** How long it was connected. */
      readonly uptime: Duration.Duration
    }

const stopped: Ended = { _tag: "Stopped" }

/** Another instance may run the plugin by now. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

const checkOurs = (isOurs: boolean) => (isOurs ? Effect.void : Effect.fail(new LeaseLost()))

/** A process that ended although nobody asked it to. */
export type Crash = Extract<Ended, { readonly _tag: "Crashed" }>

const crashOf = (
  stage: "start" | "exit",
  { code, text }: Pick<PluginEnd, "code" | "text">,
  uptime = Duration.zero
): Ended => ({
  _tag: "Crashed",
  stage,
  text,
  code,
  uptime
})

/** Makes the function that runs one process until it ends, or is to stop. */
export const makeProcessRun = Effect.gen(function* () {
  const store = yield* PluginStore
  const sessions = yield* PluginSessions
  const processes = yield* PluginProcesses
  const directories = yield* PluginDirectories
  const { host: serviceHost, port: servicePort } = yield* PluginPort
  const { limits } = yield* PluginRuntimeSettings
  const { name: instance } = yield* PluginInstance
  const tokens = yield* makeTokens

  const say = Effect.fnUntraced(function* (id: PluginId, name: "starting" | "connecting" | "active") {
    yield* checkOurs(yield* store.setState(id, instance, { name, at: yield* DateTime.now }, true))
  })

  /** Lets the process of a plugin connect once, with a secret that is worth nothing when it has ended. */
  const admit = Effect.fnUntraced(function* (id: PluginId) {
    const secret = yield* tokens.make
    const noting = Effect.flatMap(store.setEntry(id, instance, yield* tokens.hash(secret)), checkOurs)
    yield* Effect.acquireRelease(noting, () =>
      Effect.catchCause(store.setEntry(id, instance, undefined), (cause) =>
        Effect.logWarning("A plugin that has ended could still connect", cause)
      )
    )
    return secret
  })

  /** Starts the process, which connects with a secret that is worth nothing afterwards. */
  const launch = Effect.fnUntraced(function* ({ archive, plugin }: SupervisedPlugin) {
    const { id, manifest } = plugin
    const directory = yield* directories.prepare(id, archive)
    const secret = yield* admit(id)
    const address = `ws://${localHost}:${servicePort}/rpc?plugin_id=${id}&token=${secret}`
    return yield* processes.launch({
      id,
      directory,
      command: manifest.command,
      args: manifest.args ?? [],
      environment: { FORUM_RPC_URL: address, STORYDEN_RPC_URL: address },
      limits,
      servicePort,
      ...(serviceHost === undefined ? {} : { serviceHost }),
      hosts: []
    })
  })

  /** From when the process is connected until it has ended. */
  const connected = Effect.fnUntraced(function* (
    { id }: StoredPlugin,
    running: RunningPlugin,
    session: PluginSession,
    stopping: Deferred.Deferred<void>
  ) {
    yield* say(id, "active")
    const since = yield* DateTime.now
    const uptime = Effect.map(DateTime.now, (now) => DateTime.distance(since, now))
    const exited = Effect.flatMap(running.exited, (end) =>
      Effect.map(uptime, (time) => crashOf("exit", end, time))
    )
    const left = Effect.andThen(
      session.closed,
      Effect.andThen(
        say(id, "connecting"),
        Effect.delay(
          Effect.map(uptime, (time) => crashOf("start", { text: "the plugin closed its connection" }, time)),
          connectingMax
        )
      )
    )
    const ended = yield* Effect.raceAllFirst([exited, left, Effect.as(Deferred.await(stopping), stopped)])
    if (ended._tag === "Stopped") yield* session.end(closings.closed)
    return ended
  })

  return Effect.fnUntraced(
    function* (supervised: SupervisedPlugin, stopping: Deferred.Deferred<void>) {
      const { plugin } = supervised
      yield* say(plugin.id, "starting")
      const slot = yield* sessions.expect(plugin.id)
      if (slot === undefined) return crashOf("start", { text: "the plugin is connected already" })
      const running = yield* launch(supervised)
      yield* say(plugin.id, "connecting")
      const first = yield* Effect.raceAllFirst([
        slot.connected,
        Effect.map(running.exited, (end) => crashOf("start", end)),
        Effect.as(Deferred.await(stopping), stopped),
        Effect.as(
          Effect.sleep(connectingMax),
          crashOf("start", { text: "the plugin did not connect in time" })
        )
      ])
      const ended = "_tag" in first ? first : yield* connected(plugin, running, first, stopping)
      yield* running.stop
      return ended
    },
    Effect.scoped,
    Effect.catchTags({
      PluginLaunchFailed: ({ message }) => Effect.succeed(crashOf("start", { text: message })),
      // Its process has been ended at once, without being asked to.
      LeaseLost: () => Effect.succeed(stopped)
    })
  )
})
