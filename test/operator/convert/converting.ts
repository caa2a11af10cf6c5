/** Runs conversions, and reads what they wrote. */
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { runConvert } from "../../../src/operator/convert/convert.ts"
import type { Options, Program } from "../../../src/operator/convert/shared/Conversion.ts"
import { idFrom } from "../../../src/operator/convert/shared/Ids.ts"
import { OperatorFailure } from "../../../src/operator/OperatorFailure.ts"
import { quiet } from "../backups.ts"

interface More extends Partial<Options> {
  readonly atStep?: (step: string) => void
}

export const convertFrom = (
  program: Program,
  source: string,
  destination: string,
  { atStep, withRestricted = false, ...more }: More = {}
) => runConvert(program, source, destination, { withRestricted, ...more }, quiet, atStep)

export const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
  })

/** The checksums of all that an export has. */
export const contentsOf = (path: string) =>
  Effect.promise(() => readFile(join(path, "contents.json"), "utf8"))

/** Converts in three runs, of which two end while they read: one that goes on may end early, too. */
export const convertInRuns = Effect.fnUntraced(function* (
  program: Program,
  source: string,
  destination: string
) {
  for (const pieces of [4, 7]) {
    let read = 0
    const atStep = (name: string) => {
      read += name.startsWith("read ") ? 1 : 0
      if (read === pieces) throw new Error("ended")
    }
    yield* isRefused(convertFrom(program, source, destination, { atStep }), /ended/)
  }
  yield* convertFrom(program, source, destination)
})

/** All that a directory has, as text. */
export const textIn = (path: string) =>
  Effect.promise(async () => {
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("")
  })

type Record_ = Readonly<Record<string, unknown>>

/** The records of a kind. */
export const recordsIn = (path: string, kind: string) =>
  Effect.promise(async (): Promise<ReadonlyArray<Record_>> => {
    if (!existsSync(join(path, kind))) return []
    const parts = (await readdir(join(path, kind))).toSorted()
    const texts = await Promise.all(parts.map((part) => readFile(join(path, kind, part), "utf8")))
    return texts
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Record_ => JSON.parse(line))
  })

/** What the report of a conversion says, as `kind id rule`. */
export const rulesIn = (path: string) =>
  Effect.promise(async () =>
    (await readFile(`${path}.left-out.ndjson`, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line): { kind: string; id: string; rule: string } => JSON.parse(line))
      .map(({ id, kind, rule }) => `${kind} ${id} ${rule}`)
  )

export const mapIn = (path: string) =>
  Effect.promise(async () => (await readFile(`${path}.redirects.map`, "utf8")).trimEnd().split("\n"))

export const idOf = (program: string) => (kind: string, old: string | number) => idFrom(program, kind, old)
