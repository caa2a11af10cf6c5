/** What the scenarios of every area leave in a database is in its backup, restored as it was, and exported as before. */
import { createHash, randomBytes } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { catalogueLines } from "../support/catalogue.ts"
import {
  areas,
  backUp,
  contentsOf,
  directory,
  empty,
  filled,
  inDatabase,
  membersOf,
  put,
  restoreFrom,
  stored
} from "./backups.ts"
import { exportTo, filesIn } from "./exports.ts"

describe("a backup", () => {
  it.effect.each(areas)("of %s is restored as it was", (area) =>
    Effect.gen(function* () {
      const [url, target, one, two] = yield* Effect.all([filled(area), empty, directory, directory])
      yield* backUp({ DATABASE_URL: url, DATA_DIR: one }, join(one, "backup"))
      yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: two }, join(one, "backup"))
      // That it was made is noted once it is whole, and restoring it begins a generation.
      const { backups_made: _, event_generations: __, ...before } = yield* contentsOf(url)
      const { backups_made: ___, event_generations: ____, ...after } = yield* contentsOf(target)
      assert.deepStrictEqual(after, before)
      assert.deepStrictEqual(
        yield* inDatabase(target, catalogueLines),
        yield* inDatabase(url, catalogueLines)
      )
      yield* exportTo({ DATABASE_URL: url, DATA_DIR: one }, join(one, "export"))
      yield* exportTo({ DATABASE_URL: target, DATA_DIR: two }, join(two, "export"))
      assert.deepStrictEqual(yield* filesIn(join(two, "export")), yield* filesIn(join(one, "export")))
    })
  )

  it.effect("has large tables in parts that end with a row, large rows and large files", () =>
    Effect.gen(function* () {
      const [url, target, one, two] = yield* Effect.all([filled("asset"), empty, directory, directory])
      yield* inDatabase(
        url,
        SqlClient.SqlClient.use((sql) =>
          Effect.all([
            sql`insert into event_log (occurred_at, event) select now(), jsonb_build_object('_tag', 'Large', 'n', n)
              from generate_series(1, 100000) n`,
            sql`insert into event_log (occurred_at, event) select now(),
                jsonb_build_object('_tag', 'Larger', 'text', repeat(E'line\\n\\\\.\\n', 1000000))
              from generate_series(1, 3) n`
          ])
        )
      )
      const [file] = yield* inDatabase(
        url,
        SqlClient.SqlClient.use((sql) => sql<{ readonly id: string }>`select id from assets limit 1`)
      )
      const key = file?.id ?? ""
      yield* put(one, key, randomBytes(40 * 1024 * 1024))
      const backup = join(one, "backup")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: one }, backup)
      const members = yield* membersOf(backup)
      const parts = members.filter(({ name }) => name.startsWith("tables/event_log."))
      assert.isAtLeast(parts.length, 4)
      for (const { bytes } of parts) assert.strictEqual(bytes.at(-1), 10)
      const hash = (text: string | undefined) =>
        createHash("sha256")
          .update(text ?? "")
          .digest("hex")
      yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: two }, backup)
      assert.strictEqual(hash((yield* stored(two))[key]), hash((yield* stored(one))[key]))
      assert.strictEqual((yield* contentsOf(target)).event_log, (yield* contentsOf(url)).event_log)
    })
  )
})
