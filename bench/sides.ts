/** The two that are compared: the working tree and a checkout of another commit. */
import { createHash } from "node:crypto"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { BenchFailure } from "./BenchFailure.ts"
import { listen, type Program, run } from "./processes.ts"

export interface Side {
  readonly name: "ours" | "theirs"
  readonly directory: string
  /** Differs where the schema or the seeded forum does. */
  readonly seedKey: string
}

const root = join(import.meta.dirname, "..")

/** Hash of everything that decides what a seeded database contains. */
const seedKeyOf = (directory: string) => {
  const filesIn = (place: string) =>
    readdirSync(join(directory, place))
      .filter((name) => /\.(ts|sql)$/.test(name))
      .toSorted()
      .map((name) => join(directory, place, name))
  const schema = "src/persistence/schema"
  const files = [
    ...filesIn("src/persistence/migrations"),
    // Older commits have their schema in migrations alone.
    ...(existsSync(join(directory, schema)) ? filesIn(schema) : []),
    ...filesIn("bench").filter((path) => /seed/i.test(basename(path)))
  ]
  const hash = createHash("sha256")
  for (const file of files) hash.update(file.slice(directory.length)).update(readFileSync(file))
  return hash.digest("hex").slice(0, 16)
}

const sideIn = (name: Side["name"], directory: string): Side => ({
  name,
  directory,
  seedKey: seedKeyOf(directory)
})

export const workingTree: Side = sideIn("ours", root)

const textOf = (path: string) => readFileSync(path, "utf8")

/** Gives a checkout its dependencies: those of the working tree where the two lock the same versions. */
const install = Effect.fnUntraced(function* (directory: string) {
  const modules = join(directory, "node_modules")
  const ours = join(root, "node_modules")
  const isSame = textOf(join(directory, "package-lock.json")) === textOf(join(root, "package-lock.json"))
  const isLink = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() === true
  // npm writes this file last.
  if (!isLink && existsSync(join(modules, ".package-lock.json"))) return
  // The link may be that of another working tree, which may be gone or have other versions by now.
  if (isLink && isSame && readlinkSync(modules) === ours) return
  rmSync(modules, { recursive: true, force: true })
  if (isSame) symlinkSync(ours, modules)
  else yield* run({ command: "npm", args: ["ci", "--no-audit", "--no-fund"], directory })
})

/** A checkout of a commit in the system's temporary directory, kept there for later runs. */
export const checkout = Effect.fn("checkout")(function* (revision: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const git = ["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]
  const commit = (yield* spawner.string(ChildProcess.make("git", git, { cwd: root }))).trim()
  if (commit === "") return yield* new BenchFailure({ message: `--against: there is no commit ${revision}` })
  const directory = join(tmpdir(), "forum-bench", commit)
  if (!existsSync(directory)) {
    // Renamed when everything is there: a run that was stopped leaves no half of a checkout.
    const unfinished = `${directory}.${process.pid}`
    mkdirSync(unfinished, { recursive: true })
    const unpack = 'git -C "$0" archive "$1" | tar -x'
    yield* run({ command: "sh", args: ["-c", unpack, root, commit], directory: unfinished })
    renameSync(unfinished, directory)
  }
  yield* install(directory)
  return sideIn("theirs", directory)
})

const Manifest = Schema.fromJsonString(Schema.Struct({ scripts: Schema.Struct({ start: Schema.String }) }))

/** What `npm start` runs in a side's directory, without npm in between. */
const startOf = Effect.fnUntraced(function* ({ directory }: Side) {
  const { scripts } = yield* Schema.decodeEffect(Manifest)(textOf(join(directory, "package.json")))
  const path = `${join(directory, "node_modules/.bin")}:${process.env.PATH ?? ""}`
  return {
    command: "sh",
    args: ["-c", scripts.start.includes("exec ") ? scripts.start : `exec ${scripts.start}`],
    directory,
    env: { PATH: path }
  } satisfies Program
})

/** Runs a side's service over a database until the scope ends. */
export const serve = Effect.fn("serve")(function* (
  side: Side,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const program = yield* startOf(side)
  const env = { ...program.env, DATABASE_URL: databaseUrl, ...settings }
  return yield* listen({ ...program, env }, "/api/version")
})

/** The flags that `npm start` gives to Node. */
export const nodeFlags = Effect.map(startOf(workingTree), ({ args }) =>
  (args.at(-1) ?? "").split(" ").filter((word) => word.startsWith("--"))
)
