import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SuggestionsUnavailable } from "../../src/domain/library/Suggestion.ts"
import { Suggestions } from "../../src/domain/library/Suggestions.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, withCast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const kinds = ["title", "tags", "content"]

layer(People.layer)("suggestions without a language model", (it) => {
  it.effect("are not available, and the request is checked all the same", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const kind of kinds) {
        const path = `/nodes/any/${kind}`
        assertProblem(yield* guest.post(path, { content: "text" }), Unauthenticated)
        for (const body of [{}, { content: null }, { content: 1 }]) {
          assertInvalid(yield* freya.post(path, body), "body content")
        }
        assertProblem(yield* freya.post(path, { content: "text" }), SuggestionsUnavailable)
      }
    })
  )
})

const model = TestApp.storesBut(Suggestions, () =>
  Suggestions.of({
    title: (content) => Effect.succeed(`Title of ${content}`),
    tags: (content) => Effect.succeed([content, "b"]),
    content: (content) => Effect.succeed(`More ${content}`)
  })
)

layer(withCast(TestApp.layerWhere({}, model)))("suggestions of a language model", (it) => {
  it.effect("are what it says", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const ask = (kind: string) => Effect.map(freya.post(`/nodes/any/${kind}`, { content: "a" }), ok)
      assert.deepStrictEqual(yield* ask("title"), { title: "Title of a" })
      assert.deepStrictEqual(yield* ask("tags"), { tags: ["a", "b"] })
      assert.deepStrictEqual(yield* ask("content"), { content: "More a" })
    })
  )
})
