/** Into which databases a backup is restored, where its files are then, and what is left where that ends badly. */
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { makeInstanceKey } from "../../src/operator/backup/InstanceKey.ts"
import { openBackup } from "../../src/operator/backup/Reading.ts"
import { checkBackup, restoreBackup, type Target } from "../../src/operator/backup/Restoring.ts"
import { OperatorFailure } from "../../src/operator/OperatorFailure.ts"
import { makeFiles } from "../../src/operator/shared/Files.ts"
import { makeProgress } from "../../src/operator/shared/Progress.ts"
import { connect } from "../../src/operator/shared/Session.ts"
import { migrationsLock } from "../../src/persistence/shared/Migrations.ts"
import { freshDatabase } from "../process/support.ts"
import { fakeBucket } from "../support/bucket.ts"
import { catalogueLines } from "../support/catalogue.ts"
import {
  backUp,
  contentsOf,
  directory,
  type Env,
  empty,
  filled,
  inDatabase,
  put,
  quiet,
  restoreFrom,
  rows,
  stored,
  surroundings
} from "./backups.ts"

const run = Effect.fnUntraced(function* (url: string, ...statements: ReadonlyArray<string>) {
  for (const statement of statements) yield* rows(url, statement)
})

const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    return error.message
  })

/** A small backup. */
const small = Effect.gen(function* () {
  const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
  const file = join(dataDir, "backup")
  yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
  return { url, dataDir, file }
})

