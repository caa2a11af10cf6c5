import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Person } from "../support/people.ts"

/** Asserts that an effect leaves a person's account exactly as it was. */
export const assertUnchangedBy = Effect.fnUntraced(function* <E, R>(
  person: Person,
  effect: Effect.Effect<unknown, E, R>
) {
  const before = yield* person.get("/accounts")
  yield* effect
  assert.deepStrictEqual((yield* person.get("/accounts")).json, before.json)
})
