/** What is no whole backup, or none that this release can restore, is refused before anything is written. */
import { existsSync, writeFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { constants, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { withChecksums } from "../../src/operator/backup/Packing.ts"
import { checkWhole, openBackup, readBackup } from "../../src/operator/backup/Reading.ts"
import { makeSealing, sealLength } from "../../src/operator/backup/Seal.ts"
import { writeBackup } from "../../src/operator/backup/Writing.ts"
import { OperatorFailure } from "../../src/operator/OperatorFailure.ts"
import { pack } from "../../src/operator/shared/Tar.ts"
import { migrations } from "../../src/persistence/shared/Migrations.ts"
import { freshDatabase } from "../process/support.ts"
import {
  backUp,
  check,
  contentsOf,
  directory,
  empty,
  filled,
  membersOf,
  put,
  restoreFrom,
  type Unpacked
} from "./backups.ts"

const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    return error.message
  })

/** A small backup with files and a key. */
const small = Effect.gen(function* () {
  const url = yield* Effect.promise(freshDatabase)
  const dataDir = yield* directory
  yield* Effect.promise(() =>
    writeFile(join(dataDir, "encryption.key"), `${Buffer.alloc(32, 1).toString("base64")}\n`)
  )
  const file = join(dataDir, "backup")
  yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
  return { dataDir, file, bytes: yield* Effect.promise(() => readFile(file)) }
})

const asMembers = async function* (members: ReadonlyArray<Unpacked>) {
  for (const { bytes, name } of members) yield { name, size: bytes.length, bytes: [bytes] }
}

const isList = ({ name }: Unpacked) => name.startsWith("checksums/")

/** Writes a backup that has these, as if they were all right. */
const sealed = (file: string, members: ReadonlyArray<Unpacked>, checksums = true) =>
  Effect.promise(() => {
    const all = asMembers(members)
    return writeBackup({
      file,
      members: checksums ? withChecksums(all) : all,
      at: new Date(0),
      signal: new AbortController().signal,
      checkRoom: async () => {}
    })
  })

const text = (name: string, content: string): Unpacked => ({ name, bytes: Buffer.from(content) })

const replaced = (members: ReadonlyArray<Unpacked>, name: string, change: (content: string) => string) =>
  members.map((member) => (member.name === name ? text(name, change(member.bytes.toString())) : member))

const insertedBefore = (members: ReadonlyArray<Unpacked>, name: string, ...added: ReadonlyArray<Unpacked>) =>
  members.flatMap((member) => (member.name === name ? [...added, member] : [member]))

const without = (members: ReadonlyArray<Unpacked>, name: string) =>
  members.filter((member) => member.name !== name)

const notWhole = /no whole backup/

const drained = async (bytes: AsyncIterable<Uint8Array>) => {
  for await (const _ of bytes) {
    // Only what is read to its end has a checksum.
  }
}