describe("a database", () => {
  it.effect("is not empty that has anything in any schema", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      for (const [made, found] of [
        [["create function theirs() returns int language sql as 'select 1'"], "public.theirs"],
        [["create schema other", "create table other.things (id int)"], "other.things"],
        [["create view seen as select 1 as one"], "public.seen"]
      ] as const) {
        const target = yield* empty
        yield* run(target, ...made)
        const message = yield* refusalOf(restoreFrom({ DATABASE_URL: target, DATA_DIR: dataDir }, file))
        assert.include(message, `The database is not empty (it has ${found}).`)
      }
    })
  )

  it.effect("is empty that has what extensions bring", () =>
    Effect.gen(function* () {
      const { dataDir, file, url } = yield* small
      const target = yield* empty
      yield* run(
        target,
        "create extension pg_trgm",
        "create schema ours",
        "create extension fuzzystrmatch schema ours",
        "create table ours.words (id int primary key)",
        "alter extension fuzzystrmatch add table ours.words"
      )
      yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: dataDir }, file)
      assert.deepStrictEqual(
        yield* inDatabase(target, catalogueLines),
        yield* inDatabase(url, catalogueLines)
      )
    })
  )

  it.effect("is left alone while another program brings it up to date", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const target = yield* empty
      const session = yield* connect({ url: Redacted.make(target) })
      yield* Effect.promise(async () => {
        await session.begin()
        await session.run(`select pg_advisory_xact_lock(${migrationsLock})`)
      })
      const restoring = yield* Effect.forkChild(
        Effect.exit(restoreFrom({ DATABASE_URL: target, DATA_DIR: dataDir }, file))
      )
      const waiting = `select count(*)::int as n from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      yield* Effect.repeat(rows(target, waiting), { until: ([row]) => row?.n === 1 })
      // It has not looked whether the database is empty before it was its turn.
      yield* Effect.promise(() => session.run("create table made_meanwhile (id int)", "commit"))
      const message = yield* refusalOf(Effect.flatten(Fiber.join(restoring)))
      assert.include(message, "it has public.made_meanwhile")
    })
  )
})

describe("the files of a restored backup", () => {
  it.effect("are where the settings say, whatever names them", () =>
    Effect.gen(function* () {
      const { objects, settings: bucket } = yield* fakeBucket
      const [url, dataDir] = yield* Effect.all([filled("plugin"), directory])
      yield* run(
        url,
        `update instance_images set upload_id = 'image', store = 'disk', lengths = '{"small": 5}' where kind = 'icon'`,
        `insert into own_data_exports
            (account_id, requested_at, session_hash, asked, key, store, size, made_at, expires_at)
          select id, now(), '\\x00', 1, 'own-data', 'disk', 5, now(), now() from accounts order by id limit 1`,
        // Another one is still to be made, and has no file.
        `insert into own_data_exports (account_id, requested_at, session_hash, asked, next_at)
          select id, now(), '\\x00', 1, now() from accounts order by id offset 1 limit 1`,
        "insert into asset_uploads (id, store, started_at) values ('left', 'disk', now())",
        `update plugins set package_key = 'package', package_store = 'disk'
          where id = (select min(id) from plugins where package_key is not null)`
      )
      const named = ["image-small", "own-data", "package"]
      for (const key of named) yield* put(dataDir, key, randomBytes(5))
      const file = join(dataDir, "backup")
      const { missing } = yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
      assert.notIncludeMembers([...missing], named)

      const storesIn = (target: string) =>
        rows(
          target,
          `select distinct of, store from (
              select 'plugins' as of, package_store as store from plugins
              union all select 'images', store from instance_images
              union all select 'own data', store from own_data_exports
              union all select 'uploads', store from asset_uploads) s
            where store is not null order by of`
        )
      const [moved, other] = yield* Effect.all([empty, directory])
      yield* restoreFrom({ DATABASE_URL: moved, DATA_DIR: other }, file, { bucket })
      const keys = [...objects.keys()]
      for (const key of named)
        assert.isTrue(
          keys.some((path) => path.endsWith(`/${key}`)),
          key
        )
      // What belongs to nothing stayed where it was, and is nobody's here.
      assert.deepStrictEqual(
        yield* storesIn(moved),
        ["images", "own data", "plugins"].map((of) => ({ of, store: "s3" }))
      )

      const [same, third] = yield* Effect.all([empty, directory])
      yield* restoreFrom({ DATABASE_URL: same, DATA_DIR: third }, file)
      assert.includeMembers(Object.keys(yield* stored(third)), named)
      assert.deepStrictEqual(
        yield* storesIn(same),
        ["images", "own data", "plugins", "uploads"].map((of) => ({ of, store: "disk" }))
      )
    })
  )
})

/** Restores a backup as the command does, but for what a test changes of it. */
const restoring = Effect.fnUntraced(function* (
  env: Env & { readonly DATABASE_URL: string },
  file: string,
  change: (
    parts: Pick<Target, "files" | "key" | "session"> & { readonly abort: () => void }
  ) => Partial<Target>
) {
  const controller = new AbortController()
  const reading = { file: yield* openBackup(file), signal: controller.signal, at: () => {} }
  const checked = yield* Effect.promise(() => checkBackup(reading))
  const session = yield* connect({ url: Redacted.make(env.DATABASE_URL) })
  const [files, key] = [yield* makeFiles, yield* makeInstanceKey]
  const target: Target = {
    session,
    files,
    key,
    progress: makeProgress(quiet, () => 0),
    withoutKey: false,
    ...change({ files, key, session, abort: () => controller.abort(new Error("Interrupted")) })
  }
  const failure = yield* Effect.flip(Effect.tryPromise(() => restoreBackup(reading, checked, target)))
  return String(failure.cause)
}, Effect.scoped)

/** A backup with a file and the key. */
const withKey = Effect.gen(function* () {
  const [url, dataDir] = yield* Effect.all([filled("asset"), directory])
  const [asset] = yield* rows(url, "select id from assets order by id limit 1")
  yield* put(dataDir, String(asset?.id), randomBytes(10))
  const key = `${Buffer.alloc(32, 1).toString("base64")}\n`
  writeFileSync(join(dataDir, "encryption.key"), key)
  const file = join(dataDir, "backup")
  yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
  return { file, key, url, asset: String(asset?.id) }
})

describe("a restore", () => {
  it.effect("that is interrupted at its end leaves no key, no file and an empty database", () =>
    Effect.gen(function* () {
      const { file } = yield* withKey
      const [target, other] = yield* Effect.all([empty, directory])
      const env = { DATABASE_URL: target, DATA_DIR: other }
      const failure = yield* Effect.provide(
        restoring(env, file, ({ abort, key }) => ({
          key: {
            ...key,
            write: async (text) => {
              await key.write(text)
              abort()
            }
          }
        })),
        surroundings(env)
      )
      assert.match(failure, /Interrupted/)
      assert.deepStrictEqual(readdirSync(other), ["assets"])
      assert.deepStrictEqual(yield* stored(other), {})
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("that is interrupted waits for nothing that the database still does", () =>
    Effect.gen(function* () {
      const { file } = yield* withKey
      const [target, other] = yield* Effect.all([empty, directory])
      const env = { DATABASE_URL: target, DATA_DIR: other }
      yield* Effect.provide(
        restoring(env, file, ({ abort, session }) => ({
          session: {
            ...session,
            run: async (...statements) => {
              if (!statements.some((statement) => statement.startsWith("CREATE INDEX")))
                return await session.run(...statements)
              const lasting = session.run("select pg_sleep(600)")
              abort()
              await lasting
            }
          }
        })),
        surroundings(env)
      )
      // Its transaction would hold back the events of all databases of the server.
      yield* run(
        target,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(600)'"
      )
      assert.deepStrictEqual(readdirSync(other), ["assets"])
      assert.deepStrictEqual(yield* stored(other), {})
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("that is interrupted takes back a file that is still being written", () =>
    Effect.gen(function* () {
      const { file } = yield* withKey
      const [target, other] = yield* Effect.all([empty, directory])
      const env = { DATABASE_URL: target, DATA_DIR: other }
      const written = Promise.withResolvers<void>()
      const failure = yield* Effect.provide(
        restoring(env, file, ({ abort, files }) => ({
          files: {
            ...files,
            write: async (key, bytes) => {
              const parts: Array<Uint8Array> = []
              for await (const part of bytes) parts.push(part)
              abort()
              // Its disk answers late.
              await setTimeout(200)
              await files.write(key, Readable.from(parts))
              written.resolve()
            }
          }
        })),
        surroundings(env)
      )
      assert.match(failure, /abort|Interrupted/i)
      yield* Effect.promise(() => written.promise)
      assert.deepStrictEqual(yield* stored(other), {})
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("replaces no key that somebody else makes meanwhile", () =>
    Effect.gen(function* () {
      const { file } = yield* withKey
      const [target, other] = yield* Effect.all([empty, directory])
      const env = { DATABASE_URL: target, DATA_DIR: other }
      const theirs = join(other, "encryption.key")
      const failure = yield* Effect.provide(
        restoring(env, file, ({ key }) => ({
          key: {
            ...key,
            write: async (text) => {
              writeFileSync(theirs, "theirs")
              await key.write(text)
            }
          }
        })),
        surroundings(env)
      )
      assert.match(failure, /EEXIST/)
      assert.strictEqual(readFileSync(theirs, "utf8"), "theirs")
      assert.deepStrictEqual(readdirSync(other).toSorted(), ["assets", "encryption.key"])
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("whose last steps nobody answers to takes nothing back, and says that it may be done", () =>
    Effect.gen(function* () {
      const { asset, file, key: text } = yield* withKey
      for (const [last, message] of [
        ["commit", /Whether the backup is restored is not known: .* \(.*connection was lost.*\)\.$/],
        ["analyze", /The backup is restored, and not yet of this release: .* \(.*connection was lost.*\)\.$/]
      ] as const) {
        const [target, other] = yield* Effect.all([empty, directory])
        const env = { DATABASE_URL: target, DATA_DIR: other }
        const failure = yield* Effect.provide(
          restoring(env, file, ({ session }) => ({
            session: {
              ...session,
              run: async (...statements) => {
                await session.run(...statements)
                if (statements.some((statement) => statement.startsWith(last)))
                  throw new Error("The connection was lost")
              }
            }
          })),
          surroundings(env)
        )
        assert.match(failure, message)
        assert.deepStrictEqual(Object.keys(yield* stored(other)), [asset])
        assert.strictEqual(readFileSync(join(other, "encryption.key"), "utf8"), text)
        assert.deepStrictEqual(yield* rows(target, `select id from assets where id = '${asset}'`), [
          { id: asset }
        ])
      }
    })
  )
})
