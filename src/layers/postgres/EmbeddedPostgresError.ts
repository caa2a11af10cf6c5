/** Why the embedded PostgreSQL does not run, in one line that also says what to do instead. */
import { Data, Effect } from "effect"

export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{
  readonly message: string
}> {}

/** What matters in a program's output, as one line: the end of it, without times and without mere progress. */
const essence = (output: string) =>
  output
    .split(/\r?\n/)
    .map((line) => line.replace(/^[-\d]+ [:.\d]+ UTC \[\d+\] /, "").trim())
    .filter((line) => line !== "" && !line.startsWith("LOG:"))
    .slice(-4)
    .join(" | ")

export const failed = (what: string, why: string) =>
  new EmbeddedPostgresError({
    message: `The embedded PostgreSQL does not run: ${what}: ${essence(why)} (DATABASE_URL can name another server instead.)`
  })

/** Runs something that may throw; `what` names it in the error. */
export const attempt = <A>(what: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => failed(what, cause instanceof Error ? cause.message : String(cause))
  })
