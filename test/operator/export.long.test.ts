/** What the scenarios of every area leave in a database is exported as it is documented, without secrets. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import manifest from "../../package.json" with { type: "json" }
import { kinds } from "../../src/domain/exchange/Kinds.ts"
import { generalDefaults } from "../../src/domain/settings/GeneralSetting.ts"
import { namedFiles } from "../../src/operator/backup/NamedFiles.ts"
import { makePacking } from "../../src/operator/backup/Packing.ts"
import { writeBackup } from "../../src/operator/backup/Writing.ts"
import { makeExporting } from "../../src/operator/exchange/Exporting.ts"
import { writeExport } from "../../src/operator/exchange/ExportWriting.ts"
import { makeFiles } from "../../src/operator/shared/Files.ts"
import { makeProgress } from "../../src/operator/shared/Progress.ts"
import { connect, type Session } from "../../src/operator/shared/Session.ts"
import { leftOut } from "../../src/persistence/exchange/LeftOut.ts"
import {
  areas,
  directory,
  empty,
  filled,
  inDatabase,
  put,
  quiet,
  restoreFrom,
  rows,
  surroundings
} from "./backups.ts"
import { exportTo, type Files, filesIn, recordsIn, schemaErrors, undescribed } from "./exports.ts"

/** Gives every file that the database names some bytes, of the size that is known of it. */
const fillFiles = Effect.fnUntraced(function* (url: string, dataDir: string) {
  const sizes = yield* rows(
    url,
    `select id as key, size::int from assets union all
      select upload_id || '-' || l.key, l.value::int from instance_images, jsonb_each_text(lengths) l`
  )
  const known = new Map(sizes.map(({ key, size }) => [key, Number(size)]))
  for (const { key } of yield* rows(url, namedFiles.slice(1, -1)))
    yield* put(dataDir, String(key), randomBytes(known.get(key) ?? 10))
})

/** The columns with texts, bytes and JSON of tables of which an export has nothing; what refers to other tables aside. */
const secretColumns = `select c.relname as table, a.attname as column
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    and a.atttypid in ('text'::regtype, 'bytea'::regtype)
    and not exists (select from pg_constraint f
      where f.conrelid = c.oid and f.contype = 'f' and a.attnum = any (f.conkey))`

/** Tables that have secrets, and beside them names and addresses that are in no export either. */
const withSecrets = Object.entries(leftOut).flatMap(([table, reason]) =>
  typeof reason === "string" && /Whoever|secret/.test(reason) ? [table] : []
)

// What is shorter says nothing, and may be anywhere.
const tellingLength = 12

const formsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.length < tellingLength ? [] : [value]
  if (!(value instanceof Uint8Array)) return []
  const bytes = Buffer.from(value)
  return [bytes.toString("hex"), bytes.toString("base64"), bytes.toString("base64url")]
}

/** What everyone may know, and the audit log names. */
const isPublic = (table: unknown, column: unknown) =>
  column === "id"
    ? table !== "invitations"
    : ["client_id", "resource", "resource_url", "scope"].includes(String(column))

const secretsIn = Effect.fnUntraced(function* (url: string) {
  const columns = (yield* rows(url, secretColumns)).filter(
    ({ column, table }) => withSecrets.includes(String(table)) && !isPublic(table, column)
  )
  const found: Array<string> = []
  for (const { column, table } of columns)
    for (const row of yield* rows(url, `select distinct "${column}" as value from "${table}"`))
      found.push(...formsOf(row.value))
  return found
})

/** Addresses as records have them. What somebody is called elsewhere may be a handle here. */
const addressesIn = (url: string) =>
  Effect.map(
    rows(
      url,
      `select to_json(address)::text as value from account_emails
        union all select to_json(phone_number)::text from phone_numbers where account_id is not null
        union all select '"subject":' || to_json(subject)::text from identities_elsewhere`
    ),
    (found) => found.map(({ value }) => String(value))
  )

/** All bytes of an export but those of uploaded files. */
const textsIn = (files: Files) =>
  [...files]
    .flatMap(([name, bytes]) => (name.startsWith("files/") ? [] : [bytes.toString("utf8")]))
    .join("\n")

const seen = new Set<string>()
let secretsSeen = 0
let addressesSeen = 0

