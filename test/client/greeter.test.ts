/** The example of a plugin, as the service runs it: a real process, by the clock on the wall. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "../../examples/greeter/build.ts"
import { uploadPlugin } from "../plugin/support.ts"
import { ok } from "../support/answers.ts"
import { Cast, signUp } from "../support/people.ts"
import { keeping, looking, service } from "./programs.ts"

layer(service, { excludeTestServices: true })("the greeter", (it) => {
  it.effect("greets new members as an administrator wants, and counts what they reply", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* keeping
      const { id } = ok(yield* uploadPlugin(odin, yield* Effect.promise(() => build())))
      const active = ok(yield* odin.patch(`/plugins/${id}/active`, { active: "active" }))
      assert.strictEqual(active.status.active_state, "active")
      const threads = Effect.map(odin.get("/threads?q=New"), (answer) => ok(answer).threads)
      const [{ slug }] = yield* looking(threads, ({ length }) => length > 0)
      const thread = Effect.map(odin.get(`/threads/${slug}`), ok)

      const configuration = `/plugins/${id}/configuration`
      assert.strictEqual((yield* odin.patch(configuration, { greeting: " " })).status, 400)
      ok(yield* odin.patch(configuration, { greeting: "Ahoy" }))

      const sif = yield* signUp("sif")
      const greeted = yield* looking(thread, ({ replies }) => replies.results > 0)
      assert.strictEqual(greeted.replies.results, 1)
      assert.include(greeted.replies.replies[0].body, "Ahoy, ")
      assert.include(greeted.replies.replies[0].body, `sdr:profile/${sif.id}`)

      ok(yield* sif.post(`/threads/${slug}/replies`, { body: "<p>Hello.</p>" }))
      ok(yield* odin.post(`/threads/${slug}/replies`, { body: "<p>Hello, Sif.</p>" }))
      const counted = yield* looking(thread, ({ meta }) => meta.hellos === 2)
      assert.strictEqual(counted.title, "New here? 2 have said hello")

      ok(yield* odin.patch(`/plugins/${id}/active`, { active: "inactive" }))
      assert.strictEqual((yield* odin.delete(`/plugins/${id}`)).status, 204)
    })
  )
})
