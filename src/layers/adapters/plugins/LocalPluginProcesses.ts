/** Runs programs of plugins as processes of this machine. */
import { chmod, mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Duration, Effect, Exit, Layer } from "effect"
import { describeIsolation, isKept } from "../../../domain/plugin/IsolationText.ts"
import { PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import {
  type Holding,
  PluginLaunchFailed,
  PluginProcesses,
  type PluginProgram
} from "../../../domain/plugin/PluginProcesses.ts"
import { Settings } from "../../process/Settings.ts"
import { Names } from "../outbound/Names.ts"
import { complaintOf } from "./Command.ts"
import { leadTo } from "./Doors.ts"
import { leadOutside, type Outside } from "./Egress.ts"
import { failureOf, findHost, type Host, type Without } from "./Host.ts"
import { pathBoxed, pathOfService, pathUnboxed } from "./Machine.ts"
import { type Launch, start } from "./Running.ts"
import { removeTree } from "./removeTree.ts"
import { type Box, seenAt } from "./Sandbox.ts"
import { giveTo, userOf } from "./Users.ts"
import { type Means, userArguments, wrapped } from "./Wrapping.ts"

interface Options {
  readonly dataDir: string
  readonly outside: Outside
  readonly without?: ReadonlyArray<Without>
}

const loopback = "127.0.0.1"

/** The port of the proxy, in the network of the plugin. */
const proxyPortBeside = (servicePort: number) => (servicePort === 3128 ? 3129 : 3128)

// What is left of the memory is for what is not on the heap.
const heapShare = 0.6

/** What programs of the usual kinds read to find the proxy. */
const towards = (port: number) => {
  const proxy = `http://${loopback}:${port}`
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    ...Object.fromEntries(["NO_PROXY", "no_proxy"].map((name) => [name, `${loopback},localhost`])),
    NODE_USE_ENV_PROXY: "1"
  }
}

const environmentOf = (program: PluginProgram, { boxes }: Means, temporary: string) => {
  const heap = Math.floor(program.limits.memoryMegabytes * heapShare)
  return {
    // Both would otherwise begin to save memory when it is too late.
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
    GOMEMLIMIT: `${heap}MiB`,
    ...(boxes === "files and network" ? towards(proxyPortBeside(program.servicePort)) : {}),
    ...program.environment,
    ...(boxes === "none"
      ? { PATH: pathUnboxed(), HOME: program.directory, TMPDIR: temporary }
      : { PATH: pathOfService(), HOME: seenAt.directory, TMPDIR: seenAt.temporary }),
    LANG: process.env.LANG ?? "C.UTF-8",
    FORUM_PLUGIN: program.id
  }
}

const traitOf = ({ boxes }: Means, id: string, uid: number | undefined): Launch["trait"] => {
  if (boxes !== "none") return { _tag: "Namespace" }
  return uid === undefined ? { _tag: "Environment", entry: `FORUM_PLUGIN=${id}` } : { _tag: "User", uid }
}

const doorsOf = (program: PluginProgram, { boxes }: Means, outside: Outside): Launch["doors"] =>
  boxes === "files and network"
    ? [
        { port: program.servicePort, handle: leadTo(program.servicePort, program.serviceHost ?? loopback) },
        { port: proxyPortBeside(program.servicePort), handle: leadOutside(program.hosts, outside) }
      ]
    : []

/** A directory that only the plugin enters, and room in it for files that are gone with the next start. */
const prepare = async ({ directory }: PluginProgram, { boxes }: Means, uid: number | undefined) => {
  const temporary = join(directory, ".tmp")
  await chmod(directory, 0o700)
  await removeTree(temporary)
  await mkdir(temporary, { mode: 0o700 })
  if (uid === undefined) return temporary
  await giveTo(uid, directory)
  const enter = ["setpriv", ...userArguments(uid), "--", "/bin/sh", "-c", 'cd "$1"', "sh", directory]
  const failure = boxes === "none" ? await failureOf(enter) : undefined
  if (failure !== undefined) throw new Error(`Its user cannot enter ${directory}: ${failure}`)
  return temporary
}

