import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { inLockOrder, type Lock, locking } from "../../src/persistence/shared/Locks.ts"

const take = (...locks: ReadonlyArray<Lock>) =>
  Effect.forEach(locks, (lock) => locking(lock)(Effect.succeed(lock)))

const defectOf = (exit: Exit.Exit<unknown>) =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "none"

describe("locks of the database", () => {
  it("have numbers of their own, so that what has nothing in common does not wait", () => {
    const folder = "src/persistence/migrations"
    const numbers = readdirSync(folder).flatMap((file) => {
      const source = readFileSync(join(folder, file), "utf8")
      return [...source.matchAll(/^const (\w+Lock) = ([\d_]+)$/gm)].map(([, name, number]) => ({
        name,
        number
      }))
    })
    assert.isAbove(numbers.length, 5)
    for (const [number, uses] of Map.groupBy(numbers, (one) => one.number)) {
      assert.strictEqual(new Set(uses.map(({ name }) => name)).size, 1, number)
    }
  })
})

describe("locks", () => {
  it.effect("are taken in their order, each kind as often as needed", () =>
    Effect.gen(function* () {
      const taken = yield* inLockOrder(take("category", "thread", "tag", "tag", "tag count", "category row"))
      assert.strictEqual(taken.length, 6)
    })
  )

  it.effect("cannot be taken out of order, nor outside of a transaction", () =>
    Effect.gen(function* () {
      assert.include(defectOf(yield* Effect.exit(inLockOrder(take("tag", "thread")))), "thread after tag")
      assert.include(defectOf(yield* Effect.exit(take("thread"))), "outside of a transaction")
    })
  )

  it.effect("of a transaction inside another go on from those of the outer one", () =>
    Effect.gen(function* () {
      const nested = inLockOrder(Effect.andThen(take("tag"), inLockOrder(take("thread"))))
      assert.include(defectOf(yield* Effect.exit(nested)), "thread after tag")
      yield* inLockOrder(take("tag"))
      yield* inLockOrder(take("thread"))
    })
  )
})
