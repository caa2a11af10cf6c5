/** What is printed of a command that failed. */
import { assert, describe, it } from "@effect/vitest"
import { Cause } from "effect"
import { CliError } from "effect/cli"
import { HandleInvalid } from "../../../src/domain/account/Account.ts"
import { CarriedProblem } from "../../../src/domain/shared/Problem.ts"
import { StorageUnavailable } from "../../../src/domain/storage/StorageProblem.ts"
import { exitCodeOf, messageOf, OperatorFailure, reasonOf } from "../../../src/operator/OperatorFailure.ts"

const invalid = new HandleInvalid({ metadata: { handle: "me", rule: "reserved" } })

describe("a command that failed", () => {
  it("says why in a sentence, what to do, and what it is about", () => {
    const message = messageOf(Cause.fail(invalid))
    assert.match(
      message ?? "",
      /^This handle cannot be used\. A handle is .* \(handle: me, rule: reserved\)$/
    )
    assert.strictEqual(exitCodeOf(Cause.fail(invalid)), 1)
    assert.strictEqual(messageOf(Cause.fail(new OperatorFailure({ message: "No." }))), "No.")
  })

  it("says so when the database does not answer", () => {
    const carried = new CarriedProblem(new StorageUnavailable({ metadata: { retry_after: 1 } }))
    assert.match(messageOf(Cause.die(carried)) ?? "", /cannot reach its database/)
  })

  it("says all of a mistake of the program, but for a finding only what is not secret", () => {
    const cause = Cause.die(new Error("no way to postgres://forum:hush@db/forum"))
    assert.include(messageOf(cause), "Error")
    assert.notInclude(reasonOf(cause), "hush")
    assert.include(reasonOf(cause), "no way to")
  })

  it("is told from one that was not understood, which has been printed", () => {
    const misunderstood = Cause.fail(
      new CliError.ShowHelp({
        commandPath: ["forum"],
        errors: [new CliError.MissingArgument({ argument: "handle" })]
      })
    )
    assert.isUndefined(messageOf(misunderstood))
    assert.strictEqual(exitCodeOf(misunderstood), 2)
    assert.strictEqual(
      exitCodeOf(Cause.fail(new CliError.ShowHelp({ commandPath: ["forum"], errors: [] }))),
      0
    )
  })
})
