/** Turning what the database refuses into what the domain expects. */
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { StorageUnavailable } from "../../domain/shared/StorageUnavailable.ts"

const unavailableReasons = new Set([
  "ConnectionError",
  "AuthenticationError",
  "StatementTimeoutError",
  "LockTimeoutError",
  "DeadlockError",
  "SerializationError"
])

// Shutdown, crash, start-up and "too many connections" are states of the server that pass.
const passingStates = /^(57P0[1-5]|53\d{3})$/

const isUnavailable = (error: unknown) => {
  if (!SqlError.isSqlError(error)) return false
  const { cause, operation } = error.reason
  // Whatever the server has against a connection, it is not the statement that is wrong.
  if (unavailableReasons.has(error.reason._tag) || operation === "connect") return true
  return Predicate.hasProperty(cause, "code") && passingStates.test(String(cause.code))
}

const secondsToRetry = 1

const dieOf = (error: unknown): Effect.Effect<never> =>
  isUnavailable(error)
    ? Effect.andThen(
        Effect.logWarning("The database did not answer", error),
        Effect.die(new StorageUnavailable({ metadata: { retry_after: secondsToRetry } }))
      )
    : Effect.die(error)

/** A failing query is nobody's expected failure: the database is away, which is answered as such, or we are wrong. */
export const orDefect = <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> =>
  Effect.catch(query, dieOf)

/** A broken unique constraint becomes `problem`; every other failure of the query is a defect. */
export const onUniqueViolation =
  <P>(problem: (constraint: string) => P) =>
  <A, E, R>(query: Effect.Effect<A, E, R>): Effect.Effect<A, P, R> =>
    Effect.catch(
      query,
      (error): Effect.Effect<never, P> =>
        SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"
          ? Effect.fail(problem(error.reason.constraint))
          : dieOf(error)
    )
