/** What is said of a link while what is about it changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { LinkStore } from "../../src/domain/link/LinkStore.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

/** What happens between finding what is about a link and reading it. */
let meanwhile: Effect.Effect<unknown> = Effect.void

const stores = TestApp.storesBut(LinkStore, (store) => ({
  ...store,
  threadsAbout: (id) => Effect.tap(store.threadsAbout(id), () => meanwhile),
  nodesAbout: (id) => Effect.tap(store.nodesAbout(id), () => meanwhile)
}))

layer(People.withCast(TestApp.layerWhere({}, stores)))("what is withdrawn while a link is read", (it) => {
  it.effect("is not shown with it, not even to those who may still read it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const about = { url: "https://withdrawn.test/" }
      const thread = yield* open(odin, "Withdrawn", about)
      const page = ok(yield* odin.post("/nodes", { name: "Withdrawn", visibility: "published", ...about }))
      const shown = Effect.map(odin.get("/links/withdrawn-test"), (answer) => {
        const { nodes, posts } = ok(answer)
        return [idsOf(posts), idsOf(nodes)]
      })
      assert.deepStrictEqual(yield* shown, [[thread.id], [page.id]])
      const draft = { visibility: "draft" }
      const withdraw = Effect.all([
        odin.patch(`/threads/${thread.id}`, draft),
        odin.patch(`/nodes/${page.id}/visibility`, draft)
      ])
      meanwhile = Effect.orDie(Effect.provide(withdraw, yield* Effect.context<HttpClient.HttpClient>()))
      assert.deepStrictEqual(yield* shown, [[], []])
      assert.strictEqual((yield* odin.get(`/threads/${thread.id}`)).status, 200)
      assert.strictEqual((yield* odin.get(`/nodes/${page.id}`)).status, 200)
    })
  )
})
