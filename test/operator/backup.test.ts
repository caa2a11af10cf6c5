/** What was backed up is what is restored, or nothing is. */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock, TestConsole } from "effect/testing"
import { missingText } from "../../src/operator/backup/backup.ts"
import { namedFiles, naming } from "../../src/operator/backup/NamedFiles.ts"
import { notedBackups } from "../../src/operator/backup/Noting.ts"
import { type Written, writeBackup } from "../../src/operator/backup/Writing.ts"
import { OperatorFailure } from "../../src/operator/OperatorFailure.ts"
import { connect } from "../../src/operator/shared/Session.ts"
import { freshDatabase } from "../process/support.ts"
import { fakeBucket } from "../support/bucket.ts"
import { catalogueLines } from "../support/catalogue.ts"
import {
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

const statement = (text: string) =>
  SqlClient.SqlClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text))

const rows = (url: string, text: string) => inDatabase(url, statement(text))

const namedBy = (url: string) => rows(url, namedFiles.slice(1, -1))

/** Gives every file that the database names some bytes. */
const fillFiles = Effect.fnUntraced(function* (url: string, dataDir: string) {
  for (const { key } of yield* namedBy(url)) yield* put(dataDir, String(key), randomBytes(100_000))
})

const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
  })

const tablesIn = (url: string) =>
  Effect.map(
    rows(url, "select count(*)::int as tables from pg_tables where schemaname = 'public'"),
    ([row]) => row?.tables
  )

