/** `npm run bench`: see docs/performance.md. */
import { writeFileSync } from "node:fs"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import manifest from "../package.json" with { type: "json" }
import { BenchFailure } from "./BenchFailure.ts"
import { measure, type Options, sidesOf } from "./bench.ts"
import { tablesOf } from "./report.ts"
import * as Server from "./server.ts"

const flags = {
  against: Flag.String("against").pipe(
    Flag.withDescription("The commit to compare the working tree with"),
    Flag.optional
  ),
  seconds: Flag.Finite("seconds").pipe(
    Flag.withDescription("How long each side of a scenario is measured, after a warm-up as long"),
    Flag.withDefault(10)
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription("A part of the titles of the scenarios to run; may be given again"),
    Flag.atLeast(0)
  ),
  json: Flag.Path("json").pipe(Flag.withDescription("A file for the raw figures"), Flag.optional)
}

const report = (cause: Cause.Cause<unknown>) => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return Console.error(error instanceof BenchFailure ? error.message : Cause.pretty(cause))
}

const bench = Command.make(
  "bench",
  flags,
  Effect.fn(
    function* ({ json, ...flags }) {
      const options: Options = { ...flags, against: Option.getOrUndefined(flags.against) }
      const sides = yield* sidesOf(options)
      const results = yield* measure(sides, options).pipe(Effect.scoped, Effect.provide(Server.layer))
      yield* Console.log(tablesOf(results))
      if (Option.isSome(json)) {
        writeFileSync(
          json.value,
          JSON.stringify({ options, sides, node: process.version, ...results }, null, 2)
        )
      }
    },
    Effect.tapCauseIf((cause) => !Cause.hasInterruptsOnly(cause), report)
  )
).pipe(Command.withDescription("Measures the service over a seeded forum"))

Command.run(bench, { version: manifest.version }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
