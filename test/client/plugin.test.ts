/** Programs of plugins that are made with the client, against the real service. */
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import {
  type Change,
  connect,
  connectPlugin,
  type PluginOptions,
  PluginRefused
} from "../../src/client/Plugin.ts"
import { PluginKeeper } from "../../src/domain/plugin/PluginKeeper.ts"
import { ok } from "../support/answers.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"
import { addExternal } from "../support/plugins.ts"
import { inTime } from "../support/waiting.ts"

const addressOfService = Effect.map(HttpServer.HttpServer, ({ address }) =>
  HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
)

/** Waits for what is told a moment later, by the clock of the test. */
const untilTold = (isSo: () => boolean) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("10 millis"), TestClock.withLive(Effect.sleep("5 millis"))), {
    while: () => !isSo(),
    times: 2000
  })

const statusOf = (person: Person, id: string) =>
  Effect.map(person.get(`/plugins/${id}`), (answer) => ok(answer).status.active_state as string)

/** Ends connections of plugins that have changed, as the service does all the time. */
const keeping = Effect.flatMap(PluginKeeper, ({ run }) => Effect.forkScoped(run))

/** Connects with these options until the test ends. */
const connected = Effect.fnUntraced(function* (token: string, options: PluginOptions = {}) {
  const url = yield* addressOfService
  return yield* Effect.acquireRelease(
    Effect.promise(() => connectPlugin({ url, token, apiUrl: url, ...options })),
    ({ close, closed }) =>
      Effect.promise(() => {
        close()
        return closed
      })
  )
})

const events = { events_consumed: ["EventCategoryUpdated"] }
const access = { access: { handle: "tide", name: "Tide", permissions: ["MANAGE_CATEGORIES"] } }

