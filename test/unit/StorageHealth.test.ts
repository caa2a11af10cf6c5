import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { StorageHealth } from "../../src/domain/operations/StorageHealth.ts"
import { EventConsumers } from "../../src/persistence/event/EventConsumersSql.ts"
import * as StorageHealthSql from "../../src/persistence/operations/StorageHealthSql.ts"

/** A client that never gets a connection. */
const stuck = Layer.effect(
  SqlClient.SqlClient,
  SqlClient.make({
    acquirer: Effect.never,
    compiler: PgClient.makeCompiler(),
    driver: "postgres",
    spanAttributes: []
  })
).pipe(Layer.provide(Reactivity.layer))

const layer = StorageHealthSql.layer.pipe(
  Layer.provide(Layer.merge(stuck, Layer.mock(EventConsumers, { consumers: [], observe: Effect.never })))
)

it.effect("a database that does not answer is reported after two seconds", () =>
  Effect.gen(function* () {
    const { check, observe } = yield* StorageHealth
    for (const effect of [check, observe]) {
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.asVoid(effect)))
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "StorageUnavailable")
    }
  }).pipe(Effect.provide(layer))
)
