/** The service as a process: what it prints when it cannot start, and how it stops. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Option, Predicate } from "effect"
import { HttpServerError } from "effect/http"
import { EmbeddedPostgresError } from "./layers/postgres/EmbeddedPostgresError.ts"
import { SettingInvalid } from "./layers/process/Setting.ts"
import { live } from "./layers/wiring/Server.ts"
import { MigrationFailed } from "./persistence/shared/Migrations.ts"

const addressErrors = new Set<unknown>(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EAI_AGAIN", "EINVAL", "ENOTFOUND"])

const listenAdvice = (cause: unknown) => {
  const reason = cause instanceof Error ? cause.message : cause
  return Predicate.hasProperty(cause, "code") && addressErrors.has(cause.code)
    ? `HOST: expected an address or a name of this machine (${reason})`
    : `PORT: expected a free port that this user may open (${reason})`
}

/** One line that says how to correct a failed start; none for a failure that is not the operator's. */
const adviceOn = (error: unknown): string | undefined => {
  if (
    error instanceof SettingInvalid ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationFailed
  ) {
    return error.message
  }
  return error instanceof HttpServerError.ServeError ? listenAdvice(error.cause) : undefined
}

const report = (cause: Cause.Cause<unknown>) =>
  Console.error(adviceOn(Option.getOrUndefined(Cause.findErrorOption(cause))) ?? Cause.pretty(cause))

// Output is lost when its reader has closed the pipe or the disk is full. The service continues without it.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

// A closed terminal stops the service in the same way as a supervisor.
process.on("SIGHUP", () => process.emit("SIGTERM"))

NodeRuntime.runMain(
  Effect.tapCauseIf(Layer.launch(live), (cause) => !Cause.hasInterruptsOnly(cause), report),
  {
    disableErrorReporting: true,
    // A stop on request is not a failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  }
)
