import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type PluginSession, PluginSessions } from "../../../src/domain/plugin/PluginSessions.ts"
import type { StoredPlugin } from "../../../src/domain/plugin/PluginStore.ts"
import { PluginId } from "../../../src/domain/shared/Id.ts"

const id = PluginId.make("00000000000000000100")
const at = DateTime.makeUnsafe("2026-11-26T09:00:00Z")

const plugin: StoredPlugin = {
  id,
  addedAt: at,
  manifest: {
    id: "greeter",
    name: "Greeter",
    author: "odin",
    description: "",
    version: "1.0.0",
    command: ""
  },
  connection: { mode: "external", sealedToken: new Uint8Array(), tokenHash: new Uint8Array() },
  configuration: {},
  isWanted: true,
  revision: 1,
  state: { name: "connecting", at },
  lease: undefined,
  accountId: undefined,
  roleId: undefined
}

/** A connection that is open as long as `open` is not done. */
const sessionUntil = (open: Deferred.Deferred<void>): PluginSession => ({
  plugin,
  configure: () => Effect.succeed({ _tag: "Taken" }),
  end: () => Effect.void,
  closed: Deferred.await(open),
  isOpen: () => !Deferred.isDoneUnsafe(open)
})

const openSession = Effect.map(Deferred.make<void>(), (closed) => ({ closed, session: sessionUntil(closed) }))

layer(PluginSessions.layer)("the place of a plugin", (it) => {
  it.effect("is taken by one connection, which others do not push out of it", () =>
    Effect.gen(function* () {
      const sessions = yield* PluginSessions
      const [{ session: first }, { session: second }] = [yield* openSession, yield* openSession]
      assert.isFalse(yield* sessions.connect(id, first))
      const slot = yield* sessions.expect(id)
      assert.isTrue(yield* sessions.connect(id, first))
      assert.isFalse(yield* sessions.connect(id, second))
      assert.strictEqual(sessions.find(id), first)
      assert.strictEqual(slot && (yield* slot.connected), first)
      assert.isUndefined(yield* sessions.expect(id))
    }).pipe(Effect.scoped)
  )

  it.effect("is free when its scope ends", () =>
    Effect.gen(function* () {
      const sessions = yield* PluginSessions
      const { session } = yield* openSession
      yield* Effect.scoped(Effect.andThen(sessions.expect(id), sessions.connect(id, session)))
      assert.deepStrictEqual(sessions.list(), [])
      assert.isDefined(yield* sessions.expect(id))
    }).pipe(Effect.scoped)
  )

  it.effect("is waited for while the connection that has it is being closed", () =>
    Effect.gen(function* () {
      const sessions = yield* PluginSessions
      const { closed, session } = yield* openSession
      const former = yield* Scope.make()
      yield* Scope.provide(sessions.expect(id), former)
      yield* sessions.connect(id, session)
      yield* Deferred.succeed(closed, undefined)
      const next = yield* Effect.forkScoped(sessions.expect(id))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(next.pollUnsafe())
      yield* Scope.close(former, Exit.void)
      assert.isDefined(yield* Fiber.join(next))
    }).pipe(Effect.scoped)
  )

  it.effect("is waited for no longer than three seconds", () =>
    Effect.gen(function* () {
      const sessions = yield* PluginSessions
      const { closed, session } = yield* openSession
      yield* sessions.expect(id)
      yield* sessions.connect(id, session)
      yield* Deferred.succeed(closed, undefined)
      const next = yield* Effect.forkScoped(sessions.expect(id))
      yield* TestClock.adjust("3 seconds")
      assert.isUndefined(yield* Fiber.join(next))
    }).pipe(Effect.scoped)
  )
})
