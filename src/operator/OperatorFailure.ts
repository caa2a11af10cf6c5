/** Why a command did not do what it was asked to: one sentence, and what to do about it. */
import { Cause, Data, Option, Predicate } from "effect"
import { CliError } from "effect/cli"
import { errorText, redacted } from "../domain/operations/InternalErrorRules.ts"
import { PasswordChangedMeanwhile } from "../domain/operator/OperatorAccounts.ts"
import { type AnyProblem, CarriedProblem, isProblem, problemTypeOf } from "../domain/shared/Problem.ts"
import { EmbeddedPostgresError } from "../layers/postgres/EmbeddedPostgresError.ts"
import { SettingInvalid } from "../layers/process/Setting.ts"
import { MigrationFailed } from "../persistence/shared/Migrations.ts"

export class OperatorFailure extends Data.TaggedError("OperatorFailure")<{ readonly message: string }> {}

const sentenceOf = (problem: AnyProblem) => {
  const explanation = problemTypeOf(problem.constructor)?.explanation
  const facts = Object.entries(problem.metadata).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  )
  return [`${problem.title}.`, explanation, ...(facts.length === 0 ? [] : [`(${facts.join(", ")})`])].join(
    " "
  )
}

const known = (error: unknown): string | undefined => {
  if (error instanceof CarriedProblem) return sentenceOf(error.problem)
  if (isProblem(error)) return sentenceOf(error)
  if (error instanceof PasswordChangedMeanwhile)
    return "The password was changed at the same time. Try again."
  return error instanceof OperatorFailure ||
    error instanceof SettingInvalid ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationFailed
    ? error.message
    : undefined
}

/** Why a part of a command failed, as one line. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return known(error) ?? redacted(errorText(error))
}

/** What is printed of a failure; nothing where the failure has been printed already. */
export const messageOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (CliError.isCliError(error)) return undefined
  return known(Cause.squash(cause)) ?? Cause.pretty(cause)
}

/** The exit code of a failure: 2 for a command that was not understood, 1 for one that failed. */
export const exitCodeOf = (cause: Cause.Cause<unknown>): number => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (!CliError.isCliError(error)) return 1
  return Predicate.isTagged(error, "ShowHelp") && error.errors.length === 0 ? 0 : 2
}
