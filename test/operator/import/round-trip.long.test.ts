/** What is exported, imported elsewhere and exported there is the same, byte for byte, but for what is named here. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { freshDatabase } from "../../process/support.ts"
import { areas, directory, filled, put } from "../backups.ts"
import { exportTo, type Files, filesIn, type Line, recordsIn } from "../exports.ts"
import { importFrom, reportOf, rows } from "./inputs.ts"

const ofBytes =
  "A file is what its bytes are, which the databases of the tests do not have: here it has others"
const before1970 = "Nothing happened before 1970"

/** What differs after a move, by the kind and the field, and why; a kind alone would be of whole records. */
const otherwise: Readonly<Record<string, string>> = {
  "assets.mime_type": ofBytes,
  "assets.width": ofBytes,
  "assets.height": ofBytes,
  "reports.created_at": before1970,
  "reports.updated_at": before1970
}

const pngOf = (size: string) => {
  const [width = 0, height = 0] = size.split("x").map(Number)
  return Effect.promise(() =>
    sharp({ create: { width, height, channels: 3, background: "teal" } })
      .png()
      .toBuffer()
  )
}

/** Gives every file bytes that are what the database says of it, as far as that can be. */
const fillFiles = Effect.fnUntraced(function* (url: string, dataDir: string) {
  for (const { id, mime_type, size } of yield* rows(
    url,
    "select id, mime_type, size::int as size from assets"
  )) {
    const bytes = String(mime_type).startsWith("text/")
      ? Buffer.alloc(Number(size), " ")
      : randomBytes(Number(size))
    yield* put(dataDir, String(id), bytes)
  }
  for (const { kind, size, upload_id } of yield* rows(
    url,
    "select kind, upload_id, l.key as size from instance_images, jsonb_each_text(lengths) l"
  )) {
    const image = yield* pngOf(String(size))
    yield* put(dataDir, `${upload_id}-${size}`, image)
    yield* rows(
      url,
      `update instance_images set lengths = lengths || '{"${size}": ${image.length}}' where kind = '${kind}'`
    )
  }
})

const exported = Effect.fnUntraced(function* (url: string, dataDir: string) {
  const target = join(dataDir, "export")
  yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, target, { withAddresses: true })
  return { path: target, files: yield* filesIn(target) }
})

/** Another instance, which has imported this and nothing else. */
const moved = Effect.fnUntraced(function* (path: string) {
  const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
  yield* importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, path)
  return yield* exported(url, dataDir)
})

const keyOf = ({ kind, record }: Line) => {
  const fields = Object.entries(record as object)
  const ids = fields.filter(([name]) => name === "id")
  return `${kind} ${JSON.stringify(ids.length > 0 ? ids : fields.filter(([name]) => name.endsWith("_id")))}`
}

/** What differs between two exports: kinds of which records are in one alone, and fields. */
const differences = (before: Files, after: Files) => {
  const [old, young] = [before, after].map(
    (files) => new Map(recordsIn(files).map((line) => [keyOf(line), line]))
  )
  const found: Array<string> = []
  for (const [key, line] of old ?? []) {
    const other = young?.get(key)
    if (other === undefined) found.push(line.kind)
    const [one, two] = [line.record, other?.record ?? line.record].map((record) =>
      Object.entries(record as object)
    )
    const names = new Set([...(one ?? []), ...(two ?? [])].map(([name]) => name))
    for (const name of names) {
      const [was, is] = [one, two].map((fields) => JSON.stringify(fields?.find(([field]) => field === name)))
      if (was !== is) found.push(`${line.kind}.${name}`)
    }
  }
  for (const [key, { kind }] of young ?? []) if (old?.has(key) !== true) found.push(kind)
  return found
}

const seen = new Set<string>()

describe("an instance that is moved", () => {
  it.effect.each(areas)("with what is of %s is the same", (area) =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled(area), directory])
      yield* fillFiles(url, dataDir)
      const first = yield* exported(url, dataDir)
      const second = yield* moved(first.path)
      const found = differences(first.files, second.files)
      for (const name of found) seen.add(name)
      const report = yield* reportOf(first.path)
      assert.deepStrictEqual(
        [...new Set(found)].filter((name) => otherwise[name] === undefined),
        [],
        JSON.stringify(report.slice(0, 20))
      )
      if (found.length === 0) assert.deepStrictEqual(second.files, first.files)
      else assert.deepStrictEqual((yield* moved(second.path)).files, second.files)
    })
  )

  it("differs in all that is named", () => {
    assert.deepStrictEqual([...seen].toSorted(), Object.keys(otherwise).toSorted())
  })
})
