import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import { EmbeddedPostgresError } from "./layers/postgres/EmbeddedPostgresError.ts"
import { live } from "./layers/Server.ts"
import { SettingInvalid } from "./layers/Settings.ts"

/** Failures that whoever starts the service can mend; one line says how. */
const isExpected = (error: unknown) =>
  error instanceof SettingInvalid || error instanceof EmbeddedPostgresError

const report = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return Console.error(isExpected(error) && error instanceof Error ? error.message : Cause.pretty(cause))
}

NodeRuntime.runMain(
  Effect.tapCauseIf(Layer.launch(live), (cause) => !Cause.hasInterruptsOnly(cause), report),
  {
    disableErrorReporting: true,
    // Being told to stop is no failure.
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  }
)
