/** Answers that last end when their callers lose the right to them. The logs of plugins are such answers. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { PluginLogs } from "../../src/domain/plugin/PluginLogs.ts"
import type { Credentials } from "../../src/domain/session/Session.ts"
import { SessionStore } from "../../src/domain/session/SessionStore.ts"
import { StreamCallers } from "../../src/domain/session/StreamCallers.ts"
import { honest } from "../plugin/archives/zip.ts"
import { uploadPlugin } from "../plugin/support.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, type Person, signUp } from "../support/people.ts"
import { admin } from "../support/roles.ts"
import { counting, statementsOf } from "../support/statements.ts"
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

const storage = { asked: [] as Array<number>, found: [] as Array<number>, isGone: false }

// Where the callers of answers that last are asked for, how many at a time, and how many rows that takes.
const watchedStorage = TestApp.storesBut(SessionStore, (usual) => ({
  ...usual,
  identifyAll: (presented, at) => {
    storage.asked.push(presented.length)
    if (storage.isGone) return Effect.die(new Error("Storage is gone"))
    return Effect.tap(usual.identifyAll(presented, at), (callers) =>
      Effect.sync(() => storage.found.push(callers.length))
    )
  }
}))

const watchedService = counting(People.withCast(TestApp.layerWhere({}, watchedStorage)))

layer(watchedService)("the callers of answers that last", (it) => {
  const nobody: Credentials = { cookies: [], bearer: undefined }
  const unknown = (n: number): Credentials => ({ cookies: [], bearer: `fpk_${String(n).padStart(43, "x")}` })
  const of = ({ cookie }: Person): Credentials => ({
    cookies: cookie === undefined ? [] : [cookie],
    bearer: undefined
  })

  /** Watches for these until so many statements have found callers, and answers how many each of them found. */
  const foundFor = Effect.fnUntraced(function* (all: ReadonlyArray<Credentials>, count: number) {
    const { watch } = yield* StreamCallers
    storage.asked = []
    storage.found = []
    yield* Effect.forEach(all, (one) => watch(one, () => true))
    for (let tries = 0; storage.found.length < count; tries++) {
      assert.isBelow(tries, 5000, "not all are found")
      // Not while a statement is under way, as nobody may be unknown for long.
      if (storage.asked.length === storage.found.length) yield* TestClock.adjust("50 millis")
      yield* TestClock.withLive(Effect.sleep("2 millis"))
    }
    return storage.found.slice(0, count)
  }, Effect.scoped)

  it.effect("are asked for once for all who present the same, however many these are", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const guests = Array.from({ length: 5000 }, () => nobody)
      const members = [freya, freya, loki, freya].map(of)
      const { answer, statements } = yield* statementsOf(foundFor([...guests, ...members], 2))
      assert.deepStrictEqual(answer, [3, 3])
      assert.strictEqual(statements.filter((text) => text.includes("given (session, key, token")).length, 2)
    })
  )

  it.effect("are asked for in parts, and those whose credentials are none as guests from then on", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 1100 }, (_, n) => unknown(n))
      assert.deepStrictEqual(yield* foundFor(all, 5), [500, 500, 100, 1, 1])
    })
  )

  it.effect("are not asked for when there are none", () =>
    Effect.gen(function* () {
      yield* foundFor([nobody], 1)
      const { length } = storage.asked
      yield* second
      yield* second
      assert.strictEqual(storage.asked.length, length)
    })
  )

  it.effect("each lose an answer of their own, when they may not have it", () =>
    Effect.gen(function* () {
      const { watch } = yield* StreamCallers
      const { freya } = yield* Cast
      let may = true
      const [one, other] = [yield* watch(of(freya), () => may), yield* watch(of(freya), () => true)]
      const [losing, keeping] = [yield* Effect.forkScoped(one), yield* Effect.forkScoped(other)]
      yield* second
      assert.isUndefined(losing.pollUnsafe())
      may = false
      yield* second
      yield* inTime("the answer lasts", Fiber.join(losing))
      yield* second
      assert.isUndefined(keeping.pollUnsafe())
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
