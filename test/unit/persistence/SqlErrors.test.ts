import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlError } from "effect/sql"
import { HandleTaken } from "../../../src/domain/account/Account.ts"
import { CarriedProblem } from "../../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../../src/domain/storage/StorageProblem.ts"
import { orDefect } from "../../../src/persistence/shared/SqlErrors.ts"

const failed = (reason: SqlError.SqlErrorReason): Effect.Effect<never, SqlError.SqlError | HandleTaken> =>
  Effect.fail(new SqlError.SqlError({ reason }))

const defectOf = (exit: Exit.Exit<never, unknown>) =>
  Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect) : []

describe("a failure of the database", () => {
  it.effect("that passes becomes a problem which is marked", () =>
    Effect.gen(function* () {
      const lost = new SqlError.ConnectionError({
        cause: new Error("lost"),
        message: "lost",
        operation: "execute"
      })
      const [defect] = defectOf(yield* Effect.exit(orDefect(failed(lost))))
      assert.isTrue(defect instanceof CarriedProblem && defect.problem instanceof StorageUnavailable)
    })
  )

  it.effect("that does not becomes a defect as it is", () =>
    Effect.gen(function* () {
      const wrong = new SqlError.SqlSyntaxError({
        cause: new Error("wrong"),
        message: "wrong",
        operation: "execute"
      })
      const [defect] = defectOf(yield* Effect.exit(orDefect(failed(wrong))))
      assert.isTrue(SqlError.isSqlError(defect))
    })
  )

  it.effect("is the only kind that ends: others stay, also in the type", () =>
    Effect.gen(function* () {
      const taken = new HandleTaken({ metadata: { handle: "odin" } })
      const refused: Effect.Effect<never, SqlError.SqlError | HandleTaken> = Effect.fail(taken)
      const left = orDefect(refused)
      expectTypeOf(left).toEqualTypeOf<Effect.Effect<never, HandleTaken>>()
      assert.strictEqual(yield* Effect.flip(left), taken)
    })
  )
})
