import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { inLockOrder, type Lock, locking } from "../../src/persistence/shared/Locks.ts"

const take = (...locks: ReadonlyArray<Lock>) =>
  Effect.forEach(locks, (lock) => locking(lock)(Effect.succeed(lock)))

const defectOf = (exit: Exit.Exit<unknown>) =>
  Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "none"

describe("locks of the database", () => {
  it("have numbers of their own, so that what has nothing in common does not wait", () => {
    const listed = new Map<string, string>()
    const taken = new Map<string, Set<string>>()
    for (const file of globSync("src/**/*.{sql,ts}")) {
      const source = readFileSync(file, "utf8")
      for (const [, number = "", what = ""] of source.matchAll(/^--\s+(\d{9}) (.+)$/gm)) {
        assert.isFalse(listed.has(number), number)
        listed.set(number, what)
      }
      const statements = source.replaceAll(/^--.*$/gm, "")
      for (const [number] of statements.matchAll(/\b73162\d{4}\b/g)) {
        taken.set(number, (taken.get(number) ?? new Set()).add(file))
      }
    }
    assert.deepStrictEqual([...listed.keys()].toSorted(), [...taken.keys()].toSorted())
    assert.isAbove(taken.size, 5)
    // What removes files stands back for a backup that reads them.
    const shared = [...taken].filter(([, files]) => files.size > 1).map(([number]) => listed.get(number))
    assert.deepStrictEqual(shared, ["the files that a backup reads"])
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
