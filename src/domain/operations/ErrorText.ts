/** What is stored of an error, and logged beside a caller's data: its name and message, without the data it carries. Pure. */
import { Predicate } from "effect"

/** Characters of a text. */
const textMax = 1000

/** The innermost cause: where a statement failed, what PostgreSQL says. */
const rootOf = (error: Error): Error => (error.cause instanceof Error ? rootOf(error.cause) : error)

// PostgreSQL quotes values in messages of this class, "data exception", and nowhere else in their first line.
const quotesValues = (error: Error) => Predicate.hasProperty(error, "code") && /^22/.test(String(error.code))

const messageOf = (error: Error) =>
  quotesValues(error) ? "PostgreSQL refused a value" : `${error.name}: ${error.message}`

export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return "A value that is not an error"
  const root = rootOf(error)
  const text = root === error ? messageOf(error) : `${error.name}: ${messageOf(root)}`
  return text.replaceAll("\0", "").slice(0, textMax)
}
