/** Answers that last end when their callers lose the right to them. The logs of plugins are such answers. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import { SessionStore } from "../../src/domain/session/SessionStore.ts"
import { StreamCallers } from "../../src/domain/session/StreamCallers.ts"
import { honest } from "../plugin/archives/zip.ts"
import { uploadPlugin } from "../plugin/support.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, signUp } from "../support/people.ts"
import { admin } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"
import { inTime, second } from "../support/waiting.ts"

// Whoever has read the first line of a log follows it. It does not end by itself.
let followed = Deferred.makeUnsafe<void>()

const endlessLogs = Layer.effect(
  PluginLogs,
  Effect.map(PluginLogs, (usual) =>
    PluginLogs.of({
      ...usual,
      follow: () =>
        Stream.concat(
          Stream.succeed("a line"),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(followed, undefined), Effect.never))
        )
    })
  )
).pipe(Layer.provideMerge(TestApp.noPrograms))

const service = People.withCast(TestApp.layerWithPrograms(endlessLogs))

/** Follows the log of a plugin; the fiber has the whole answer once it has ended. */
const following = Effect.fnUntraced(function* (caller: Person) {
  const { odin } = yield* Cast
  const { id } = ok(yield* uploadPlugin(odin, honest()))
  followed = Deferred.makeUnsafe<void>()
  const answering = yield* Effect.forkScoped(caller.get(`/plugins/${id}/logs`))
  yield* inTime("nobody follows the log", Deferred.await(followed))
  return answering
})

const administrator = Effect.fnUntraced(function* (handle: string) {
  const { odin } = yield* Cast
  const person = yield* signUp(handle)
  ok(yield* odin.put(`/accounts/${handle}/roles/${admin.id}`))
  return person
})

const losses: Readonly<
  Record<
    string,
    (handle: string, person: Person, odin: Person) => Effect.Effect<unknown, unknown, HttpClient.HttpClient>
  >
> = {
  "is no administrator any more": (handle, _, odin) => odin.delete(`/accounts/${handle}/roles/${admin.id}`),
  "is suspended": (handle, _, odin) => odin.post(`/admin/bans/${handle}`),
  "has signed out": (_, person) => person.post("/auth/logout")
}

layer(Layer.provideMerge(TestApp.uncached, service))("an answer that lasts", (it) => {
  for (const [n, [name, lose]] of Object.entries(losses).entries()) {
    it.effect(`is over a second after its caller ${name} on another instance, and no other is`, () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const handle = `watcher-${n}`
        const person = yield* administrator(handle)
        const elsewhere = yield* TestApp.UncachedClient
        const stays = yield* following(odin)
        const ends = yield* following(person)
        yield* second
        assert.isUndefined(ends.pollUnsafe())
        yield* Effect.provideService(lose(handle, person, odin), HttpClient.HttpClient, elsewhere)
        yield* second
        const answer = yield* inTime("the answer lasts", Fiber.join(ends))
        // It does not say that there will be no more.
        assert.strictEqual(answer.text, "data: a line\n\n")
        yield* second
        assert.isUndefined(stays.pollUnsafe())
      })
    )
  }
})

const storage = { asked: [] as Array<number>, isGone: false }

// Where the callers of answers that last are asked for, and how many at a time.
const watchedStorage = TestApp.storesBut(SessionStore, (usual) => ({
  ...usual,
  identifyAll: (presented, at) => {
    storage.asked.push(presented.length)
    return storage.isGone ? Effect.die(new Error("Storage is gone")) : usual.identifyAll(presented, at)
  }
}))

layer(People.withCast(TestApp.layerWhere({}, watchedStorage)))("the callers of answers that last", (it) => {
  const nobody = { cookies: [], bearer: undefined }

  it.effect("are asked for together, in parts, and not at all when there are none", () =>
    Effect.gen(function* () {
      const { watch } = yield* StreamCallers
      yield* second
      assert.deepStrictEqual(storage.asked, [])
      yield* Effect.forEach(Array.from({ length: 1100 }), () => watch(nobody, () => true)).pipe(
        Effect.andThen(TestClock.adjust("500 millis")),
        Effect.andThen(
          inTime(
            "not all are asked for",
            Effect.yieldNow.pipe(Effect.repeat({ while: () => storage.asked.length < 3 }))
          )
        ),
        Effect.scoped
      )
      assert.deepStrictEqual(storage.asked, [500, 500, 100])
      yield* second
      yield* second
      assert.strictEqual(storage.asked.length, 3)
    })
  )

  it.effect("who are not known for five seconds lose them", () =>
    Effect.gen(function* () {
      const { watch } = yield* StreamCallers
      const lost = yield* watch(nobody, () => true)
      storage.isGone = true
      const waiting = yield* Effect.forkScoped(lost)
      for (let n = 0; n < 4; n++) yield* second
      assert.isUndefined(waiting.pollUnsafe())
      yield* second
      yield* second
      yield* inTime("the answer lasts", Fiber.join(waiting))
    })
  )
})
