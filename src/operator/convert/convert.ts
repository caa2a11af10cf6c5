/** `forum convert`. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import manifest from "../../../package.json" with { type: "json" }
import { makeProgress, sizeText, type Terminal } from "../shared/Progress.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { besides, convert, type Summary } from "./Converting.ts"
import { discourse } from "./discourse/Discourse.ts"
import { nodebb } from "./nodebb/NodeBB.ts"
import type { Options, Program } from "./shared/Conversion.ts"
import { keyVariable, sourceKey } from "./storyden/Key.ts"
import { storyden } from "./storyden/Storyden.ts"

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

const describe = ({ files, hasRedirects, records, rules }: Summary, destination: string) => {
  const { redirects, report } = besides(destination)
  const found = listed(rules)
  return [
    `${destination} has`,
    listed(records),
    `  ${files.number.toLocaleString("en")} different files (${sizeText(files.bytes)})`,
    ...(found === "" ? [] : [`Left out or changed, as ${report} says of each:`, found]),
    hasRedirects
      ? `Old addresses and what they lead to are in ${redirects}.`
      : "Addresses stay as they were, below another origin.",
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

const fromNodebb = Command.make(
  "nodebb",
  {
    source: source(
      "A dump of the database: of MongoDB the archive of `mongodump` or its objects.bson, of PostgreSQL what `pg_dump` writes as text. Each may be compressed by gzip"
    ),
    destination,
    uploads: Flag.String("uploads").pipe(
      Flag.withDescription("The directory `public/uploads` of NodeBB, with the files of posts and people"),
      Flag.optional
    ),
    address: Flag.String("address").pipe(
      Flag.withDescription(
        "Where the old forum answers, as its configuration says, so that links to it lead here"
      ),
      Flag.optional
    ),
    withRestricted
  },
  (flags) =>
    run(nodebb, flags.source, flags.destination, {
      withRestricted: flags.withRestricted,
      ...(Option.isSome(flags.uploads) ? { uploads: flags.uploads.value } : {}),
      ...(Option.isSome(flags.address) ? { address: flags.address.value } : {})
    })
).pipe(Command.withDescription("Converts a dump of the database of NodeBB in MongoDB or PostgreSQL."))

const fromStoryden = Command.make(
  "storyden",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("Where the service is, without /api: https://forum.example")
    ),
    destination,
    keyFile: Flag.File("key-file", { mustExist: true }).pipe(
      Flag.withDescription(
        `A file with an access key of an administrator. Without it, the variable ${keyVariable} of the environment has the key`
      ),
      Flag.optional
    )
  },
  (flags) =>
    Effect.flatMap(sourceKey(flags.keyFile, process.env), (key) =>
      run(storyden({ key }), flags.address, flags.destination, { withRestricted: false })
    )
).pipe(
  Command.withDescription(
    "Converts what a running service has, by its API: Storyden, or any other of the same contract."
  )
)

export const convertCommand = Command.make("convert").pipe(
  Command.withDescription(
    "Converts the data of another program into the form that `forum import` reads. It needs no database. Where it ends early, the same command goes on."
  ),
  Command.withSubcommands([fromDiscourse, fromNodebb, fromStoryden]),
  Command.withExamples([
    {
      command: "forum convert discourse old-2026-11-26.tar.gz old-forum.tar.zst",
      description: "Convert a backup of Discourse"
    },
    {
      command: "forum convert nodebb nodebb.archive.gz old-forum.tar.zst --uploads public/uploads",
      description: "Convert a dump of NodeBB and its files"
    },
    {
      command: "forum convert storyden --key-file key https://forum.example old-forum",
      description: "Convert what a running service has"
    }
  ])
)