describe("a backup", () => {
  it.effect("that is cut anywhere, or goes on behind its end, is refused", () =>
    Effect.gen(function* () {
      const { bytes, dataDir } = yield* small
      const file = join(dataDir, "cut")
      const lengths = fc.sample(fc.integer({ min: 0, max: bytes.length - 1 }), { numRuns: 150, seed: 1 })
      for (const length of [0, 1, 47, 48, 49, bytes.length - 49, bytes.length - 1, ...lengths]) {
        writeFileSync(file, bytes.subarray(0, length))
        assert.match(yield* refusalOf(check(file)), notWhole, `${length}`)
      }
      for (const added of [Buffer.alloc(1), Buffer.alloc(512), bytes]) {
        writeFileSync(file, Buffer.concat([bytes, added]))
        assert.match(yield* refusalOf(check(file)), notWhole)
      }
      assert.match(yield* refusalOf(check(join(dataDir, "nothing"))), /cannot be read: .*ENOENT/)
      assert.match(yield* refusalOf(check(dataDir)), /EISDIR|no whole backup/)
    })
  )

  it.effect("with any bit flipped is refused", () =>
    Effect.gen(function* () {
      const { bytes, dataDir } = yield* small
      const file = join(dataDir, "flipped")
      const places = fc.sample(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), { numRuns: 400, seed: 2 })
      const seal = Array.from({ length: 48 * 8 }, (_, at) => (bytes.length - 48) * 8 + at)
      for (const place of [0, ...places, ...seal]) {
        const flipped = Buffer.from(bytes)
        flipped.writeUInt8((flipped[place >> 3] ?? 0) ^ (1 << (place & 7)), place >> 3)
        writeFileSync(file, flipped)
        assert.match(yield* refusalOf(check(file)), notWhole, `bit ${place}`)
      }
      writeFileSync(file, bytes)
      assert.isAbove((yield* check(file)).manifest.tables.length, 80)
    })
  )

  it.effect("is refused where something is missing, twice, elsewhere, or does not belong there", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const members = (yield* membersOf(file)).filter((member) => !isList(member))
      const names = members.map(({ name }) => name)
      assert.deepStrictEqual(
        [names[0], names[1], ...names.slice(-2)],
        ["manifest.json", "encryption.key", "sequences.json", "totals.json"]
      )
      let number = 0
      const refused = Effect.fnUntraced(function* (changed: ReadonlyArray<Unpacked>, what: string) {
        const path = join(dataDir, `changed-${number++}`)
        yield* sealed(path, changed)
        assert.match(yield* refusalOf(check(path)), notWhole, what)
      })
      // What is not there at all, which a row of no table names, is found by the totals when it is restored.
      for (const name of ["manifest.json", "encryption.key", "sequences.json", "totals.json"]) {
        yield* refused(without(members, name), `without ${name}`)
        const once = members.find((member) => member.name === name)
        yield* refused(insertedBefore(members, "totals.json", ...(once ? [once] : [])), `${name} twice`)
      }
      yield* refused(members.toReversed(), "in another order")
      const roles = members.find(({ name }) => name === "tables/roles.000001.copy")
      assert.isDefined(roles)
      if (roles === undefined) return
      yield* refused(insertedBefore(members, "sequences.json", roles), "rows twice")
      yield* refused([...members, roles], "rows behind the end")
      /** With parts of the table of these numbers, in place of the one that it has. */
      const inParts = (...numbers: ReadonlyArray<number>) =>
        members.flatMap((member) =>
          member === roles
            ? numbers.map((n) => ({ bytes: roles.bytes, name: `tables/roles.00000${n}.copy` }))
            : [member]
        )
      for (const numbers of [[2], [0], [1, 3], [1, 1], [2, 1]])
        yield* refused(inParts(...numbers), `parts ${numbers}`)
      const both = join(dataDir, "both")
      yield* sealed(both, inParts(1, 2))
      yield* check(both)
      const others = [
        "tables/roles.000003.copy",
        "tables/pg_authid.000001.copy",
        "tables/../../etc/passwd",
        "../encryption.key",
        "/etc/passwd",
        "unknown"
      ]
      for (const name of others) {
        yield* refused(insertedBefore(members, "sequences.json", text(name, "1")), name)
      }
      const keys = ["files/..", "files/a/b", "files/", `files/${"a".repeat(101)}`, "files/a.b", "file"]
      for (const name of keys) yield* refused(insertedBefore(members, "totals.json", text(name, "1")), name)
      const two = [text("files/b", "1"), text("files/a", "1")]
      yield* refused(insertedBefore(members, "totals.json", ...two), "files in another order")
      yield* refused(
        insertedBefore(members, "totals.json", text("files/a", "1"), text("files/a", "1")),
        "a file twice"
      )
      for (const name of ["manifest.json", "sequences.json", "totals.json"]) {
        yield* refused(
          replaced(members, name, () => "{}"),
          `${name} says nothing`
        )
      }
      const path = join(dataDir, "without-checksums")
      yield* sealed(path, members, false)
      assert.match(yield* refusalOf(check(path)), notWhole)
    })
  )

  it.effect("is refused where a text about it, or a list of checksums, is long, another or elsewhere", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const all = yield* membersOf(file)
      const [members, [list]] = [all.filter((member) => !isList(member)), all.filter(isList)]
      assert.isDefined(list)
      const bytes = list?.bytes ?? Buffer.alloc(0)
      const spaces = " ".repeat(8 * 1024 * 1024)
      const texts = ["manifest.json", "encryption.key", "sequences.json", "totals.json"]
      const cases: ReadonlyArray<readonly [ReadonlyArray<Unpacked>, boolean, RegExp]> = [
        ...texts.map(
          (name) =>
            [
              // The same, but for its length.
              replaced(members, name, (content) => content + spaces),
              true,
              new RegExp(`${name} is too long`)
            ] as const
        ),
        [[...members, text("checksums/000001", `${bytes}${spaces}`)], false, /checksums\/000001 is too long/],
        [[...members, { name: "checksums/000002", bytes }], false, /a list of checksums is missing/],
        [[...members, { name: "totals.json.sha256", bytes }], false, /a list of checksums is missing/],
        [
          [...replaced(members, "encryption.key", () => "another"), { name: "checksums/000001", bytes }],
          false,
          /checksums\/000001 says something else/
        ]
      ]
      for (const [number, [changed, checksums, message]] of cases.entries()) {
        const path = join(dataDir, `texts-${number}`)
        yield* sealed(path, changed, checksums)
        assert.match(yield* refusalOf(check(path)), message)
      }
    })
  )

  it.effect("of more files than a list of checksums is about has several lists, and needs all of them", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const members = (yield* membersOf(file)).filter((member) => !isList(member))
      const upTo = (count: number) =>
        Array.from({ length: count - members.length }, (_, number) =>
          text(`files/${String(number).padStart(6, "0")}`, `${number}`)
        )
      const large = join(dataDir, "large")
      yield* sealed(large, insertedBefore(members, "totals.json", ...upTo(10_001)))
      yield* check(large)
      const written = yield* membersOf(large)
      assert.deepStrictEqual(
        written.filter(isList).map(({ bytes, name }) => [name, bytes.toString().split("\n").length - 1]),
        [
          ["checksums/000001", 10_000],
          ["checksums/000002", 1]
        ]
      )
      const lacking = join(dataDir, "lacking")
      yield* sealed(lacking, without(written, "checksums/000001"), false)
      assert.match(yield* refusalOf(check(lacking)), /a list of checksums is missing/)
      // It ends with a list, and lacks what comes after it.
      const ended = join(dataDir, "ended")
      yield* sealed(ended, [...without(members, "totals.json"), ...upTo(10_001)])
      assert.match(yield* refusalOf(check(ended)), /something is missing/)
    })
  )

  it.effect("that is shorter than it says, or another one than was checked, is refused", () =>
    Effect.gen(function* () {
      const { bytes, dataDir, file } = yield* small
      const compressed = bytes.subarray(0, -sealLength)
      const sealing = makeSealing()
      sealing.pass(compressed)
      const length = Number(bytes.readBigUInt64LE(compressed.length + 8))
      const shorter = join(dataDir, "shorter")
      writeFileSync(shorter, Buffer.concat([compressed, sealing.seal(length + 1)]))
      assert.match(yield* refusalOf(check(shorter)), /shorter than it says/)

      const opened = yield* openBackup(file)
      const reading = { file: opened, signal: new AbortController().signal, at: () => {} }
      const seal = yield* Effect.promise(() => checkWhole(reading))
      const other = Buffer.from(seal.bytes)
      other.writeUInt8((other[sealLength - 1] ?? 0) ^ 1, sealLength - 1)
      const handling = {
        manifest: async () => {},
        key: async () => {},
        rows: (_: unknown, rows: AsyncIterable<Uint8Array>) => drained(rows),
        sequences: async () => {},
        file: (_: string, content: AsyncIterable<Uint8Array>) => drained(content),
        totals: async () => {}
      }
      yield* Effect.promise(() => readBackup(reading, seal, handling))
      const changed = yield* Effect.flip(
        Effect.tryPromise(() => readBackup(reading, { ...seal, bytes: other }, handling))
      )
      assert.match(String(changed.cause), /its checksum is another one/)
    })
  )

  it.effect("that is larger than it says is not unpacked any further", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const file = join(dataDir, "bomb")
      const write = (bytes: Buffer, unpacked: number, windowLog = 21) => {
        const compressed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: windowLog } })
        const sealing = makeSealing()
        sealing.pass(compressed)
        writeFileSync(file, Buffer.concat([compressed, sealing.seal(unpacked)]))
      }
      write(Buffer.alloc(200 * 1024 * 1024, 1), 1024)
      assert.match(yield* refusalOf(check(file)), /longer than it says/)
      write(Buffer.alloc(64 * 1024 * 1024, 1), 64 * 1024 * 1024, 26)
      assert.match(yield* refusalOf(check(file)), /not checked: .*(window|memory)/i)
      const archive: Array<Uint8Array> = []
      const members = asMembers([text("manifest.json", "{}")])
      yield* Effect.promise(async () => {
        for await (const part of pack(members, 0)) archive.push(part)
      })
      write(Buffer.concat(archive), Buffer.concat(archive).length + 1)
      assert.match(yield* refusalOf(check(file)), notWhole)
    })
  )

  it.effect("of a newer or an unreleased version is refused with what to do", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const members = (yield* membersOf(file)).filter((member) => !isList(member))
      let number = 0
      const refusal = Effect.fnUntraced(function* (change: (manifest: Record<string, unknown>) => object) {
        const path = join(dataDir, `manifest-${number++}`)
        const changed = replaced(members, "manifest.json", (content) => {
          const manifest = JSON.parse(content)
          return JSON.stringify({ ...manifest, ...change(manifest) })
        })
        yield* sealed(path, changed)
        return { path, message: yield* refusalOf(Effect.andThen(check(path), Effect.die("It is taken"))) }
      })
      const form = yield* refusal(() => ({ format: 2, release: "9.0.0", tables: "otherwise" }))
      assert.match(form.message, /newer release \(9\.0\.0\).*Use the program of that release/)
      const known = Object.keys(migrations)
      const newer = yield* refusal(() => ({ release: "9.0.0", migrations: [...known, "9999_later"] }))
      assert.match(newer.message, /newer release \(9\.0\.0, it has the migration 9999_later\)/)
      const unreleased = yield* refusal(() => ({ migrations: ["0001_another"] }))
      assert.match(unreleased.message, /unreleased version \(it has the migration 0001_another\)/)
    })
  )
})

