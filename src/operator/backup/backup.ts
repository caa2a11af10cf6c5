/** `forum backup`. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, DateTime, Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import manifest from "../../../package.json" with { type: "json" }
import { Settings } from "../../layers/process/Settings.ts"
import { assetFiles } from "../../layers/wiring/Server.ts"
import * as AssetBytesStored from "../../persistence/asset/AssetBytesStored.ts"
import { checkSchema, clientOf, serverOf, settings } from "../Environment.ts"
import { makeFiles } from "./Files.ts"
import { makeInstanceKey } from "./InstanceKey.ts"
import { makePacking, type Packed } from "./Packing.ts"
import { makeProgress, sizeText, type Terminal } from "./Progress.ts"
import { connect } from "./Session.ts"
import { untilSettled } from "./untilSettled.ts"
import { writeBackup } from "./Writing.ts"

const rowsIn = ({ rows }: Packed["totals"]) => Object.values(rows).reduce((sum, count) => sum + count, 0)

/** What is said of a backup, or of what was restored. */
export const contentsText = (totals: Packed["totals"]) =>
  `${rowsIn(totals).toLocaleString("en")} rows and ${totals.files.toLocaleString("en")} files (${sizeText(totals.bytes_of_files)})`

const missingText = ({ missing, totals: { missing_files } }: Packed) =>
  `${missing_files} files that the database names are nowhere, so they are not in the backup: ${missing.join(", ")}${missing_files > missing.length ? ", …" : ""}`

/** Backs up the database and its files into a file, which does not exist. Answers what is in it, and its size. */
export const makeBackup = Effect.fn("makeBackup")(function* (file: string, terminal: Terminal) {
  const server = yield* serverOf("found")
  yield* Effect.provide(checkSchema("found"), clientOf(server))
  const session = yield* connect(server)
  const files = yield* makeFiles
  const key = yield* makeInstanceKey
  const at = DateTime.toDateUtc(yield* DateTime.now)
  const progress = makeProgress(terminal, () => performance.now())
  const packing = makePacking({
    session,
    files,
    progress,
    about: { release: manifest.version, made_at: at.toISOString() },
    findKey: key.find
  })
  const size = yield* untilSettled("The backup was not made", (signal) => {
    // What waits for the database is not waited for.
    signal.addEventListener("abort", session.cut)
    return writeBackup(file, packing.members, at, signal)
  }).pipe(Effect.ensuring(Effect.sync(progress.end)))
  return { ...packing.packed(), size }
}, Effect.scoped)

/** The files of the service, where its settings say. */
export const stored = AssetBytesStored.layer.pipe(
  Layer.provide(assetFiles),
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(settings)
)

export const backup = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("Where the backup goes: a file that does not exist")
    )
  },
  Effect.fn(function* ({ file }) {
    yield* Settings
    const { size, ...packed } = yield* makeBackup(file, process.stderr)
    if (packed.totals.missing_files > 0) yield* Console.error(missingText(packed))
    yield* Console.log(`${file} has ${contentsText(packed.totals)}. It takes ${sizeText(size)}.`)
  }, Effect.provide(stored))
).pipe(
  Command.withDescription(
    "Writes the database as it is at this moment, and the files that it names, into one file, also while the service runs. Whoever has the file can do anything in the forum: keep it where nobody else reads it."
  ),
  Command.withExamples([
    {
      command: "forum backup /var/backups/forum/2026-11-26.tar.zst",
      description: "Back up a running service"
    }
  ])
)