const reasonFor = (holding: Holding) =>
  holding === "held" ? "It cannot be started" : `It is not started: ${holding.because}`

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** How a program is started on this machine; rejects, if it cannot be. */
const launchOf = async (
  program: PluginProgram,
  { machine, means }: Host,
  uid: number | undefined,
  outside: Outside
): Promise<Omit<Launch, "append" | "afterwards">> => {
  const isBoxed = means.boxes !== "none"
  const [path, names] = isBoxed ? [pathBoxed(), ["node"]] : [pathUnboxed(), []]
  const complaint = complaintOf(program.command, program.directory, path, names)
  if (complaint !== undefined) throw new Error(complaint)
  const temporary = await prepare(program, means, uid)
  const doors = doorsOf(program, means, outside)
  const box: Box = {
    uid: uid ?? 0,
    directory: program.directory,
    temporary,
    network: means.boxes === "files and network",
    ports: doors.map(({ port }) => port),
    path
  }
  return {
    command: wrapped(means, machine, {
      command: [program.command, ...program.args],
      limits: program.limits,
      uid,
      box
    }),
    directory: program.directory,
    environment: environmentOf(program, means, temporary),
    trait: traitOf(means, program.id, uid),
    doors,
    limits: program.limits
  }
}

/** Tells operators what keeps plugins from the service, before the first of them runs. */
const tell = ({ isolation }: Host) => {
  const { held, missing } = describeIsolation(isolation)
  if (isKept(isolation)) return Effect.logInfo(`Plugins have ${held.join(", ")}`)
  return Effect.logWarning(
    `Plugins have not: ${missing.join("; ")}. See Plugins in docs/operating.md for what that means and what gives it`
  )
}

export const make = Effect.fnUntraced(function* ({ dataDir, outside, without = [] }: Options) {
  const logs = yield* PluginLogs
  const failed = (error: unknown) => new PluginLaunchFailed({ message: reasonOf(error) })
  // What fails now, as nothing can be written, may work at the next try.
  const host = yield* Effect.cachedWithTTL(
    Effect.tap(Effect.tryPromise({ try: () => findHost(resolve(dataDir), without), catch: failed }), tell),
    (found) => (Exit.isSuccess(found) ? Duration.infinity : Duration.zero)
  )
  const users = new Map<string, number | undefined>()

  /** No two programs of a plugin use its directory, and no two plugins have one user. */
  const claim = (id: string, { isolation, means }: Host) =>
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          if (users.has(id)) throw new Error("It runs already")
          if (means.users === undefined && !means.asUser) throw new Error(reasonFor(isolation.user))
          const taken = new Set([...users.values()].filter((uid) => uid !== undefined))
          const uid = means.users === undefined ? undefined : userOf(id, means.users, taken)
          users.set(id, uid)
          return uid
        },
        catch: failed
      }),
      () => Effect.sync(() => users.delete(id))
    )

  return PluginProcesses.of({
    isolation: Effect.map(Effect.orDie(host), ({ isolation }) => isolation),
    launch: Effect.fnUntraced(function* (program) {
      const found = yield* host
      const uid = yield* claim(program.id, found)
      const { finished, pid, stop } = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: async () =>
            start({
              ...(await launchOf(program, found, uid, outside)),
              append: (lines) => Effect.runPromise(logs.append(program.id, lines)),
              afterwards: () => Effect.runPromise(logs.rotate(program.id))
            }),
          catch: failed
        }),
        (started) => Effect.promise(started.kill)
      )
      return { pid, exited: Effect.promise(() => finished), stop: Effect.promise(stop) }
    })
  })
})

export const layer = Layer.effect(
  PluginProcesses,
  Effect.gen(function* () {
    const { dataDir, outboundNetworks } = yield* Settings
    return yield* make({ dataDir, outside: { names: yield* Names, opened: outboundNetworks } })
  })
).pipe(Layer.provide(Names.live))
