/** `forum demo`. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Clock, ConfigProvider, Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { defaultParents, existingHome } from "../../layers/postgres/DataDirectoryId.ts"
import { holdDirectory } from "../../layers/postgres/DirectoryLock.ts"
import { live, requestsOnly } from "../../layers/wiring/Server.ts"
import { makeDirectory } from "../../persistence/shared/makeDirectory.ts"
import { lasting } from "../Lasting.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { fill } from "./fill.ts"
import { administrator } from "./people.ts"
import { password } from "./surroundings.ts"

/** The file that tells a demonstration from data that somebody needs. */
const markOf = (directory: string) => join(directory, "forum-demo")

type State = "absent" | "unfinished" | "filled" | "foreign"

const stateOf = (directory: string): State => {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return "absent"
  if (!existsSync(markOf(directory))) return "foreign"
  return readFileSync(markOf(directory), "utf8") === "filled" ? "filled" : "unfinished"
}

const mark = (directory: string, state: "unfinished" | "filled") =>
  Effect.promise(async () => {
    await makeDirectory(directory, 0o711)
    writeFileSync(markOf(directory), state)
  })

const foreign = (directory: string) =>
  new OperatorFailure({
    message: `${directory} holds something else than a demonstration. Name another --directory.`
  })

const remove = Effect.fnUntraced(function* (directory: string) {
  // The lock keeps a service from using the directory meanwhile.
  yield* holdDirectory(directory)
  const outside = existingHome(directory, defaultParents)
  if (outside !== undefined) rmSync(outside, { recursive: true, force: true })
  rmSync(directory, { recursive: true, force: true })
}, Effect.scoped)

// What is empty counts as absent.
const noBackups = { BACKUP_DIR: "", BACKUP_EVERY: "", BACKUP_KEEP: "" }

/** The settings of the environment without its database and backups, with changes. */
const settingsWith = (changes: Readonly<Record<string, string>>) => {
  const { DATABASE_URL: _, ...env } = process.env
  return ConfigProvider.layer(
    ConfigProvider.fromEnvRecord({ HOST: "127.0.0.1", ...env, ...noBackups, ...changes })
  )
}

const make = Effect.fnUntraced(function* (directory: string) {
  yield* Console.error(`Making a community of 30 people in ${directory}`)
  yield* mark(directory, "unfinished")
  const { clock, write } = yield* fill
  const settings = settingsWith({ DATA_DIR: directory, HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "Error" })
  yield* write.pipe(
    Effect.provide(requestsOnly.pipe(Layer.provide(settings))),
    Effect.provideService(Clock.Clock, clock),
    Effect.scoped
  )
  yield* mark(directory, "filled")
})

const serve = Effect.fnUntraced(function* (directory: string) {
  yield* Console.error(
    `Sign in as ${administrator.handle}, or as anybody you meet, with the password ${password}. Ctrl-C stops it; forum demo --remove removes it.`
  )
  yield* Layer.launch(live.pipe(Layer.provide(settingsWith({ DATA_DIR: directory }))))
})

export const demo = Command.make(
  "demo",
  {
    directory: Flag.String("directory").pipe(
      Flag.withDescription("Where it is kept"),
      Flag.withDefault("./demo")
    ),
    remove: Flag.Boolean("remove").pipe(
      Flag.withDescription("Remove it instead of starting it"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (flags) {
    const directory = resolve(flags.directory)
    const state = stateOf(directory)
    if (state === "foreign") return yield* foreign(directory)
    if (flags.remove) {
      if (state === "absent") return yield* Console.error(`There is no demonstration in ${directory}`)
      yield* remove(directory)
      return yield* Console.error(`Removed ${directory}`)
    }
    if (state === "unfinished") yield* remove(directory)
    if (state !== "filled") yield* make(directory)
    yield* lasting(serve(directory))
  })
).pipe(
  Command.withDescription(
    "Starts a service with a community to look at: 30 people, 200 discussions, a library, dates, files. It has a directory of its own, and uses no other database."
  ),
  Command.withExamples([
    { command: "forum demo", description: "Make it in ./demo, or start it again" },
    { command: "forum demo --remove", description: "Remove it" }
  ])
)
