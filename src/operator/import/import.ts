/** `forum import`. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { slugify } from "../../domain/shared/Slug.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { checkSchema, clientOf, serverOf } from "../Environment.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { makeFiles } from "../shared/Files.ts"
import { makeProgress, type Terminal } from "../shared/Progress.ts"
import { connect } from "../shared/Session.ts"
import { stored } from "../shared/stored.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { checkWhole } from "./Checking.ts"
import { importInput } from "./Importing.ts"
import { openInput } from "./Input.ts"
import { makeThreads } from "./preparing/Threads.ts"
import type { Summary } from "./Report.ts"
import { giveUp } from "./Staging.ts"

interface Options {
  readonly prefix: string | undefined
  readonly report: string
  /** Whether an export is imported as it is, whatever it says of itself. */
  readonly damaged: boolean
  /** For tests: is told of each step before it is done. */
  readonly atStep?: (step: string) => void
}

const prefixBytesMax = 10

/** Fails unless handles may begin with this. */
const checkPrefix = (prefix: string | undefined) =>
  prefix === undefined ||
  (slugify(`${prefix}x`) === `${prefix}x` && Buffer.byteLength(prefix) <= prefixBytesMax)
    ? Effect.void
    : Effect.fail(
        new OperatorFailure({
          message: `--prefix has to be 1 to ${prefixBytesMax} bytes of what a handle may begin with: letters of lower case, digits, - and _.`
        })
      )

/** Imports an export into the database of the settings, which may be made for it. */
export const runImport = Effect.fn("runImport")(function* (
  path: string,
  options: Options,
  terminal: Terminal
) {
  yield* checkPrefix(options.prefix)
  const input = yield* untilSettled("Nothing was imported", () => openInput(path))
  const progress = makeProgress(terminal, () => performance.now())
  if (!options.damaged)
    yield* untilSettled("Nothing was imported", (signal) => checkWhole(input, progress, signal))
  const server = yield* serverOf("made")
  yield* Effect.provide(checkSchema("made"), clientOf(server))
  const session = yield* connect(server)
  const files = yield* makeFiles
  const threads = yield* Effect.acquireRelease(Effect.sync(makeThreads), ({ end }) => Effect.promise(end))
  return yield* untilSettled("The import is not complete; the same command goes on with it", (signal) =>
    importInput(
      {
        session,
        files,
        threads,
        progress,
        signal,
        ...(options.atStep === undefined ? {} : { atStep: options.atStep })
      },
      input,
      options
    )
  ).pipe(Effect.ensuring(Effect.sync(progress.end)))
}, Effect.scoped)

const forget = Effect.fn("forget")(function* () {
  const session = yield* connect(yield* serverOf("found"))
  yield* untilSettled("Nothing was given up", () => giveUp(session))
}, Effect.scoped)

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString("en")} ${name.replaceAll("_", " ")}`)
    .join(", ")

const describe = ({ findings, imported }: Summary, report: string) =>
  `Imported ${listed(imported) || "nothing"}. ${
    Object.keys(findings).length === 0
      ? "Nothing was left out or changed."
      : `The report says why: ${listed(findings)}.`
  } It is in ${report}.`

const withoutSlash = (path: string) => path.replace(/\/+$/, "")

export const importCommand = Command.make(
  "import",
  {
    path: Argument.String("path").pipe(
      Argument.withDescription(
        "A directory or file that `forum export` has written, or one in the same format"
      ),
      Argument.optional
    ),
    prefix: Flag.String("prefix").pipe(
      Flag.withDescription("What handles begin with that accounts of this instance have already"),
      Flag.optional
    ),
    report: Flag.String("report").pipe(
      Flag.withDescription("Where the report goes; <path>.report.ndjson if absent"),
      Flag.optional
    ),
    damaged: Flag.Boolean("damaged").pipe(
      Flag.withDescription("Import what is there of an export that is damaged or not whole"),
      Flag.withDefault(false)
    ),
    giveUp: Flag.Boolean("give-up").pipe(
      Flag.withDescription("Forget what an import has read that is not complete"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (flags) {
    yield* Settings
    if (flags.giveUp) {
      yield* forget()
      return yield* Console.log("What was read is forgotten.")
    }
    const path = Option.getOrUndefined(flags.path)
    if (path === undefined)
      return yield* new OperatorFailure({ message: "Say which directory or file to import." })
    const report = Option.getOrElse(flags.report, () => `${withoutSlash(path)}.report.ndjson`)
    const prefix = Option.getOrUndefined(flags.prefix)
    const summary = yield* runImport(path, { prefix, report, damaged: flags.damaged }, process.stderr)
    yield* Console.log(describe(summary, report))
  }, Effect.provide(stored))
).pipe(
  Command.withDescription(
    "Reads an export into an empty instance, or beside what is there, while the service does not run. Where it ends early, the same command goes on. Nothing is seen of it before all of it is written."
  ),
  Command.withExamples([
    { command: "forum import forum-2026-11-26.tar.zst", description: "Import an archive" },
    {
      command: "forum import old-forum --prefix old-",
      description: "Import a directory beside what is there"
    }
  ])
)
