import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import { HttpServerError } from "effect/http"
import { EmbeddedPostgresError } from "./layers/postgres/EmbeddedPostgresError.ts"
import { live } from "./layers/Server.ts"
import { SettingInvalid } from "./layers/Settings.ts"

/** The one line that says how to mend a failure, if whoever starts the service can. */
const adviceOn = (error: unknown): string | undefined => {
  if (error instanceof SettingInvalid || error instanceof EmbeddedPostgresError) return error.message
  if (!(error instanceof HttpServerError.ServeError)) return undefined
  return `PORT: ${error.cause instanceof Error ? error.cause.message : error.cause}`
}

const report = (cause: Cause.Cause<unknown>) =>
  Console.error(adviceOn(Option.getOrUndefined(Cause.findErrorOption(cause))) ?? Cause.pretty(cause))

NodeRuntime.runMain(
  Effect.tapCauseIf(Layer.launch(live), (cause) => !Cause.hasInterruptsOnly(cause), report),
  {
    disableErrorReporting: true,
    // Being told to stop is no failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  }
)
