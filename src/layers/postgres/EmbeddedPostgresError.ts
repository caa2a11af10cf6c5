/** Why the embedded PostgreSQL does not run: one line that also names the alternative. */
import { Data, Effect } from "effect"

export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{
  readonly message: string
}> {}

/** Another process has locked the data directory. */
export class DirectoryInUse extends EmbeddedPostgresError {}

/** The last lines of a program's output as one line, without timestamps and progress messages. */
const summary = (output: string) =>
  output
    .split(/\r?\n/)
    .map((line) => line.replace(/^[-\d]+ [:.\d]+ UTC \[\d+\] /, "").trim())
    .filter((line) => line !== "" && !line.startsWith("LOG:"))
    .slice(-4)
    .join(" | ")

export const failed = (what: string, why: string) =>
  new EmbeddedPostgresError({
    message: `The embedded PostgreSQL does not run: ${what}: ${summary(why)} (Set DATABASE_URL to use another server.)`
  })

/** Runs something that may throw. `what` describes the failure, for the error. */
export const attempt = <A>(what: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => failed(what, cause instanceof Error ? cause.message : String(cause))
  })