describe("a restore", () => {
  it.effect("refuses a backup that lacks rows, or has other columns, and leaves the database empty", () =>
    Effect.gen(function* () {
      const [url, dataDir, target] = yield* Effect.all([filled("thread"), directory, empty])
      const file = join(dataDir, "backup")
      yield* backUp({ DATABASE_URL: url, DATA_DIR: dataDir }, file)
      const members = (yield* membersOf(file)).filter((member) => !isList(member))
      const into = { DATABASE_URL: target, DATA_DIR: join(dataDir, "other") }
      const lacking = join(dataDir, "lacking")
      yield* sealed(lacking, without(members, "tables/thread_tags.000001.copy"))
      assert.match(yield* refusalOf(restoreFrom(into, lacking)), /not all rows of thread_tags/)
      const differing = join(dataDir, "differing")
      const other = (content: string) => content.replace('"colour"', '"color"')
      yield* sealed(differing, replaced(members, "manifest.json", other))
      assert.match(yield* refusalOf(restoreFrom(into, differing)), /unreleased version: it has other tables/)
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("refuses files that the disk has no room for, before it makes a database", () =>
    Effect.gen(function* () {
      const { dataDir, file } = yield* small
      const members = (yield* membersOf(file)).filter((member) => !isList(member))
      const large = join(dataDir, "large")
      const size = (content: string) => JSON.stringify({ ...JSON.parse(content), bytes_of_files: 2 ** 52 })
      yield* sealed(large, replaced(members, "totals.json", size))
      const target = yield* empty
      const into = { DATABASE_URL: target, DATA_DIR: join(dataDir, "other") }
      assert.match(
        yield* refusalOf(restoreFrom(into, large)),
        /The files of the backup take 4504 TB, and .*other has room for/
      )
      assert.deepStrictEqual(yield* contentsOf(target), {})
    })
  )

  it.effect("of a damaged backup makes no database and no directory", () =>
    Effect.gen(function* () {
      const { bytes, dataDir } = yield* small
      const file = join(dataDir, "flipped")
      bytes.writeUInt8((bytes[1000] ?? 0) ^ 1, 1000)
      writeFileSync(file, bytes)
      const nowhere = join(dataDir, "nowhere")
      yield* put(dataDir, "x", bytes)
      assert.match(yield* refusalOf(restoreFrom({ DATA_DIR: nowhere }, file)), notWhole)
      assert.isFalse(existsSync(nowhere))
    })
  )
})
