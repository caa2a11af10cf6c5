import { Predicate } from "effect"

/** What lies at the bottom of a failure. */
const rootOf = (error: unknown): unknown =>
  Predicate.hasProperty(error, "cause") && error.cause !== undefined ? rootOf(error.cause) : error

/** What PostgreSQL or the connection to it says of a failure, as one line. */
export const rootMessageOf = (error: unknown): string => {
  const root = rootOf(error)
  return String(Predicate.hasProperty(root, "message") ? root.message : root).replace(/\s*\n\s*/g, " ")
}
