/** What people made is exported as it is documented, the same bytes each time, or nothing is. */
import { createHash, randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { mkdir, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { SqlClient } from "effect/sql"
import { type Kind, partLength } from "../../src/domain/exchange/Kinds.ts"
import { makeExportedFiles } from "../../src/operator/exchange/ExportedFiles.ts"
import { writeExport } from "../../src/operator/exchange/ExportWriting.ts"
import { OperatorFailure } from "../../src/operator/OperatorFailure.ts"
import type { Member } from "../../src/operator/shared/Tar.ts"
import { kindsOfAccounts, recordsOf } from "../../src/persistence/exchange/RecordQueries.ts"
import { freshDatabase } from "../process/support.ts"
import { backUp, directory, empty, filled, inDatabase, put, restoreFrom } from "./backups.ts"
import { exportTo, type Files, filesIn, filesOfArchive, recordsIn, schemaErrors } from "./exports.ts"

const statement = (text: string) =>
  SqlClient.SqlClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text))

const rows = (url: string, text: string) => inDatabase(url, statement(text))

const textIn = (files: Files, name: string) => JSON.parse(files.get(name)?.toString() ?? "null")

/** Gives every uploaded file some bytes, of the size that is known of it. */
const fillFiles = Effect.fnUntraced(function* (url: string, dataDir: string) {
  for (const { id, size } of yield* rows(url, "select id, size::int from assets"))
    yield* put(dataDir, String(id), randomBytes(Number(size)))
})

const namesOf = (files: Files) => [...files.keys()]

const sha256Of = (bytes: Buffer | undefined) =>
  createHash("sha256")
    .update(bytes ?? "")
    .digest("hex")

const hashOf = (path: string) => sha256Of(readFileSync(path))

const fieldIn = (record: unknown, name: string): unknown =>
  Predicate.hasProperty(record, name) ? record[name] : undefined

const idIn = (record: unknown) => fieldIn(record, "id")

const unused = {
  store: "disk",
  findHash: () => Promise.reject(new Error("Unused")),
  remove: () => Promise.reject(new Error("Unused")),
  write: () => Promise.reject(new Error("Unused"))
} as const

/** What is to be said of a part. */
const partIn = (files: Files, name: string) => {
  const bytes = files.get(name) ?? Buffer.alloc(0)
  const records = bytes.toString("utf8").split("\n").length - 1
  return { name, records, bytes: bytes.length, sha256: sha256Of(bytes) }
}

/** The fields that say whose records are. */
const namesOfOwners: Partial<Record<Kind, ReadonlyArray<string>>> = {
  accounts: ["id"],
  threads: ["author_id"],
  replies: ["author_id"],
  likes: ["account_id"],
  reactions: ["account_id"],
  read_marks: ["account_id"],
  follows: ["follower_id", "followed_id"],
  notifications: ["account_id"],
  audit: ["enacted_by"]
}

/** What staff did is theirs only where they did it to themselves. */
const isOwn = (kind: Kind, record: unknown, account: string) =>
  kind !== "audit" || fieldIn(fieldIn(record, "subject"), "account_id") === account

const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
  })

