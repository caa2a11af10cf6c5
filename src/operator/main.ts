/** `forum`: what whoever runs the service does beside it. See docs/operating.md. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Layer, Logger, References } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import manifest from "../../package.json" with { type: "json" }
import { commandsIn } from "./commands.ts"
import { EnvFile } from "./Environment.ts"
import { goesOnUntilStopped } from "./Lasting.ts"
import { exitCodeOf, messageOf } from "./OperatorFailure.ts"

const forum = Effect.map(
  Effect.promise(() => commandsIn(process.argv.slice(2))),
  (commands) =>
    Command.make("forum").pipe(
      Command.withDescription(
        "For those who run the forum service. Takes the settings of the service, from the environment or a file."
      ),
      Command.withSubcommands(commands),
      Command.withGlobalFlags([EnvFile])
    )
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

Effect.flatMap(forum, (command) => Command.run(command, { version: manifest.version })).pipe(
  Effect.tapCause(report),
  Effect.provide(environment),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? 0 : codeOf(exit.cause))
  })
)