describe("a backup", () => {
  it.effect(
    "is restored row by row, with all that the schema consists of, by the owner of an empty database",
    () =>
      Effect.gen(function* () {
        const [url, target, dataDir, other] = yield* Effect.all([
          filled("thread"),
          empty,
          directory,
          directory
        ])
        yield* fillFiles(url, dataDir)
        const file = join(dataDir, "backup")
        const { size, totals } = yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
        assert.strictEqual(size, statSync(file).size)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: other }, file)

        const { backups_made: made, event_generations: _, ...before } = yield* contentsOf(url)
        const { backups_made: none, event_generations: __, ...after } = yield* contentsOf(target)
        assert.deepStrictEqual(after, before)
        // It is noted once it is whole.
        assert.notStrictEqual(made, none)
        assert.isAbove(totals.rows.posts ?? 0, 0)
        assert.deepStrictEqual(
          yield* inDatabase(target, catalogueLines),
          yield* inDatabase(url, catalogueLines)
        )
        // What they do when a row goes is done in the order in which they were made.
        const keys = "select conname from pg_constraint where contype = 'f' order by oid"
        assert.deepStrictEqual(yield* rows(target, keys), yield* rows(url, keys))
        const sequences = "select sequencename, last_value from pg_sequences order by 1"
        assert.deepStrictEqual(yield* rows(target, sequences), yield* rows(url, sequences))
        const disabled = "select tgname from pg_trigger where tgenabled <> 'O'"
        assert.deepStrictEqual(yield* rows(target, disabled), [])
        const invalid = "select conname from pg_constraint where not convalidated"
        assert.deepStrictEqual(yield* rows(target, invalid), [])
        const analysed = "select reltuples from pg_class where relname = 'posts'"
        assert.deepStrictEqual(yield* rows(target, analysed), [{ reltuples: totals.rows.posts }])
      })
  )

  it.effect("has every table of the schema, and each of its columns that can be written", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(freshDatabase)
      const dataDir = yield* directory
      const file = join(dataDir, "backup")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
      const [manifest] = yield* membersOf(file)
      const { tables } = JSON.parse(manifest?.bytes.toString() ?? "")
      const found = yield* rows(
        url,
        `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
          from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'
          group by table_name order by table_name collate "C"`
      )
      assert.deepStrictEqual(tables, found)
    })
  )

  it.effect("knows each table that says where a file is", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(freshDatabase)
      const found = yield* rows(
        url,
        `select distinct table_name as name from information_schema.columns
          where table_schema = 'public' and (column_name = 'store' or column_name like '%\\_store') order by 1`
      )
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        Object.keys(naming).toSorted()
      )
    })
  )

  it.effect("has the files that the database names, and names those that are nowhere", () =>
    Effect.gen(function* () {
      for (const area of ["asset", "instance", "plugin"]) {
        const [url, target, dataDir, other] = yield* Effect.all([filled(area), empty, directory, directory])
        yield* fillFiles(url, dataDir)
        yield* put(dataDir, "named-by-nothing", randomBytes(10))
        const file = join(dataDir, "backup")
        const before = yield* stored(dataDir)
        const { missing, totals } = yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
        assert.deepStrictEqual(missing, [])
        assert.isAbove(totals.files, 0, area)
        yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: other }, file)
        const { "named-by-nothing": _, ...named } = before
        assert.deepStrictEqual(yield* stored(other), named)
      }
      const [url, dataDir] = yield* Effect.all([filled("asset"), directory])
      yield* rows(
        url,
        `insert into assets (id, created_at, filename, original_name, mime_type, size, store)
          select 'lost-' || n, now(), 'lost-' || n, 'lost', 'text/plain', 1, 'disk' from generate_series(1, 11) n`
      )
      const named = (yield* namedBy(url)).map(({ key }) => String(key))
      const { missing, totals } = yield* backUp(
        { DATABASE_URL: url, DATA_DIR: dataDir },
        join(dataDir, "backup")
      )
      assert.deepStrictEqual(missing, named.slice(0, 10))
      assert.strictEqual(totals.missing_files, named.length)
      const [first = ""] = named
      const told = missingText({ missing, totals }) ?? ""
      assert.isTrue(told.startsWith(`${named.length} files that the database names are nowhere`), told)
      assert.isTrue(told.includes(`: ${first}, `) && told.endsWith(", …"), told)
    })
  )

  it.effect("moves the files to where the settings say, and to a bucket and back", () =>
    Effect.gen(function* () {
      const { objects, settings: bucket } = yield* fakeBucket
      const [url, second, third] = yield* Effect.all([filled("asset"), empty, empty])
      const [one, two, three] = yield* Effect.all([directory, directory, directory])
      yield* fillFiles(url, one)
      const files = yield* stored(one)
      yield* backUp({ DATABASE_URL: url, DATA_DIR: one }, join(one, "backup"))
      const withBucket = { DATABASE_URL: second, DATA_DIR: two }
      yield* restoreFrom(withBucket, join(one, "backup"), { bucket })
      assert.deepStrictEqual(yield* stored(two), {})
      assert.strictEqual(objects.size, Object.keys(files).length)
      const stores = "select distinct store from assets"
      assert.deepStrictEqual(yield* rows(second, stores), [{ store: "s3" }])
      yield* backUp(withBucket, join(two, "backup"), bucket)
      yield* restoreFrom({ DATABASE_URL: third, DATA_DIR: three }, join(two, "backup"))
      assert.deepStrictEqual(yield* rows(third, stores), [{ store: "disk" }])
      assert.deepStrictEqual(yield* stored(three), files)
      const { assets: before } = yield* contentsOf(url)
      const { assets: after } = yield* contentsOf(third)
      assert.strictEqual(after, before)
    })
  )

  it.effect("begins a generation of the log, so that what is lost is before what comes", () =>
    Effect.gen(function* () {
      const [url, target, dataDir, other] = yield* Effect.all([filled("thread"), empty, directory, directory])
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "backup"))
      yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: other }, join(dataDir, "backup"))
      const newest = "select max(generation) as generation from event_generations"
      const [before] = yield* rows(url, newest)
      assert.deepStrictEqual(yield* rows(target, newest), [{ generation: Number(before?.generation) + 1 }])
      assert.deepStrictEqual(
        yield* rows(target, "select event_generation() as generation"),
        yield* rows(target, newest)
      )
    })
  )

  it.effect("holds what removes replaced files until it has read them", () =>
    Effect.gen(function* () {
      const url = yield* filled("asset")
      const dataDir = yield* directory
      yield* fillFiles(url, dataDir)
      const session = yield* connect({ url: Redacted.make(url) })
      yield* Effect.promise(() => session.begin())
      const asked = "select pg_try_advisory_xact_lock(731620090, 0) as got"
      assert.deepStrictEqual(yield* rows(url, asked), [{ got: true }])
      yield* Effect.promise(() => session.run(asked))
      // It waits for what is being removed, and is not done before.
      const running = yield* Effect.forkChild(
        backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "backup"))
      )
      const waiting = `select count(*)::int as n from pg_locks
        where locktype = 'advisory' and classid = 731620090 and mode = 'ShareLock' and not granted`
      yield* Effect.repeat(rows(url, waiting), { until: ([row]) => row?.n === 1 })
      assert.isFalse(existsSync(join(dataDir, "backup")))
      // Until it is done, its tables stay what they are.
      const held = `select count(*)::int as tables from pg_locks where relation = 'posts'::regclass and granted
        and mode = 'AccessShareLock' and database = (select oid from pg_database where datname = current_database())`
      assert.deepStrictEqual(yield* rows(url, held), [{ tables: 1 }])
      yield* Effect.promise(() => session.run("commit"))
      yield* Fiber.join(running)
    })
  )

  it.effect("leaves nothing where it cannot be written or read, and overwrites nothing", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      const file = join(dataDir, "backup")
      yield* backUp(env, file)
      const before = yield* Effect.promise(() => readFile(file))
      yield* isRefused(backUp(env, file), /exists\. Name another file/)
      assert.isTrue(before.equals(yield* Effect.promise(() => readFile(file))))
      yield* isRefused(backUp(env, join(dataDir, "nowhere", "backup")), /was not made: .*ENOENT/)
      const writeTo = (members: Written["members"], signal: AbortSignal, checkRoom = async () => {}) =>
        writeBackup({ file: join(dataDir, "other"), members, at: new Date(), signal, checkRoom })
      const failing = async function* () {
        yield { name: "one", size: 3, bytes: [Buffer.from("one")] }
        throw new Error("The disk is full")
      }
      const written = (signal: AbortSignal) =>
        Effect.flip(Effect.tryPromise(() => writeTo(failing(), signal)))
      assert.match(String((yield* written(new AbortController().signal)).cause), /The disk is full/)
      const slow = async function* () {
        yield { name: "one", size: 3, bytes: [Buffer.from("one")] }
        await new Promise(() => {})
      }
      const controller = new AbortController()
      const aborted = writeTo(slow(), controller.signal)
      controller.abort()
      const outcome = yield* Effect.promise(() =>
        aborted.then(
          () => "written",
          () => "aborted"
        )
      )
      assert.strictEqual(outcome, "aborted")
      assert.deepStrictEqual(
        readdirSync(dataDir).filter((name) => name !== "assets"),
        ["backup"]
      )
    })
  )
})

