/** Programs in the place of processes that the service runs: a test decides what becomes of each. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  type PluginEnd,
  PluginLaunchFailed,
  PluginProcesses,
  type PluginProgram
} from "../../src/domain/plugin/PluginProcesses.ts"
import { PluginRuntimeSettings, usualLimits } from "../../src/domain/plugin/PluginRuntime.ts"
import { PluginStore } from "../../src/domain/plugin/PluginStore.ts"
import { usualPolicy } from "../../src/domain/plugin/SupervisionRules.ts"
import { PluginFiles } from "../../src/layers/adapters/plugins/LocalPluginDirectories.ts"
import { ok } from "../support/answers.ts"
import type { Person } from "../support/people.ts"
import * as People from "../support/people.ts"
import { connectTo } from "../support/plugins.ts"
import * as TestApp from "../support/TestApp.ts"
import { uploadPlugin } from "./support.ts"

/** A program that was started. */
export interface Started {
  readonly program: PluginProgram
  /** Lets it end. */
  readonly exit: (end: PluginEnd) => Effect.Effect<unknown>
  /** How the service has ended it. */
  endedBy: "nobody" | "asking" | "force"
}

/** What becomes of the next programs of a plugin, before they are started. */
export type Launching = Effect.Effect<void, PluginLaunchFailed>

export const failing = (message: string): Launching => Effect.fail(new PluginLaunchFailed({ message }))

/** All that were started, by their plugin; what becomes of those that are about to be; and what those do that are asked to end, once. */
export const started = new Map<string, Array<Started>>()
export const launching = new Map<string, Launching>()
export const ending = new Map<string, Effect.Effect<void>>()

/** What happens before storage is asked for a plugin, and before it notes how the program of one may connect. */
export const finding = new Map<string, Effect.Effect<void>>()
export const entering = new Map<string, Effect.Effect<void>>()

const stopped: PluginEnd = { reason: "signal", signal: "SIGINT", text: "signal: interrupt" }

const launch = Effect.fnUntraced(function* (program: PluginProgram) {
  yield* launching.get(program.id) ?? Effect.void
  const ended = yield* Deferred.make<PluginEnd>()
  const one: Started = { program, exit: (end) => Deferred.succeed(ended, end), endedBy: "nobody" }
  const others = started.get(program.id) ?? []
  yield* Effect.acquireRelease(
    Effect.sync(() => started.set(program.id, [...others, one])),
    () =>
      Effect.sync(() => {
        if (one.endedBy === "nobody") one.endedBy = "force"
      })
  )
  const stop = Effect.suspend(() => {
    one.endedBy = "asking"
    const lasts = ending.get(program.id) ?? Effect.void
    // Time stands still at the end of a test.
    ending.delete(program.id)
    return Effect.andThen(lasts, one.exit(stopped))
  })
  return { pid: 0, exited: Deferred.await(ended), stop: Effect.asVoid(stop) }
})

/** Where plugins are unpacked. */
export const unpacked = { directory: "" }

const files = Layer.effect(
  PluginFiles,
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "forum-plugins-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
    ),
    (directory) => {
      unpacked.directory = directory
      for (const kept of [started, launching, ending, finding, entering]) kept.clear()
      return { directory }
    }
  )
)

const processes = Layer.effect(
  PluginProcesses,
  Effect.map(PluginProcesses, ({ isolation }) => ({ isolation, launch }))
).pipe(Layer.provideMerge(TestApp.noPrograms))

/** A program that has run for two seconds has begun well, and is started again a moment after it ends. */
const settings = Layer.succeed(PluginRuntimeSettings, {
  limits: usualLimits,
  policy: { ...usualPolicy, settledAfter: Duration.seconds(2), settledBackoff: Duration.millis(200) }
})

const stores = TestApp.storesBut(PluginStore, (usual) => ({
  ...usual,
  find: (id) => Effect.suspend(() => finding.get(id) ?? Effect.void).pipe(Effect.andThen(usual.find(id))),
  setEntry: (id, ...entry) =>
    Effect.suspend(() => entering.get(id) ?? Effect.void).pipe(Effect.andThen(usual.setEntry(id, ...entry)))
}))

export const service = People.withCast(
  TestApp.layerWithPrograms(Layer.merge(processes, files), stores).pipe(Layer.provide(settings))
)

/**
 * Lets a moment pass by the clock of the test, and on the wall as long as the database needs for a few statements: what
 * looks every second is never late by the clock of the test, however slow the machine.
 */
const moment = Effect.gen(function* () {
  yield* TestClock.adjust("100 millis")
  const sql = yield* SqlClient.SqlClient
  for (let n = 0; n < 3; n++) yield* sql`select 1`
})

/** Lets time pass until something is so; fails if it is not so after minutes by the clock of the test. */
export const until = Effect.fnUntraced(function* (isSo: () => boolean) {
  yield* Effect.repeat(moment, { until: isSo, times: 4000 })
  if (!isSo()) return yield* Effect.die(new Error(`It does not become so: ${isSo}`))
})

export const pass = (seconds: number) => Effect.repeat(moment, { times: seconds * 10 - 1 })

export const startedOf = (id: string): ReadonlyArray<Started> => started.get(id) ?? []

/** Adds a supervised plugin. */
export const upload = (person: Person, archive: Uint8Array) =>
  Effect.map(uploadPlugin(person, archive), (answer) => String(ok(answer).id))

/** Asks for a plugin to run, or not. */
const asking = (person: Person, id: string, active: "active" | "inactive") =>
  Effect.forkChild(person.patch(`/plugins/${id}/active`, { active }))

/** Lets time pass until what was asked for is answered. */
const answered = Effect.fnUntraced(function* <A, E>(asked: Fiber.Fiber<A, E>) {
  yield* until(() => asked.pollUnsafe() !== undefined)
  return yield* Fiber.join(asked)
})

/** Asks for a plugin to run, or not, and lets time pass until that is answered. */
export const setActive = (person: Person, id: string, active: "active" | "inactive") =>
  Effect.flatMap(asking(person, id, active), answered)

/**
 * Asks for a plugin to run, and connects its first program. No time passes while that connects: it has half a minute for
 * that by the clock of the test, which may be less on the wall than a busy machine takes.
 */
export const activate = Effect.fnUntraced(function* (person: Person, id: string) {
  const asked = yield* asking(person, id, "active")
  yield* until(() => startedOf(id).length === 1)
  const program = yield* connectLast(id)
  assert.strictEqual(ok(yield* answered(asked)).status.active_state, "active")
  return program
})

/** Connects the last program of a plugin that was started. */
export const connectLast = Effect.fnUntraced(function* (id: string) {
  const url = new URL(startedOf(id).at(-1)?.program.environment.FORUM_RPC_URL ?? "")
  return yield* connectTo(`${url.pathname}${url.search}`)
})
