/** What clients keep from one release of the service to the next. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { page } from "../library/propertySupport.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const nextRelease = TestApp.uncachedWhere({ version: "1.2.4" })

layer(Layer.provideMerge(nextRelease, People.layer))("another release", (it) => {
  it.effect("may show pages in another form, so that what clients have of them does not match", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const thread = yield* open(freya, "Kept")
      const kept = yield* page(odin, "Kept", { visibility: "published" })
      for (const path of [
        `/threads/${thread.id}`,
        `/nodes/${kept.id}`,
        `/nodes/${kept.id}?children_sort=name`
      ]) {
        const tag = yield* etagOf(guest, path)
        assert.strictEqual((yield* guest.get(path, ifNoneMatch(tag))).status, 304)
        const after = yield* Effect.provideService(
          guest.get(path, ifNoneMatch(tag)),
          HttpClient.HttpClient,
          elsewhere
        )
        assert.isString(ok(after).id, path)
      }
    })
  )
})