describe("a backup of a database", () => {
  it.effect("whose schema is another one, or becomes one meanwhile, is refused", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      const file = join(dataDir, "backup")
      const session = yield* connect({ url: Redacted.make(url) })
      yield* Effect.promise(() => session.begin())
      yield* Effect.promise(() => session.run("lock table posts in access exclusive mode"))
      const running = yield* Effect.forkChild(Effect.exit(backUp(env, file)))
      const waiting = `select count(*)::int as n from pg_locks where relation = 'posts'::regclass
        and database = (select oid from pg_database where datname = current_database()) and not granted`
      yield* Effect.repeat(rows(url, waiting), { until: ([row]) => row?.n === 1 })
      yield* Effect.promise(() => session.run("alter table posts add column later int", "commit"))
      yield* isRefused(Effect.flatten(Fiber.join(running)), /schema of the database was changed meanwhile/)

      yield* rows(url, "insert into migrations (migration_id, name) values (9999, 'later')")
      yield* isRefused(backUp(env, file), /of a newer release than this program/)
      yield* isRefused(
        backUp({ ...env, DATABASE_URL: yield* empty }, file),
        /of an older release than this program/
      )
      assert.isFalse(existsSync(file))
    })
  )

  it.effect("is noted in it for five years, and made as well where that fails", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      yield* TestClock.setTime(Date.parse("2026-11-26T03:40:00Z"))
      yield* rows(
        url,
        "insert into backups_made values ('2021-11-26T03:00:00Z', 'old'), ('2021-11-26T04:00:00Z', 'kept')"
      )
      const file = join(dataDir, "backup")
      yield* backUp(env, file)
      const noted = inDatabase(
        url,
        Effect.map(notedBackups, (found) => found.map((backup) => backup.file))
      )
      assert.deepStrictEqual(yield* noted, ["kept", file])
      yield* rows(url, "alter table backups_made add check (false) not valid")
      const { size } = yield* backUp(env, `${file}-2`)
      assert.strictEqual(size, statSync(`${file}-2`).size)
      assert.deepStrictEqual(yield* TestConsole.errorLines, [
        "The backup could not be noted in the database."
      ])
    })
  )

  it.effect("that names what can be no file is refused", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      for (const name of ["../files", "a b", "a.b", "a".repeat(101)]) {
        yield* rows(url, "delete from assets")
        yield* rows(
          url,
          `insert into assets (id, created_at, filename, original_name, mime_type, size, store)
            values ('${name}', now(), '${name}', 'some', 'text/plain', 1, 'disk')`
        )
        yield* isRefused(
          backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "backup")),
          /The database names a file that cannot be/
        )
      }
    })
  )

  it.effect("with a key that cannot be used is refused", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      yield* Effect.promise(() => writeFile(join(dataDir, "encryption.key"), "short"))
      yield* isRefused(
        backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "backup")),
        /encryption\.key cannot be used: .*32 bytes/
      )
    })
  )

  it.effect("asks again and again whether the disk has room", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const mebibyte = 1024 * 1024
      const members = async function* () {
        yield {
          name: "large",
          size: 60 * mebibyte,
          bytes: Array.from({ length: 60 }, () => randomBytes(mebibyte))
        }
      }
      let asked = 0
      const checkRoom = async () => {
        asked += 1
        if (asked === 3) throw new Error("The disk is nearly full")
      }
      const { signal } = new AbortController()
      const written = writeBackup({
        file: join(dataDir, "backup"),
        members: members(),
        at: new Date(),
        signal,
        checkRoom
      })
      const failure = yield* Effect.flip(Effect.tryPromise(() => written))
      assert.match(String(failure.cause), /nearly full/)
      assert.deepStrictEqual(readdirSync(dataDir), [])
    })
  )
})

