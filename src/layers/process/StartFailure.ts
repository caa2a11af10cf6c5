/** What is said of a start that failed. Pure. */
import { Cause, Predicate } from "effect"
import { HttpServerError } from "effect/http"
import { CarriedProblem } from "../../domain/shared/Problem.ts"
import { MigrationFailed } from "../../persistence/shared/Migrations.ts"
import { rootMessageOf } from "../../persistence/shared/rootMessageOf.ts"
import { isUnavailable } from "../../persistence/shared/SqlErrors.ts"
import { EmbeddedPostgresError } from "../postgres/EmbeddedPostgresError.ts"
import { SettingInvalid } from "./Setting.ts"

const addressErrors = new Set<unknown>(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EAI_AGAIN", "EINVAL", "ENOTFOUND"])

const listenAdvice = (cause: unknown) => {
  const reason = cause instanceof Error ? cause.message : cause
  return Predicate.hasProperty(cause, "code") && addressErrors.has(cause.code)
    ? `HOST: expected an address or a name of this machine (${reason})`
    : `PORT: expected a free port that this user may open (${reason})`
}

const lostAdvice = (reason: string) =>
  `The start failed at the database: ${reason}. Start the service again once the database answers.`

/** One line that says how to correct a failed start; none for a failure that is not the operator's. */
const adviceOn = (error: unknown): string | undefined => {
  if (
    error instanceof SettingInvalid ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationFailed
  ) {
    return error.message
  }
  // What any request may be answered with, and a start as well: that the database does not answer.
  if (error instanceof CarriedProblem) return lostAdvice(error.problem.title)
  if (isUnavailable(error)) return lostAdvice(rootMessageOf(error))
  return error instanceof HttpServerError.ServeError ? listenAdvice(error.cause) : undefined
}

/** What is printed of a start that failed. */
export const startFailureText = (cause: Cause.Cause<unknown>): string =>
  adviceOn(Cause.squash(cause)) ?? Cause.pretty(cause)
