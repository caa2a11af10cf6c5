import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest } from "../support/people.ts"

layer(People.layer)("a discussion from end to end", (it) => {
  it.effect("a thread gets a reply, and its author a notification", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const category = yield* odin.post("/categories", { name: "General", description: "", colour: "" })
      assert.strictEqual(category.status, 200, category.text)
      const thread = yield* odin.post("/threads", {
        title: "Thread testing",
        body: "<p>this is a thread</p>",
        category: category.json.id,
        visibility: "published"
      })
      assert.strictEqual(thread.status, 200, thread.text)
      const reply = yield* freya.post(`/threads/${thread.json.slug}/replies`, { body: "first reply" })
      assert.strictEqual(reply.status, 200, reply.text)
      assert.strictEqual(reply.json.body, "<body>first reply</body>")

      const read = yield* guest.get(`/threads/${thread.json.id}`)
      assert.strictEqual(read.json.replies.replies.length, 1)
      assert.deepStrictEqual(read.json.replies.replies[0], reply.json)

      yield* drainEvents
      const notifications = yield* odin.get("/notifications")
      assert.strictEqual(notifications.json.notifications.length, 1)
      const [one] = notifications.json.notifications
      assert.strictEqual(one.event, "thread_reply")
      assert.strictEqual(one.item.ref.id, thread.json.id)
      assert.strictEqual(one.source.handle, "freya")
    })
  )
})
