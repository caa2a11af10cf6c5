import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { idsOf, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertCancelled } from "../support/searching.ts"

layer(People.layer)("a search", (it) => {
  it.effect("that takes longer than two seconds is cancelled in the database, and others go on", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Needle")
      const search = guest.get("/threads?q=needle")
      yield* assertCancelled("search_texts", search)
      assert.deepStrictEqual(idsOf(ok(yield* search).threads), [thread.id])
    })
  )
})
