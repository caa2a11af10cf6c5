/** Makes the dump of databases that the scenarios of all areas have filled: `npm run dump`. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../src/persistence/shared/Migrations.ts"
import * as People from "../support/people.ts"
import { drainEvents } from "../support/people.ts"
import { areas } from "../support/scenarios.ts"
import { keep, statementsOf } from "./databaseDump.ts"

const dumped: Record<string, ReadonlyArray<string>> = {}

for (const { area, scenarios } of areas) {
  layer(People.layer)(`the scenarios of ${area}`, (it) => {
    it.effect("fill a database", () =>
      Effect.gen(function* () {
        for (const { call } of yield* scenarios) yield* call
        yield* drainEvents
        dumped[area] = yield* statementsOf
      })
    )
  })
}

it("the dump is kept", () => {
  assert.lengthOf(Object.keys(dumped), areas.length)
  keep(Object.keys(migrations), dumped)
})
