/** `forum`: what whoever runs the service does beside it. See docs/operating.md. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Logger, References } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { createAdmin, reinstate, resetPassword, suspend } from "./accounts.ts"
import { backup } from "./backup/backupCommand.ts"
import { restore } from "./backup/restore.ts"
import { convertCommand } from "./convert/convert.ts"
import { demo } from "./demo/demo.ts"
import { doctor } from "./doctor/doctor.ts"
import { EnvFile } from "./Environment.ts"
import { erased } from "./erased/erased.ts"
import { exportCommand } from "./exchange/export.ts"
import { importCommand } from "./import/import.ts"
import { goesOnUntilStopped } from "./Lasting.ts"
import { migrate } from "./migrate.ts"
import { exitCodeOf, messageOf } from "./OperatorFailure.ts"
import { oauth } from "./oauth.ts"
import { retryParked } from "./retryParked.ts"

const forum = Command.make("forum").pipe(
  Command.withDescription(
    "For those who run the forum service. Takes the settings of the service, from the environment or a file."
  ),
  Command.withSubcommands([
    doctor,
    createAdmin,
    resetPassword,
    suspend,
    reinstate,
    migrate,
    backup,
    restore,
    exportCommand,
    importCommand,
    convertCommand,
    erased,
    retryParked,
    oauth,
    demo
  ]),
  Command.withGlobalFlags([EnvFile])
)

const report = (cause: Cause.Cause<unknown>) => {
  const message = messageOf(cause)
  return message === undefined || Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(message)
}

const environment = Layer.mergeAll(
  NodeServices.layer,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  // Standard output is for what was asked for.
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
  Layer.succeed(References.MinimumLogLevel, "Warn"),
  Layer.succeed(References.TracerEnabled, false)
)

const codeOf = (cause: Cause.Cause<unknown>) =>
  goesOnUntilStopped() && Cause.hasInterruptsOnly(cause) ? 0 : exitCodeOf(cause)

// A closed terminal ends a command in the same way as Ctrl-C.
process.on("SIGHUP", () => process.emit("SIGTERM"))

Command.run(forum, { version: manifest.version }).pipe(
  Effect.tapCause(report),
  Effect.provide(environment),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? 0 : codeOf(exit.cause))
  })
)
