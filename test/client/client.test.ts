import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { fetching } from "../../src/client.ts"
import { drainEvents, password } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const client = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  return yield* fetching({
    baseUrl: HttpServer.formatAddress(server.address).replace("0.0.0.0", "127.0.0.1")
  })
})

layer(TestApp.layer)("the typed client", (it) => {
  it.effect("keeps the cookie of whoever signs up with it, and tells people apart", () =>
    Effect.gen(function* () {
      const [odin, freya, stranger] = [yield* client, yield* client, yield* client]
      yield* odin.auth.signUp({ query: {}, payload: { identifier: "odin", token: password } })
      const { id } = yield* freya.auth.signUp({
        query: {},
        payload: { identifier: "freya", token: password }
      })
      const { body } = yield* freya.accounts.getOwn({ headers: {} })
      // Without a tag to compare, the answer is never empty.
      const own = body || undefined
      assert.strictEqual(own?.id, id)
      assert.strictEqual(own?.admin, false)

      const refusal = yield* Effect.flip(stranger.accounts.getOwn({ headers: {} }))
      assert.strictEqual(refusal._tag, "Unauthenticated")
    })
  )

  it.effect("opens a thread, replies, and reads the notification, all typed", () =>
    Effect.gen(function* () {
      const [author, reader] = [yield* client, yield* client]
      yield* author.auth.signUp({ query: {}, payload: { identifier: "author", token: password } })
      yield* reader.auth.signUp({ query: {}, payload: { identifier: "reader", token: password } })
      const thread = yield* author.threads.create({
        payload: { title: "Typed", body: "<p>hello</p>", visibility: "published" }
      })
      const reply = yield* reader.replies.reply({
        params: { thread_mark: thread.slug },
        payload: { body: "I agree." }
      })
      assert.strictEqual(reply.root_id, thread.id)
      yield* drainEvents
      const { notifications } = yield* author.notifications.list({ query: {} })
      assert.deepStrictEqual(
        notifications.map(({ event, source }) => [event, source?.handle]),
        [["thread_reply", "reader"]]
      )
    })
  )

  it.effect("fails with the problem that the operation declares, and its facts", () =>
    Effect.gen(function* () {
      const anyone = yield* client
      const problem = yield* anyone.threads
        .get({ params: { thread_mark: "nowhere" }, query: {}, headers: {} })
        .pipe(Effect.flip)
      assert.strictEqual(problem._tag, "ThreadNotFound")
      assert.deepStrictEqual(problem._tag === "ThreadNotFound" ? problem.metadata : undefined, {
        thread_mark: "nowhere"
      })
      assert.match(problem._tag === "ThreadNotFound" ? problem.trace_id : "", /^[0-9a-f]{32}$/)
    })
  )
})