layer(People.layer)("a plugin made with the client", (it) => {
  it.effect("is told what happens, typed, and says what went wrong", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin, events)
      const slugs: Array<string> = []
      const errors: Array<[unknown, Change | undefined]> = []
      yield* connected(connection.token, {
        on: {
          EventCategoryUpdated: async ({ slug }) => {
            slugs.push(slug)
            if (slug === "tides") throw new Error("too wet")
          }
        },
        onError: (error, event) => errors.push([error, event])
      })
      yield* category(odin, "Tides")
      yield* category(odin, "Rocks")
      yield* untilTold(() => slugs.length === 2)
      assert.deepStrictEqual(slugs, ["tides", "rocks"])
      const [[error, event] = []] = errors
      assert.strictEqual(error instanceof Error && error.message, "too wet")
      assert.strictEqual(event?.event, "EventCategoryUpdated")
      assert.lengthOf(errors, 1)
    })
  )

  it.effect("decides about configurations, and reads what was chosen", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const field = { id: "greeting", label: "Greeting", description: "", type: "string" }
      const { connection, id } = yield* addExternal(odin, { configuration_schema: { fields: [field] } })
      const plugin = yield* connected(connection.token, {
        configure: ({ greeting }) => {
          if (greeting === "throw") throw new Error("no such greeting")
          return greeting !== "no"
        }
      })
      assert.deepStrictEqual(yield* Effect.promise(() => plugin.configuration()), {})
      const set = (greeting: string) => odin.patch(`/plugins/${id}/configuration`, { greeting, other: 1 })
      assert.strictEqual((yield* set("no")).status, 400)
      assert.strictEqual((yield* set("throw")).status, 400)
      ok(yield* set("Hello"))
      assert.deepStrictEqual(yield* Effect.promise(() => plugin.configuration()), {
        greeting: "Hello",
        other: 1
      })
      assert.deepStrictEqual(yield* Effect.promise(() => plugin.configuration(["greeting"])), {
        greeting: "Hello"
      })
    })
  )

  it.effect("takes every configuration if it does not say otherwise", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection, id } = yield* addExternal(odin)
      yield* connected(connection.token)
      ok(yield* odin.patch(`/plugins/${id}/configuration`, { depth: 3 }))
    })
  )

  it.effect("acts as its own account, with promises and with Effect, by the key of its connection", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { connection } = yield* addExternal(odin, access)
      const plugin = yield* connected(connection.token)
      const { accessKey, baseUrl } = yield* Effect.promise(() => plugin.access())
      assert.match(accessKey, /^fbk_/)
      assert.strictEqual(baseUrl, yield* addressOfService)
      const made = yield* Effect.promise(() =>
        plugin.api.categories.create({ payload: { name: "Shells", description: "", colour: "red" } })
      )
      assert.strictEqual(made.slug, "shells")
      const client = yield* Effect.promise(plugin.client)
      assert.strictEqual((yield* client.accounts.getOwn()).name, "Tide")
      const problem = yield* Effect.flip(
        Effect.tryPromise({
          try: () => plugin.api.threads.get({ params: { thread_mark: "nowhere" } }),
          catch: (error) => error
        })
      )
      assert.propertyVal(problem, "_tag", "ThreadNotFound")
    })
  )

  it.effect("calls the API where the service says it is, and is told why it may not", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const url = yield* addressOfService
      const known = yield* addExternal(odin, access)
      const plugin = yield* Effect.promise(() => connectPlugin({ url, token: known.connection.token }))
      assert.strictEqual((yield* Effect.promise(() => plugin.access())).baseUrl, "http://forum.test")
      plugin.close()
      const { connection } = yield* addExternal(odin)
      const without = yield* connected(connection.token)
      const failure = yield* Effect.flip(
        Effect.tryPromise({ try: () => without.access(), catch: (error) => error })
      )
      assert.deepInclude(failure, { _tag: "PluginCallFailed", code: -32601 })
    })
  )

  it.effect("connects again after the service has closed its connection, with another key", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { connection, id } = yield* addExternal(odin, access)
      const slugs: Array<string> = []
      const plugin = yield* connected(connection.token, {
        on: { EventCategoryUpdated: ({ slug }) => slugs.push(slug) }
      })
      const before = yield* Effect.promise(() => plugin.access())
      const { manifest } = ok(yield* odin.get(`/plugins/${id}`))
      ok(yield* odin.patch(`/plugins/${id}/manifest`, { ...manifest, ...events }))
      // The first answer may still be of the connection that is being closed.
      const accessNow = Effect.promise(() => plugin.access().catch(() => before))
      const after = yield* inTime(
        "there is no other key",
        Effect.repeat(Effect.delay(accessNow, "20 millis"), {
          until: ({ accessKey }) => accessKey !== before.accessKey
        })
      )
      assert.notStrictEqual(after.accessKey, before.accessKey)
      assert.strictEqual(yield* statusOf(odin, id), "active")
      yield* Effect.promise(() =>
        plugin.api.categories.create({ payload: { name: "Foam", description: "", colour: "red" } })
      )
      yield* untilTold(() => slugs.includes("foam"))
      assert.include(slugs, "foam")
    })
  )

  it.effect("ends when its token is replaced, and does not try again", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { connection, id } = yield* addExternal(odin)
      const plugin = yield* connected(connection.token)
      ok(yield* odin.post(`/plugins/${id}/token`, {}))
      const ending = yield* inTime(
        "it does not end",
        Effect.promise(() => plugin.closed)
      )
      assert.deepInclude(ending, { wasOpen: false, status: 401 })
      const failure = yield* Effect.flip(
        Effect.tryPromise({ try: () => plugin.configuration(), catch: (error) => error })
      )
      assert.instanceOf(failure, PluginRefused)
    })
  )

  it.effect("is refused with a wrong token, and while it is connected already", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const url = yield* addressOfService
      const { connection } = yield* addExternal(odin)
      const refusal = (token: string) =>
        Effect.flip(Effect.tryPromise({ try: () => connectPlugin({ url, token }), catch: (error) => error }))
      const wrong = yield* refusal("sdprt_00000000000000000000000000000000")
      assert.strictEqual(wrong instanceof PluginRefused && wrong.ending.status, 401)
      const malformed = yield* refusal("other")
      assert.strictEqual(malformed instanceof PluginRefused && malformed.ending.status, 400)
      yield* connected(connection.token)
      const second = yield* refusal(connection.token)
      assert.deepInclude(second instanceof PluginRefused && second.ending, {
        code: 1008,
        reason: "connection rejected"
      })
    })
  )

  it.effect("is a stream of what happens and effects, in programs with Effect", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const url = yield* addressOfService
      const { connection, id } = yield* addExternal(odin, { ...events, ...access })
      const told: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const plugin = yield* connect({
            url,
            token: connection.token,
            apiUrl: url,
            events: ["EventCategoryUpdated"],
            configure: ({ depth }) => Effect.succeed(depth !== 0)
          })
          yield* Effect.forkScoped(
            Stream.runForEach(plugin.events, ({ slug }) => Effect.sync(() => told.push(slug)))
          )
          const forum = yield* plugin.client
          yield* forum.categories.create({ payload: { name: "Reef", description: "", colour: "red" } })
          yield* untilTold(() => told.length > 0)
          assert.strictEqual((yield* odin.patch(`/plugins/${id}/configuration`, { depth: 0 })).status, 400)
          ok(yield* odin.patch(`/plugins/${id}/configuration`, { depth: 2 }))
          assert.deepStrictEqual(yield* plugin.configuration(), { depth: 2 })
        })
      )
      assert.deepStrictEqual(told, ["reef"])
      const again = yield* Effect.repeat(statusOf(odin, id), {
        until: (status) => status === "connecting",
        times: 2000
      })
      assert.strictEqual(again, "connecting")
      const failure = yield* Effect.flip(Effect.scoped(connect({ url, token: "other" })))
      assert.strictEqual(failure._tag, "PluginRefused")
    })
  )
})
