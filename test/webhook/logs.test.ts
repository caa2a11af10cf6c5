/** What logs and traces say of webhooks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as Logs from "../support/logs.ts"
import { Cast } from "../support/people.ts"
import * as Spans from "../support/spans.ts"
import { answering, create, deliver, receiver, layer as service, webhooks } from "./support.ts"

layer(Layer.provideMerge(service, Layer.merge(Logs.layer, Spans.layer)))("the secret of a webhook", (it) => {
  it.effect("is in no log and no trace, whatever comes of deliveries", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { behaviour, url } = yield* receiver()
      const { id, secret } = yield* create(odin, url)
      const replaced = ok(yield* odin.post(`${webhooks}/${id}/secret`)).secret
      yield* open(odin, "Tide")
      yield* deliver
      behaviour.current = answering(410, `${secret} ${replaced}`)
      ok(yield* odin.post(`${webhooks}/${id}/test`))
      yield* open(odin, "Ebb")
      yield* deliver
      const said = [...(yield* Logs.Logs).map(({ text }) => text), ...(yield* Spans.Spans)]
      assert.isAbove(said.length, 20)
      for (const text of said) {
        for (const one of [secret, replaced]) assert.notInclude(text, one.slice("whsec_".length, -1))
      }
    }).pipe(Effect.scoped)
  )
})
