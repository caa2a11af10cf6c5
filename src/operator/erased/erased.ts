/** `forum erased`. */
import { existsSync } from "node:fs"
import { text } from "node:stream/consumers"
import { Console, Effect, FileSystem, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { orDefect } from "../../persistence/shared/SqlErrors.ts"
import { notedBackups } from "../backup/Noting.ts"
import { checkSchema, client } from "../Environment.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { stored } from "../shared/stored.ts"
import { findKnown, linesOf } from "./Known.ts"
import { type FoundInColumn, searchColumns } from "./Searching.ts"
import { searchFiles } from "./SearchingFiles.ts"

/** What to look for, from a file or, as `-`, from standard input. */
const readKnown = (path: string) =>
  path === "-"
    ? Effect.promise(() => text(process.stdin))
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
        Effect.mapError(
          ({ message }) => new OperatorFailure({ message: `${path} cannot be read: ${message}` })
        )
      )

const textOfColumn = ({ column, examples, rows, table }: FoundInColumn) =>
  `${table}.${column}: ${rows} ${rows === 1 ? "row" : "rows"} (${examples.join(", ")}${rows > examples.length ? ", …" : ""})`

/** Prints what is known of an account, a line for each. */
const remember = Effect.fnUntraced(function* (mark: string) {
  const known = yield* findKnown(mark)
  if (known.length === 0) return yield* new OperatorFailure({ message: `There is no account ${mark}.` })
  yield* Console.log(known.join("\n"))
})

/** Names the backups that may still have the account: nobody knows which were made before the erasure. */
const nameBackups = Effect.gen(function* () {
  const backups = yield* orDefect(notedBackups)
  if (backups.length === 0) return
  yield* Console.log("Backups that were made before the erasure have the account until they are deleted:")
  for (const { file, made_at } of backups) {
    const where = existsSync(file) ? "" : ", not on this machine any more"
    yield* Console.log(`${file} (${made_at.toISOString()}${where})`)
  }
})

/** Fails if anything of what was known is found. */
export const prove = Effect.fnUntraced(function* (known: ReadonlyArray<string>) {
  const inColumns = yield* searchColumns(known)
  const inFiles = yield* searchFiles(known)
  for (const found of inColumns.found) yield* Console.log(textOfColumn(found))
  for (const key of inFiles.found) yield* Console.log(`file ${key}`)
  yield* nameBackups
  const looked = `${inColumns.columns} columns and ${inFiles.files} files`
  if (inColumns.found.length + inFiles.found.length > 0) {
    return yield* new OperatorFailure({
      message: `Something that was known is in ${inColumns.found.length} columns and ${inFiles.found.length} files, of ${looked}.`
    })
  }
  yield* Console.log(`Nothing that was known is left in ${looked}.`)
})

const checked = Layer.effectDiscard(checkSchema("found")).pipe(Layer.provideMerge(client("found")))

export const erased = Command.make(
  "erased",
  {
    account: Argument.String("account").pipe(
      Argument.withDescription("The id of the account, or with --remember its handle")
    ),
    remember: Flag.Boolean("remember").pipe(
      Flag.withDescription(
        "Before the erasure: print what is known of the account, to be looked for afterwards"
      ),
      Flag.withDefault(false)
    ),
    known: Flag.String("known").pipe(
      Flag.withDescription("A file with what was known, or - for standard input"),
      Flag.optional
    )
  },
  Effect.fn(
    function* ({ account, known, remember: isBefore }) {
      if (isBefore) return yield* remember(account)
      const given = known._tag === "Some" ? linesOf(yield* readKnown(known.value)) : []
      yield* prove([...new Set([account, ...given])])
    },
    Effect.provide(Layer.provideMerge(checked, stored))
  )
).pipe(
  Command.withDescription(
    "Proves that an account was erased: looks in every column that can hold a text, of all tables, and in every file for what was known of it. Nothing of that is kept after an erasure, so print it before, to a file that you delete afterwards."
  ),
  Command.withExamples([
    { command: "forum erased freya --remember > known", description: "Before: keep what is known" },
    { command: "forum erased dc0qdtfkhh6uivg0004g --known known", description: "After: look for it" }
  ])
)
