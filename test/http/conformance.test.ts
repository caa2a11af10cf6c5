import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../support/answers.ts"
import { checkConformance } from "../support/conformance.ts"
import { guest } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("the check of answers against the description", (it) => {
  it.effect("finds those that are not as described", () =>
    Effect.gen(function* () {
      const good = yield* guest.get("/info")
      const fails = (change: Partial<Answer>, complaint: RegExp) =>
        assert.throws(() => checkConformance("GET", "/api/info", { ...good, ...change }), complaint)
      const changed = (fields: object) => {
        const json = { ...good.json, ...fields }
        return { json, text: JSON.stringify(json) }
      }
      fails({ status: 418 }, /status that is not declared/)
      fails({ headers: { "content-type": "text/plain" } }, /should be application\/json/)
      fails({ text: "" }, /is empty/)
      fails(changed({ title: 5 }), /\/title must be string/)
      fails(changed({ unheard_of: true }), /unheard_of/)
      fails(
        { ...changed({}), ...{ text: good.text.replace('"capabilities":[]', '"capabilities":["x"]') } },
        /capabilities\/0/
      )
      const problem = yield* guest.get("/accounts")
      const wrong = { ...problem, text: problem.text.replace("unauthenticated", "nonsense") }
      assert.throws(() => checkConformance("GET", "/api/accounts", wrong), /\/type must be equal to constant/)
      const tagless = { ...(yield* guest.get("/docs")), headers: { "content-type": "text/html" } }
      assert.throws(() => checkConformance("GET", "/api/docs", tagless), /has no ETag/)
      assert.throws(() => checkConformance("GET", "/api/made/up", good), /not described/)
    })
  )
})