describe("a restore", () => {
  it.effect("refuses a database that is not empty, and changes nothing in it", () =>
    Effect.gen(function* () {
      const [url, dataDir, other] = yield* Effect.all([filled("thread"), directory, directory])
      const file = join(dataDir, "backup")
      yield* fillFiles(url, dataDir)
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
      const fresh = yield* Effect.promise(freshDatabase)
      const before = yield* contentsOf(fresh)
      yield* isRefused(
        restoreFrom({ DATABASE_URL: fresh, DATA_DIR: other }, file),
        /The database is not empty/
      )
      assert.deepStrictEqual(yield* contentsOf(fresh), before)
      const foreign = yield* empty
      yield* rows(foreign, "create table somebodys (id int)")
      yield* isRefused(
        restoreFrom({ DATABASE_URL: foreign, DATA_DIR: other }, file),
        /not empty \(it has public\.somebodys\)/
      )
      assert.deepStrictEqual(yield* stored(other), {})
    })
  )

  it.effect("that fails leaves the database empty and none of its files", () =>
    Effect.gen(function* () {
      const [url, target, dataDir, other] = yield* Effect.all([filled("asset"), empty, directory, directory])
      yield* fillFiles(url, dataDir)
      const file = join(dataDir, "backup")
      // What the foreign key refuses is found when all has been read.
      yield* rows(url, "alter table assets disable trigger all")
      yield* rows(url, "update assets set account_id = 'nobody'")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
      yield* put(dataDir, "x", randomBytes(1))
      const kept = (yield* namedBy(url)).map(({ key }) => String(key))[0] ?? ""
      yield* put(
        other,
        kept,
        yield* Effect.map(stored(dataDir), (files) => Buffer.from(files[kept] ?? "", "hex"))
      )
      const env = { DATABASE_URL: target, DATA_DIR: other }
      yield* isRefused(restoreFrom(env, file), /Nothing was restored: .*foreign key/)
      assert.strictEqual(yield* tablesIn(target), 0)
      // What was there before stays.
      assert.deepStrictEqual(Object.keys(yield* stored(other)), [kept])
      yield* put(other, kept, Buffer.from("another"))
      yield* isRefused(restoreFrom(env, file), /another file at the place of/)
      assert.deepStrictEqual(yield* stored(other), { [kept]: Buffer.from("another").toString("hex") })
      assert.strictEqual(yield* tablesIn(target), 0)
    })
  )

  it.effect("brings the key by which secrets are encrypted, or asks for it", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const key = Buffer.alloc(32, 1).toString("base64")
      const another = Buffer.alloc(32, 2).toString("base64")
      const file = join(dataDir, "backup")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir, OAUTH_KEY_ENCRYPTION_KEY: key }, file)
      assert.notInclude(String((yield* membersOf(file)).map(({ bytes }) => bytes)), key)
      const into = (more: Readonly<Record<string, string>>, from: string, withoutKey = false) =>
        Effect.gen(function* () {
          const target = yield* empty
          const other = yield* directory
          yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: other, ...more }, from, { withoutKey })
          return other
        })
      yield* isRefused(into({}, file), /by a key that it does not have/)
      yield* isRefused(into({ OAUTH_KEY_ENCRYPTION_KEY: another }, file), /by another key than/)
      yield* into({ OAUTH_KEY_ENCRYPTION_KEY: key }, file)
      yield* into({}, file, true)

      yield* Effect.promise(() => writeFile(join(dataDir, "encryption.key"), `${key}\n`))
      const second = join(dataDir, "second")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, second)
      const other = yield* into({}, second)
      assert.strictEqual(
        yield* Effect.promise(() => readFile(join(other, "encryption.key"), "utf8")),
        `${key}\n`
      )
      assert.strictEqual(statSync(join(other, "encryption.key")).mode & 0o777, 0o600)
      yield* isRefused(into({ OAUTH_KEY_ENCRYPTION_KEY: another }, second), /by another key than/)
    })
  )
})
