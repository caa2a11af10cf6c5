/** A backup and a restore pass rows and files through: what they hold does not grow with what there is. */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeDirectory } from "../../src/persistence/shared/makeDirectory.ts"
import { empty, inDatabase } from "../operator/backups.ts"
import { begin, directory, type Settings } from "./operators.ts"
import { freshDatabase } from "./support.ts"

const megabyte = 1024 * 1024

// Says at its end how much memory it had at most, in KiB.
const telling =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"

/** Runs the command to its end, and answers how much memory its process had at most. */
const peakOf = (settings: Settings, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { child, ended } = begin(settings, args, { flags: ["--import", telling] })
    const [, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    assert.strictEqual(await ended, 0, errors)
    const [, peak] = /peak (\d+)$/.exec(errors) ?? assert.fail(errors)
    return Number(peak) * 1024
  })

const rows = { number: 250, files: 3000, fileLength: 64 * 1024 }

/** Rows of a mebibyte each, and many files whose bytes cannot be compressed. */
const fill = Effect.fnUntraced(function* (url: string, dataDir: string) {
  yield* inDatabase(
    url,
    SqlClient.SqlClient.use((sql) =>
      Effect.all([
        sql`insert into event_log (occurred_at, event) select now(),
            jsonb_build_object('_tag', 'Large', 'text', repeat(md5(n::text), ${megabyte / 32}::int))
          from generate_series(1, ${rows.number}::int) n`,
        sql`insert into assets (id, created_at, filename, original_name, mime_type, size, store)
          select 'file' || n, now(), 'file' || n, 'file', 'text/plain', ${rows.fileLength}::int, 'disk'
          from generate_series(1, ${rows.files}::int) n`
      ])
    )
  )
  const files = join(dataDir, "assets", "files")
  yield* Effect.promise(() => makeDirectory(files, 0o700))
  const bytes = randomBytes(rows.fileLength)
  for (let n = 1; n <= rows.files; n++) {
    bytes.writeUInt32LE(n, (n * 16) % rows.fileLength)
    writeFileSync(join(files, `file${n}`), bytes)
  }
})

it.live("large rows and many files take no more memory than few small ones, by much less than they are", () =>
  Effect.gen(function* () {
    const [few, many] = yield* Effect.all([Effect.promise(freshDatabase), Effect.promise(freshDatabase)])
    const [one, two, three, four] = yield* Effect.all([directory, directory, directory, directory])
    yield* fill(many, two)
    const passed = rows.number * megabyte + rows.files * rows.fileLength
    const small = join(one, "backup")
    const large = join(two, "backup")
    const made = {
      small: yield* peakOf({ DATABASE_URL: few, DATA_DIR: one }, "backup", small),
      large: yield* peakOf({ DATABASE_URL: many, DATA_DIR: two }, "backup", large)
    }
    const restored = {
      small: yield* peakOf({ DATABASE_URL: yield* empty, DATA_DIR: three }, "restore", small),
      large: yield* peakOf({ DATABASE_URL: yield* empty, DATA_DIR: four }, "restore", large)
    }
    for (const { large, small } of [made, restored]) {
      // What has been used once is freed when there is need, so there is some of it.
      assert.isBelow(large - small, passed / 3, `${small} and ${large} bytes`)
    }
  }).pipe(Effect.scoped)
)
