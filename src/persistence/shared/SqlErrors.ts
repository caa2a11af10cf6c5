/** Turns what the database refuses into what the domain expects. */
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { StorageUnavailable } from "../../domain/storage/StorageProblem.ts"
import { tooManyWriters } from "./WriteTurns.ts"

const unavailableReasons = new Set([
  "ConnectionError",
  "AuthenticationError",
  "StatementTimeoutError",
  "DeadlockError",
  "SerializationError"
])

// Shutdown, crash, start-up and "too many connections" are states of the server that pass, and so is that it takes no
// writes: it was the primary, and another is now.
const transientStates = /^(57P0[1-5]|53\d{3}|25006)$/

/** Whether a failure is that the database does not answer, which passes. */
export const isUnavailable = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { cause, operation } = error.reason
  // Whatever the server has against a connection, it is not the statement that is wrong.
  if (unavailableReasons.has(error.reason._tag) || operation === "connect") return true
  return Predicate.hasProperty(cause, "code") && transientStates.test(String(cause.code))
}

const secondsToRetry = 1

const dieOf = (error: unknown): Effect.Effect<never> => {
  if (SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError")
    return dieWithProblem(tooManyWriters)
  return isUnavailable(error)
    ? Effect.andThen(
        Effect.logWarning("The database did not answer", error),
        dieWithProblem(new StorageUnavailable({ metadata: { retry_after: secondsToRetry } }))
      )
    : Effect.die(error)
}

/** Whether a failure comes from elsewhere than the database. */
const isExpected = <E>(error: E): error is Exclude<E, SqlError.SqlError> => !SqlError.isSqlError(error)

/**
 * Ends the failures of the database, and only those: either it cannot be reached or others hold a lock for too
 * long, which is answered as such, or the statement is wrong, which is a defect.
 */
export const orDefect = <A, E, R>(
  query: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catch(query, (error) => (isExpected(error) ? Effect.fail(error) : dieOf(error)))

/** Turns a refusal of the database into the problem that `problemOf` makes of it, if any; other failures stay. */
const onRefusal =
  <P>(problemOf: (reason: SqlError.SqlError["reason"]) => P | undefined) =>
  <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, E | P, R> =>
    Effect.catch(query, (error): Effect.Effect<never, E | P> => {
      const problem = SqlError.isSqlError(error) ? problemOf(error.reason) : undefined
      return Effect.fail(problem === undefined ? error : problem)
    })

/** Turns the violation of this constraint, which is not a unique one, into `problem`. */
export const onViolationOf = <P>(constraint: string, problem: () => P) =>
  onRefusal((reason) =>
    reason._tag === "ConstraintError" &&
    Predicate.hasProperty(reason.cause, "constraint") &&
    reason.cause.constraint === constraint
      ? problem()
      : undefined
  )

/** Turns the violation of any unique constraint into what `problem` makes of its name. */
export const onUniqueViolation = <P>(problem: (constraint: string) => P) =>
  onRefusal((reason) => (reason._tag === "UniqueViolation" ? problem(reason.constraint) : undefined))

/** Turns the violation of this unique constraint into `problem`. */
export const onUniqueViolationOf = <P>(constraint: string, problem: () => P) =>
  onRefusal((reason) =>
    reason._tag === "UniqueViolation" && reason.constraint === constraint ? problem() : undefined
  )