describe("an export", () => {
  it.effect(
    "of a database and of its restored backup is the same, byte by byte, in a directory and a file",
    () =>
      Effect.gen(function* () {
        const [url, target, one, two] = yield* Effect.all([filled("asset"), empty, directory, directory])
        yield* fillFiles(url, one)
        yield* backUp({ DATABASE_URL: url, DATA_DIR: one }, join(one, "backup"))
        yield* restoreFrom({ DATABASE_URL: target, DATA_DIR: two }, join(one, "backup"))
        yield* exportTo({ DATABASE_URL: url, DATA_DIR: one }, join(one, "export"))
        yield* exportTo({ DATABASE_URL: target, DATA_DIR: two }, join(two, "export"))
        const [before, after] = yield* Effect.all([
          filesIn(join(one, "export")),
          filesIn(join(two, "export"))
        ])
        assert.deepStrictEqual(after, before)
        assert.isNotEmpty(namesOf(before).filter((name) => name.startsWith("files/")))

        yield* exportTo({ DATABASE_URL: url, DATA_DIR: one }, join(one, "export.tar.zst"))
        yield* exportTo({ DATABASE_URL: target, DATA_DIR: two }, join(two, "export.tar.zst"))
        const archive = yield* filesOfArchive(join(one, "export.tar.zst"))
        assert.deepStrictEqual(namesOf(archive).toSorted(), namesOf(before))
        for (const [name, bytes] of before) assert.isTrue(archive.get(name)?.equals(bytes), name)
        assert.deepStrictEqual(namesOf(archive).at(0), "manifest.json")
        assert.deepStrictEqual(namesOf(archive).at(-1), "contents.json")
        const [first, second] = [one, two].map((folder) => hashOf(join(folder, "export.tar.zst")))
        assert.strictEqual(second, first)
      })
  )

  it.effect("is the same whatever the database sorts by", () =>
    Effect.gen(function* () {
      const [url, one, two] = yield* Effect.all([filled("asset"), directory, directory])
      yield* fillFiles(url, one)
      // In Czech, ch comes after h.
      const ids = ["cg", "ch", "ci", "h0", "i0"].map((beginning) => beginning.padEnd(20, "0"))
      for (const id of ids.toReversed())
        yield* rows(url, `insert into tags (id, created_at, name) values ('${id}', now(), '${id}')`)
      const czech = new URL(url)
      czech.pathname = `${czech.pathname}_czech`
      const name = czech.pathname.slice(1)
      yield* rows(
        url,
        `create database ${name} template template0 encoding 'UTF8' locale_provider icu icu_locale 'cs-CZ' locale 'C'`
      )
      yield* backUp({ DATABASE_URL: url, DATA_DIR: one }, join(one, "backup"))
      yield* restoreFrom({ DATABASE_URL: czech.href, DATA_DIR: two }, join(one, "backup"))
      assert.deepStrictEqual(
        (yield* rows(czech.href, `select id from tags where id = any ('{${ids.join()}}') order by id`)).map(
          ({ id }) => String(id).slice(0, 2)
        ),
        ["cg", "ci", "h0", "ch", "i0"]
      )
      yield* exportTo({ DATABASE_URL: url, DATA_DIR: one }, join(one, "export"))
      yield* exportTo({ DATABASE_URL: czech.href, DATA_DIR: two }, join(two, "export"))
      assert.deepStrictEqual(yield* filesIn(join(two, "export")), yield* filesIn(join(one, "export")))
    })
  )

  it.effect("is the same file in whatever pieces its bytes come", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      // Some of it becomes shorter, and some does not.
      const text = Array.from(
        { length: 6000 },
        (_, n) => `line ${(n * 7919) % 1_000_003} ${"x".repeat(n % 17)}\n`
      )
      const bytes = Buffer.concat(
        Array.from({ length: 20 }, () => [
          randomBytes(50_000),
          Buffer.from(text.join("")),
          randomBytes(7)
        ]).flat()
      )
      const members = async function* (length: number): AsyncGenerator<Member> {
        const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
          bytes.subarray(n * length, (n + 1) * length)
        )
        yield { name: "tags/000001.ndjson", size: bytes.length, bytes: pieces }
      }
      const hashes: Array<string> = []
      for (const length of [200, 60_000, 140_000, bytes.length]) {
        const target = join(folder, `${length}.tar.zst`)
        yield* Effect.promise(() => writeExport(target, members(length), new AbortController().signal))
        assert.isTrue((yield* filesOfArchive(target)).get("tags/000001.ndjson")?.equals(bytes))
        hashes.push(hashOf(target))
        // Nor does it say when it was made.
        const header = zstdDecompressSync(readFileSync(target)).subarray(0, 512)
        assert.strictEqual(header.toString("latin1", 136, 148), "00000000000\0")
      }
      assert.lengthOf(new Set(hashes), 1)
    })
  )

  it.effect("has records as the schema says, and says what there is of them", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled("thread"), directory])
      const { records } = yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "export"))
      const files = yield* filesIn(join(dataDir, "export"))
      const lines = recordsIn(files)
      assert.deepStrictEqual(schemaErrors(lines), [])
      const [counted] = yield* rows(url, "select count(*)::int as replies from posts where id <> thread_id")
      assert.strictEqual(records.replies, counted?.replies)
      assert.isAbove(records.replies ?? 0, 1)
      const manifest = textIn(files, "manifest.json")
      assert.deepStrictEqual(Object.keys(manifest), [
        "format",
        "version",
        "made_by",
        "title",
        "address",
        "with_addresses"
      ])
      const { parts } = textIn(files, "contents.json")
      assert.sameDeepMembers(
        parts,
        namesOf(files)
          .filter((name) => name.endsWith(".ndjson"))
          .map((name) => partIn(files, name))
      )
      const replies = lines.filter(({ kind }) => kind === "replies").map(({ record }) => record)
      assert.deepStrictEqual(
        replies.map((reply) => idIn(reply)),
        (yield* rows(
          url,
          `select id from posts where ordinal > 0 order by thread_id collate "C", ordinal`
        )).map(({ id }) => id)
      )
    })
  )

  it.effect("has each file once, and names those that are lost or are not what they were", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled("asset"), directory])
      yield* rows(
        url,
        `insert into assets (id, created_at, filename, original_name, mime_type, size, store)
          select '${"cut".padStart(20, "0")}', now(), '${"cut".padStart(20, "0")}-cut', 'cut', 'text/plain', 10, 'disk'`
      )
      const [one, two, lost, cut, ...others] = yield* rows(url, "select id from assets order by id desc")
      assert.deepStrictEqual([cut?.id, others], ["cut".padStart(20, "0"), []])
      const large = randomBytes(5 * 1024 * 1024)
      yield* rows(url, `update assets set size = ${large.length} where id in ('${one?.id}', '${two?.id}')`)
      yield* put(dataDir, String(one?.id), large)
      yield* put(dataDir, String(two?.id), large)
      yield* put(dataDir, String(cut?.id), randomBytes(9))
      const { contents } = yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "export"))
      const files = yield* filesIn(join(dataDir, "export"))
      const sha256 = sha256Of(large)
      assert.deepStrictEqual(contents.files, { number: 1, bytes: large.length })
      assert.isTrue(files.get(`files/${sha256}`)?.equals(large))
      const hashes = new Map(
        recordsIn(files)
          .filter(({ kind }) => kind === "assets")
          .map(({ record }) => [idIn(record), fieldIn(record, "sha256")])
      )
      assert.deepStrictEqual(
        [one, two, lost, cut].map((row) => hashes.get(String(row?.id))),
        [sha256, sha256, undefined, undefined]
      )
      assert.strictEqual(contents.missing_files, hashes.size - 2)
    })
  )

  it.effect("has no file that changes while it is read", () =>
    Effect.gen(function* () {
      const large = 5 * 1024 * 1024
      let opened = 0
      /** A store whose files have these bytes, each time that they are opened. */
      const filesOf = (size: number, ...contents: ReadonlyArray<Buffer>) => {
        let times = 0
        const open = async () => {
          opened += 1
          const bytes = (async function* () {
            yield contents[Math.min(times++, contents.length - 1)] ?? Buffer.alloc(0)
          })()
          const close = async () => {
            opened -= 1
          }
          return { file: { size, bytes }, close }
        }
        return { ...unused, open }
      }
      const read = async (size: number, ...contents: ReadonlyArray<Buffer>) => {
        const { find } = makeExportedFiles(filesOf(size, ...contents), () => {})
        const { member } = await find({ store: "disk", key: "some", size })
        for await (const _ of member?.bytes ?? []) {
          // As it is written.
        }
        return member?.size
      }
      const [one, two] = [Buffer.alloc(large, 1), Buffer.alloc(large, 2)]
      assert.strictEqual(yield* Effect.promise(() => read(10, one.subarray(0, 10))), 10)
      assert.strictEqual(yield* Effect.promise(() => read(large, one, one)), large)
      for (const [size, ...contents] of [
        [10, one.subarray(0, 9)],
        [10, one.subarray(0, 11)],
        [large, one, two],
        [large, one, one.subarray(0, -1)]
      ] as const) {
        const failure = yield* Effect.flip(Effect.tryPromise(() => read(size, ...contents)))
        assert.match(String(failure.cause), /The file some changed while it was read/)
      }
      assert.strictEqual(opened, 0)
    })
  )

  it.effect("has the images of the instance, each size as a file", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      yield* rows(
        url,
        `update instance_images set upload_id = 'up', store = 'disk', lengths = '{"large": 20, "a": 10, "lost": 5}'
          where kind = 'icon'`
      )
      const [a, large] = [randomBytes(10), randomBytes(20)]
      yield* put(dataDir, "up-a", a)
      yield* put(dataDir, "up-large", large)
      const { contents } = yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "export"))
      const files = yield* filesIn(join(dataDir, "export"))
      assert.deepStrictEqual(
        recordsIn(files).filter(({ kind }) => kind === "instance_images"),
        [
          {
            kind: "instance_images",
            record: {
              id: "icon",
              images: [
                { size: "a", sha256: sha256Of(a) },
                { size: "large", sha256: sha256Of(large) },
                { size: "lost" }
              ]
            }
          }
        ]
      )
      for (const bytes of [a, large]) assert.isTrue(files.get(`files/${sha256Of(bytes)}`)?.equals(bytes))
      assert.deepStrictEqual([contents.files, contents.missing_files], [{ number: 2, bytes: 30 }, 1])
    })
  )

  it.effect("is not made of a database that is of another release", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      yield* rows(url, "insert into migrations (migration_id, name) values (9999, 'later')")
      for (const [database, message] of [
        [url, /of a newer release than this program/],
        [yield* empty, /of an older release than this program/]
      ] as const)
        yield* isRefused(
          exportTo({ DATABASE_URL: database, DATA_DIR: dataDir }, join(dataDir, "export")),
          message
        )
      assert.deepStrictEqual(readdirSync(dataDir), [])
    })
  )

  it.effect("has, of one account, what it made and what is about it, and nothing else", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled("thread"), directory])
      yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "export"), {
        withAddresses: true
      })
      const all = recordsIn(yield* filesIn(join(dataDir, "export")))
      const [author] = yield* rows(
        url,
        "select author_id as id from posts where ordinal > 0 order by id limit 1"
      )
      const account = String(author?.id)
      const wanted = { withAddresses: true, sortsByBytes: false, account }
      for (const kind of kindsOfAccounts) {
        if (kind === "assets") continue
        const found = (yield* rows(url, recordsOf(kind, wanted))).map(({ record }) =>
          JSON.parse(String(record))
        )
        const ofKind = all.filter((line) => line.kind === kind).map(({ record }) => record)
        for (const record of found) assert.deepInclude(ofKind, record)
        const names = namesOfOwners[kind] ?? []
        const own = ofKind.filter(
          (record) => names.some((name) => fieldIn(record, name) === account) && isOwn(kind, record, account)
        )
        if (names.length > 0) assert.deepStrictEqual(found, own, kind)
      }
      const kinds = ["accounts", "replies"] as const
      for (const kind of kinds) assert.isNotEmpty(yield* rows(url, recordsOf(kind, wanted)), kind)
      assert.throws(() => recordsOf("likes", { ...wanted, account: "' or true" }), /is no id/)
    })
  )

  it.effect("has large kinds in parts, and records in the order of bytes", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([filled("account"), directory])
      yield* rows(
        url,
        `insert into tags (id, created_at, name)
          select lpad(n::text, 20, '0'), '2026-01-01 00:00:00.000001Z', repeat(n::text, 200) || chr(9) || chr(34) || '\\n'
          from generate_series(1000, 7000) n`
      )
      yield* exportTo({ DATABASE_URL: url, DATA_DIR: dataDir }, join(dataDir, "export"))
      const files = yield* filesIn(join(dataDir, "export"))
      const [first, second, ...others] = namesOf(files).filter((name) => name.startsWith("tags/"))
      assert.deepStrictEqual([first, second, others], ["tags/000001.ndjson", "tags/000002.ndjson", []])
      const size = files.get(first ?? "")?.length ?? 0
      assert.isAtLeast(size, partLength)
      assert.isBelow(size, partLength + 2000)
      const tags = recordsIn(files).filter(({ kind }) => kind === "tags")
      assert.deepInclude(
        tags.map(({ record }) => record),
        {
          id: "00000000000000001000",
          created_at: "2026-01-01T00:00:00.000001Z",
          name: `${"1000".repeat(200)}\t"\\n`
        }
      )
      const ids = tags.map(({ record }) => idIn(record))
      assert.deepStrictEqual(ids, ids.toSorted())
    })
  )

  it.effect("can be read by its owner only, overwrites nothing, and leaves nothing where it fails", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      const [folder, file] = [join(dataDir, "export"), join(dataDir, "export.tar.zst")]
      yield* exportTo(env, folder)
      yield* exportTo(env, file)
      const modeOf = (path: string) => statSync(path).mode & 0o777
      assert.deepStrictEqual(
        [folder, join(folder, "roles"), join(folder, "manifest.json"), file].map(modeOf),
        [0o700, 0o700, 0o600, 0o600]
      )
      const before = yield* filesIn(folder)
      for (const target of [folder, file])
        yield* isRefused(exportTo(env, target), /exists\. Name another file/)
      assert.deepStrictEqual(yield* filesIn(folder), before)
      for (const name of ["nowhere/export", "nowhere/export.tar.zst"])
        yield* isRefused(exportTo(env, join(dataDir, name)), /Nothing was exported: .*ENOENT/)
      assert.deepStrictEqual(readdirSync(dataDir).toSorted(), ["export", "export.tar.zst"])
    })
  )

  it.effect("that is interrupted, or has no room, leaves nothing, whatever it waits for", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const failing = async function* (): AsyncGenerator<Member> {
        yield { name: "manifest.json", size: 3, bytes: [Buffer.from("one")] }
        throw new Error("The disk is full")
      }
      const waiting = async function* (begun: () => void): AsyncGenerator<Member> {
        yield { name: "manifest.json", size: 3, bytes: [Buffer.from("one")] }
        begun()
        await new Promise(() => {})
      }
      for (const name of ["export", "export.tar.zst"]) {
        const target = join(folder, name)
        const failure = yield* Effect.flip(
          Effect.tryPromise(() => writeExport(target, failing(), new AbortController().signal))
        )
        assert.match(String(failure.cause), /The disk is full/)
        const controller = new AbortController()
        const begun = Promise.withResolvers<void>()
        const writing = writeExport(target, waiting(begun.resolve), controller.signal)
        yield* Effect.promise(() => begun.promise)
        controller.abort()
        const outcome = yield* Effect.promise(() =>
          writing.then(
            () => "written",
            () => "interrupted"
          )
        )
        assert.strictEqual(outcome, "interrupted")
        assert.deepStrictEqual(readdirSync(folder), [])
        // Something that came to be meanwhile stays.
        const late = async function* (): AsyncGenerator<Member> {
          yield { name: "manifest.json", size: 3, bytes: [Buffer.from("one")] }
          await mkdir(target)
        }
        const refused = yield* Effect.flip(
          Effect.tryPromise(() => writeExport(target, late(), new AbortController().signal))
        )
        assert.match(String(refused.cause), /exists/)
        assert.isTrue(existsSync(target))
        assert.deepStrictEqual(readdirSync(folder), [name])
        yield* Effect.promise(() => rmdir(target))
      }
    })
  )
})
