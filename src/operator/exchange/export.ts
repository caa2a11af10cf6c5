/** `forum export`. */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import manifest from "../../../package.json" with { type: "json" }
import { addressOf } from "../../domain/settings/Deployment.ts"
import { generalDefaults } from "../../domain/settings/GeneralSetting.ts"
import { Settings } from "../../layers/process/Settings.ts"
import { checkSchema, clientOf, serverOf } from "../Environment.ts"
import { makeFiles } from "../shared/Files.ts"
import { makeProgress, sizeText, type Terminal } from "../shared/Progress.ts"
import { connect } from "../shared/Session.ts"
import { stored } from "../shared/stored.ts"
import { untilSettled } from "../shared/untilSettled.ts"
import { type Exported, makeExporting } from "./Exporting.ts"
import { writeExport } from "./ExportWriting.ts"

interface Options {
  readonly withAddresses: boolean
}

/** Exports what people made into a directory or a file, which does not exist. Answers what is in it. */
export const makeExport = Effect.fn("makeExport")(function* (
  target: string,
  terminal: Terminal,
  { withAddresses }: Options
) {
  const { publicUrl } = yield* Settings
  const server = yield* serverOf("found")
  yield* Effect.provide(checkSchema("found"), clientOf(server))
  const session = yield* connect(server)
  const files = yield* makeFiles
  const progress = makeProgress(terminal, () => performance.now())
  const exporting = makeExporting({
    session,
    files,
    progress,
    about: {
      made_by: `${manifest.name} ${manifest.version}`,
      address: addressOf(publicUrl),
      with_addresses: withAddresses
    },
    usualTitle: generalDefaults.title
  })
  yield* untilSettled("Nothing was exported", (signal) =>
    writeExport(target, exporting.members, signal)
  ).pipe(Effect.ensuring(Effect.sync(progress.end)))
  return exporting.exported()
}, Effect.scoped)

const countText = (count: number) => count.toLocaleString("en")

/** A line for each kind that there is, and one for the files. */
const reportOf = ({ contents: { files, missing_files }, records }: Exported): ReadonlyArray<string> => [
  ...Object.entries(records).flatMap(([kind, count]) =>
    count === 0 ? [] : [`${countText(count)} ${kind.replaceAll("_", " ")}`]
  ),
  `${countText(files.number)} different files (${sizeText(files.bytes)})`,
  ...(missing_files === 0
    ? []
    : [`${countText(missing_files)} files are nowhere, so their records have no sha256`])
]

export const exportCommand = Command.make(
  "export",
  {
    target: Argument.String("target").pipe(
      Argument.withDescription(
        "Where it goes, which does not exist: a directory, or a file whose name ends with .tar.zst"
      )
    ),
    withAddresses: Flag.Boolean("with-addresses").pipe(
      Flag.withDescription(
        "Also the email addresses and phone numbers of accounts, and what they are called at services that they sign in with"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ target, withAddresses }) {
    const exported = yield* makeExport(target, process.stderr, { withAddresses })
    yield* Console.log([`${target} has`, ...reportOf(exported)].join("\n  "))
  }, Effect.provide(stored))
).pipe(
  Command.withDescription(
    "Writes everything that people made as it is at this moment, without secrets, in a form that any program can read (docs/export-format.md), also while the service runs. It is not a backup, which has all that the service needs."
  ),
  Command.withExamples([
    { command: "forum export /srv/export", description: "Export into a directory" },
    {
      command: "forum export --with-addresses /srv/forum.tar.zst",
      description: "Export into one file, with the addresses of people"
    }
  ])
)