describe("an export", () => {
  it.effect.each(areas)("of %s is valid, and without secrets", (area) =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled(area), directory])
      yield* fillFiles(url, dataDir)
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      const { contents } = yield* exportTo(env, join(dataDir, "export"), { withAddresses: true })
      const files = yield* filesIn(join(dataDir, "export"))
      assert.strictEqual(contents.missing_files, 0)

      const lines = recordsIn(files)
      assert.deepStrictEqual(schemaErrors(lines), [])
      assert.deepStrictEqual(undescribed(lines), [])
      for (const { kind } of lines) seen.add(kind)

      const text = textsIn(files)
      const secrets = yield* secretsIn(url)
      assert.deepStrictEqual(
        secrets.filter((secret) => text.includes(secret)),
        []
      )
      secretsSeen += secrets.length

      yield* exportTo(env, join(dataDir, "without"))
      const without = textsIn(yield* filesIn(join(dataDir, "without")))
      const addresses = yield* addressesIn(url)
      const isIn = (where: string) => (address: string) => where.includes(address)
      assert.deepStrictEqual(addresses.filter(isIn(text)), addresses)
      assert.deepStrictEqual(addresses.filter(isIn(without)), [])
      addressesSeen += addresses.length
    })
  )

  it("has had records of every kind, with secrets and addresses beside them", () => {
    assert.deepStrictEqual(
      Object.keys(kinds).filter((kind) => !seen.has(kind)),
      []
    )
    assert.isAbove(secretsSeen, 100)
    assert.isAbove(addressesSeen, 10)
  })
})

/** A session whose transactions see what another one has exported. */
const seeing = (session: Session, snapshot: string): Session => ({
  ...session,
  begin: async (kind) => {
    await session.begin(kind)
    await session.run(`set transaction snapshot '${snapshot}'`)
  }
})

/** Changes posts and adds tags, one after the other, until it is interrupted. Counts what it has done. */
const writing = (url: string, writer: number, wrote: (times: number) => void) =>
  inDatabase(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let times = 1; ; times++) {
        yield* sql`update posts set body = ${`<body>${writer} writes ${times}</body>`}, updated_at = now()
          where id = (select id from posts order by id offset ${writer} limit 1)`
        yield* sql`insert into tags (id, created_at, name)
          values (lpad(${`${writer}v${times}`}, 20, '0'), now(), ${`tag ${writer} ${times}`})`
        wrote(times)
      }
    })
  )

const writers = 20

const bothOf = Effect.fnUntraced(function* (url: string, dataDir: string) {
  const [keeper, one, two] = yield* Effect.all([1, 2, 3].map(() => connect({ url: Redacted.make(url) })))
  if (keeper === undefined || one === undefined || two === undefined) throw new Error("Unreachable")
  const files = yield* makeFiles
  const progress = makeProgress(quiet, () => 0)
  yield* Effect.promise(async () => {
    await keeper.begin("isolation level repeatable read")
    const [row] = await keeper.rows<{ snapshot: string }>("select pg_export_snapshot() as snapshot")
    const snapshot = row?.snapshot ?? ""
    const packing = makePacking({
      session: seeing(one, snapshot),
      files,
      progress,
      about: { release: manifest.version, made_at: new Date(0).toISOString() },
      findKey: async () => ({ fingerprint: undefined, text: undefined })
    })
    const exporting = makeExporting({
      session: seeing(two, snapshot),
      files,
      progress,
      about: {
        made_by: `${manifest.name} ${manifest.version}`,
        address: "http://localhost:8000",
        with_addresses: true
      },
      usualTitle: generalDefaults.title
    })
    const { signal } = new AbortController()
    await Promise.all([
      writeBackup({
        file: join(dataDir, "backup"),
        members: packing.members,
        at: new Date(0),
        signal,
        checkRoom: async () => {}
      }),
      writeExport(join(dataDir, "export"), exporting.members, signal)
    ])
  })
}, Effect.scoped)

describe("an export of a moment at which 20 people write", () => {
  it.effect("is the same of the backup of that moment, which is restored", () =>
    Effect.gen(function* () {
      const [url, target, one, two] = yield* Effect.all([filled("thread"), empty, directory, directory])
      const env = { DATABASE_URL: url, DATA_DIR: one }
      const done = Array.from({ length: writers }, () => 0)
      const going = yield* Effect.forkChild(
        Effect.all(
          done.map((_, writer) =>
            writing(url, writer, (times) => {
              done[writer] = times
            })
          ),
          { concurrency: "unbounded" }
        )
      )
      const everyoneWrote = (atLeast: number) =>
        Effect.repeat(rows(url, "select pg_sleep(0.01)"), { until: () => Math.min(...done) >= atLeast })
      yield* everyoneWrote(1)
      yield* Effect.provide(bothOf(url, one), surroundings(env))
      yield* everyoneWrote(Math.max(...done) + 1)
      yield* Fiber.interrupt(going)

      yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: two }, join(one, "backup"))
      const withAddresses = { withAddresses: true }
      yield* exportTo({ DATABASE_URL: target, DATA_DIR: two }, join(two, "export"), withAddresses)
      const [before, after] = yield* Effect.all([filesIn(join(one, "export")), filesIn(join(two, "export"))])
      assert.deepStrictEqual(after, before)
      yield* exportTo(env, join(one, "later"), withAddresses)
      assert.notDeepEqual(yield* filesIn(join(one, "later")), before)
    })
  )
})
