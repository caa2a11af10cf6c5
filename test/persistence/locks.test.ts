import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { inLockOrder, type Lock, locking } from "../../src/persistence/shared/Locks.ts"

const take = (...locks: ReadonlyArray<Lock>) =>
  Effect.forEach(locks, (lock) => locking(lock)(Effect.succeed(lock)))

const defectOf = (exit: Exit.Exit<unknown>) =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "none"

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
