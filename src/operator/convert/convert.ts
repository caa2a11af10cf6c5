/** `forum convert`. */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import manifest from "../../../package.json" with { type: "json" }
import { makeProgress, sizeText, type Terminal } from "../shared/Progress.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { besides, convert, type Summary } from "./Converting.ts"
import { discourse } from "./discourse/Discourse.ts"
import type { Options, Program } from "./shared/Conversion.ts"

/** Converts the data of another program. Answers what was written. */
export const runConvert = (
  program: Program,
  source: string,
  destination: string,
  options: Options,
  terminal: Terminal,
  atStep?: (step: string) => void
) =>
  Effect.suspend(() => {
    const progress = makeProgress(terminal, () => performance.now())
    return untilSettled("The conversion is not complete; the same command goes on with it", (signal) =>
      convert(
        {
          program,
          source,
          destination,
          options,
          madeBy: `${manifest.name} ${manifest.version}`,
          progress,
          ...(atStep === undefined ? {} : { atStep })
        },
        signal
      )
    ).pipe(Effect.ensuring(Effect.sync(progress.end)))
  })

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `  ${count.toLocaleString("en")} ${name.replaceAll("_", " ")}`)
    .join("\n")

const describe = ({ files, records, rules }: Summary, destination: string) => {
  const { redirects, report } = besides(destination)
  const found = listed(rules)
  return [
    `${destination} has`,
    listed(records),
    `  ${files.number.toLocaleString("en")} different files (${sizeText(files.bytes)})`,
    ...(found === "" ? [] : [`Left out or changed, as ${report} says of each:`, found]),
    `Old addresses and what they lead to are in ${redirects}.`,
    `Next: forum import ${destination}`
  ].join("\n")
}

const destination = Argument.String("destination").pipe(
  Argument.withDescription(
    "Where the export goes, which does not exist: a directory, or a file whose name ends with .tar.zst"
  )
)

const source = (description: string) => Argument.String("source").pipe(Argument.withDescription(description))

const withRestricted = Flag.Boolean("with-restricted").pipe(
  Flag.withDescription(
    "Also categories that not everybody could read. Here everybody may who may read the forum"
  ),
  Flag.withDefault(false)
)

const run = Effect.fnUntraced(function* (program: Program, from: string, to: string, options: Options) {
  const summary = yield* runConvert(program, from, to, options, process.stderr)
  yield* Console.log(describe(summary, to))
})

const fromDiscourse = Command.make(
  "discourse",
  {
    source: source("A backup of Discourse: its .tar.gz, or its .sql.gz without files"),
    destination,
    withRestricted
  },
  (flags) =>
    run(discourse, flags.source, flags.destination, {
      withRestricted: flags.withRestricted
    })
).pipe(Command.withDescription("Converts a backup of Discourse."))

export const convertCommand = Command.make("convert").pipe(
  Command.withDescription(
    "Converts the data of another program into the form that `forum import` reads. It needs no database. Where it ends early, the same command goes on."
  ),
  Command.withSubcommands([fromDiscourse]),
  Command.withExamples([
    {
      command: "forum convert discourse old-2026-11-26.tar.gz old-forum.tar.zst",
      description: "Convert a backup of Discourse"
    }
  ])
)
