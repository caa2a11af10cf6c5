/**
 * Every list has what single reads show, and every number is that of its list: for random histories of everything that
 * people do, with what is withdrawn, deleted and purged, and for every kind of reader. Another seed and more histories
 * are taken from the environment: VISIBILITY_SEED, VISIBILITY_RUNS.
 */

import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { drainEvents, guest } from "../support/people.ts"
import { comparisons } from "../support/visibility/comparisons.ts"
import { notCalled } from "../support/visibility/coverage.ts"
import { readsWithNumbers } from "../support/visibility/description.ts"
import { viewOf } from "../support/visibility/Reader.ts"
import { stepNames, take } from "../support/visibility/steps.ts"
import { anyOf, later, make } from "../support/visibility/World.ts"

const seed = Number(process.env.VISIBILITY_SEED ?? 20_260_101)
const runs = Number(process.env.VISIBILITY_RUNS ?? 2)
const length = 260

const number = fc.nat({ max: 1_000_000 })
const step = fc.record({ does: fc.constantFrom(...stepNames), by: number, of: number, to: number })
const histories = fc.sample(fc.array(step, { minLength: length, maxLength: length }), { seed, numRuns: runs })

/** The paths of what was read in all histories together. */
const asked = new Set<string>()

/** The operations that read a list or a number, and that none of these paths calls. */
const uncalled = () => {
  const paths = Array.from(asked, (path) => `/api${path.replace(/[?].*/, "")}`)
  const isCalled = (id: string) =>
    operations.some((operation) => {
      const pattern = new RegExp(`^${operation.pathWith("[^/]+")}$`)
      return operation.id === id && paths.some((path) => pattern.test(path))
    })
  return readsWithNumbers()
    .filter((id) => !isCalled(id))
    .toSorted()
}

for (const [index, history] of histories.entries()) {
  layer(People.layer)(`history ${index} of seed ${seed}`, (it) => {
    it.effect("shows and counts what single reads allow", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const world = yield* make
        for (const { by, does, of, to } of history) {
          yield* later
          yield* take(world, does, { person: anyOf([world.odin, ...world.people], by) ?? world.odin, of, to })
        }
        yield* drainEvents
        const everyone = yield* viewOf(world, guest)
        const staff = yield* viewOf(world, world.odin)
        const views = [everyone, staff]
        for (const person of world.people) {
          if (!world.suspended.has(person)) views.push(yield* viewOf(world, person))
        }
        for (const view of views) {
          for (const compare of Object.values(comparisons(sql))) {
            yield* compare({ world, view, everyone, staff })
          }
        }
        for (const { paths } of views) for (const path of paths) asked.add(path)
      })
    )
  })
}

it("reads every list and every number", () => {
  assert.deepStrictEqual(uncalled(), Object.values(notCalled).flat().toSorted())
})
