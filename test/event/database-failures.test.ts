/** What happens to events while the database fails their consumer. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { orDefect } from "../../src/persistence/shared/SqlErrors.ts"
import * as TestApp from "../support/TestApp.ts"
import { follower, idsSeenBy, parkedOf, stateOf } from "./failing.ts"
import { empty, recorder, updated, write } from "./instances.ts"

layer(TestApp.layer)("a failure of the database", (it) => {
  const codes = ["08006", "40001", "40P01", "53100", "53300", "55P03", "57014", "57P01", "57P03"]
  for (const code of codes) {
    it.effect(`counts against no event (${code})`, () =>
      Effect.gen(function* () {
        yield* empty
        const [only] = yield* write(updated)
        const sql = yield* SqlClient.SqlClient
        let isFailing = true
        const failure = sql
          .unsafe(`do $$ begin raise exception using errcode = '${code}'; end $$`)
          .pipe(Effect.asVoid, orDefect)
        const consumer = yield* recorder("unlucky", () => (isFailing ? failure : Effect.void))
        const read = yield* follower(consumer)
        const before = yield* stateOf("unlucky")
        for (let tries = 0; tries < 8; tries++) {
          assert.isTrue(Exit.isFailure(yield* read))
          yield* TestClock.adjust("10 minutes")
        }
        assert.deepStrictEqual(yield* stateOf("unlucky"), before)
        assert.deepStrictEqual(yield* parkedOf("unlucky"), [])
        assert.strictEqual(before?.tries, 0)
        isFailing = false
        assert.deepStrictEqual(yield* read, Exit.succeed(false))
        assert.deepStrictEqual(yield* idsSeenBy("unlucky"), [only])
      })
    )
  }

  it.effect("counts against no event when it loses the connection", () =>
    Effect.gen(function* () {
      yield* empty
      const [only] = yield* write(updated)
      const sql = yield* SqlClient.SqlClient
      let isLost = true
      const lose = sql`select pg_terminate_backend(pg_backend_pid())`.pipe(Effect.asVoid, orDefect)
      const consumer = yield* recorder("cut off", () => (isLost ? lose : Effect.void))
      const read = yield* follower(consumer)
      for (let tries = 0; tries < 6; tries++) assert.isTrue(Exit.isFailure(yield* read))
      assert.strictEqual((yield* stateOf("cut off"))?.tries, 0)
      isLost = false
      yield* read
      assert.deepStrictEqual(yield* idsSeenBy("cut off"), [only])
    })
  )
})
