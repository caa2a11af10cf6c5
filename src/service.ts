/** The service as a process: what it prints when it cannot start, and how it stops. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { startFailureText } from "./layers/process/StartFailure.ts"
import { live } from "./layers/wiring/Server.ts"

const report = (cause: Cause.Cause<unknown>) => Console.error(startFailureText(cause))

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
