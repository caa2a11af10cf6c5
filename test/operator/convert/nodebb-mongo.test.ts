/** A dump of NodeBB in MongoDB becomes the same export as one in PostgreSQL. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Binary, Double, Long } from "bson"
import { Effect } from "effect"
import { nodebb } from "../../../src/operator/convert/nodebb/NodeBB.ts"
import { directory } from "../import/inputs.ts"
import {
  contentsOf,
  convertFrom,
  convertInRuns,
  idOf,
  isRefused,
  recordsIn,
  rulesIn,
  textIn
} from "./converting.ts"
import { type Block, blockOf, bsonOf, type Documents, mongoArchiveOf } from "./mongo-dumps.ts"
import { at, documents, dump, objects, writeUploads } from "./nodebb-fixture.ts"

const id = idOf("nodebb")

const written = (bytes: Uint8Array | string, name = "dump") =>
  Effect.gen(function* () {
    const root = yield* directory
    const source = join(root, name)
    yield* Effect.promise(() => writeFile(source, bytes))
    return { root, source, destination: join(root, "export") }
  })

const objectsOf = (found: Documents): Block => ({ db: "nodebb", collection: "objects", documents: found })

const end: Block = { db: "nodebb", collection: "objects" }

const sessions: Block = {
  db: "nodebb",
  collection: "sessions",
  documents: [{ session: "secret@session", _key: "user:1", username: "An impostor" }]
}

const sessionsEnd: Block = { db: "nodebb", collection: "sessions" }

/** What was read of a dump, as an export of the same dump in PostgreSQL has it. */
const isTheSame = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const { destination, root, source } = yield* written(bytes)
    const uploads = yield* Effect.promise(() => writeUploads(root))
    const options = { uploads, address: "https://old.example/forum" }
    const other = join(root, "dump.sql")
    yield* Effect.promise(() => writeFile(other, dump()))
    yield* convertFrom(nodebb, other, join(root, "other"), options)
    yield* convertFrom(nodebb, source, destination, options)
    assert.strictEqual(yield* contentsOf(destination), yield* contentsOf(join(root, "other")))
    for (const beside of [".left-out.ndjson", ".redirects.map"])
      assert.deepStrictEqual(
        yield* Effect.promise(() => readFile(`${destination}${beside}`)),
        yield* Effect.promise(() => readFile(join(root, `other${beside}`)))
      )
  })

describe("a dump of NodeBB in MongoDB", () => {
  it.effect("has the same as one in PostgreSQL: the file of its collection", () =>
    isTheSame(gzipSync(bsonOf(documents())))
  )

  it.effect("has the same in an archive, beside other collections and in any order", () => {
    const all = documents()
    const blocks = [objectsOf(all.slice(0, 30)), sessions, objectsOf(all.slice(30)), sessionsEnd, end]
    return isTheSame(mongoArchiveOf(blocks))
  })

  it.effect("has the same in a compressed archive of an older tool, whose blocks are small", () =>
    isTheSame(gzipSync(mongoArchiveOf([...documents().map((document) => objectsOf([document])), end])))
  )

  it.effect("keeps nothing of what is left out", () =>
    Effect.gen(function* () {
      const { destination, source } = yield* written(
        mongoArchiveOf([sessions, objectsOf(documents()), end, sessionsEnd])
      )
      const atStep = (name: string) => {
        if (name === "writing") throw new Error("ended")
      }
      yield* isRefused(convertFrom(nodebb, source, destination, { atStep }), /ended/)
      const kept = yield* textIn(`${destination}.converting`)
      for (const secret of [
        "Private words",
        "Queued words",
        "Far words",
        "secret@",
        "An impostor",
        "192.0.2.1"
      ])
        assert.notInclude(kept, secret)
      assert.include(kept, "Who was I?")
    })
  )

  it.effect("with values of any type has all that can be read of them", () =>
    Effect.gen(function* () {
      const { destination, source } = yield* written(
        bsonOf([
          ...documents(),
          { _key: "user:8", username: "Long", joindate: Long.fromNumber(at(2)) },
          {
            _key: "user:9",
            username: "Double",
            joindate: new Double(at(3)),
            aboutme: new Binary(Buffer.from("x"))
          },
          { _key: "user:10", username: "Dated", joindate: new Date(at(4)), expireAt: new Date(at(5)) },
          { _key: "user:11", username: { $ne: null } },
          { _key: 12, username: "Of no key" },
          { username: "Of none at all" },
          { _key: null, members: ["1"] },
          {
            _key: "post:18",
            pid: 18,
            tid: "1",
            uid: Number.NaN,
            content: "x\u0000y",
            timestamp: Long.MAX_VALUE
          },
          {
            _key: "pid:18:upvote",
            members: [2, "what", null, Long.fromNumber(5)],
            expireAt: new Date(at(5))
          },
          { _key: "group:sailors:members", value: 2, score: new Double(at(1)) },
          { _key: "group:sailors:members", value: "2", score: at(1), _other: 1 },
          { _key: "users:banned", value: "7", score: Long.fromNumber(at(9)) }
        ])
      )
      yield* convertFrom(nodebb, source, destination)
      const accounts = yield* recordsIn(destination, "accounts")
      const person = (old: number) => accounts.find((account) => account.id === id("users", old))
      assert.deepStrictEqual(
        [8, 9, 10, 11, 12].map((old) => person(old)?.created_at),
        [
          "2020-01-02T10:00:00.000Z",
          "2020-01-03T10:00:00.000Z",
          "2020-01-04T10:00:00.000Z",
          undefined,
          undefined
        ]
      )
      assert.deepInclude(person(9), { bio: "" })
      assert.deepInclude(person(7), { suspended_at: "2020-01-09T10:00:00.000Z" })
      assert.includeDeepMembers(
        [...(yield* recordsIn(destination, "accounts"))].map(({ roles }) => roles),
        [
          [
            { id: id("groups", "sailors"), badge: false },
            { id: id("roles", "moderators"), badge: true }
          ].toSorted((a, b) => (a.id < b.id ? -1 : 1))
        ]
      )
      assert.include(yield* rulesIn(destination), "users 11 account_without_name")
      const likes = yield* recordsIn(destination, "likes")
      assert.deepStrictEqual(
        likes
          .filter(({ post_id }) => post_id === id("posts", 18))
          .map(({ account_id }) => account_id)
          .toSorted(),
        [id("users", 2), id("users", 5)].toSorted()
      )
      assert.notInclude(yield* textIn(destination), "Of no")
    })
  )

  it.effect("goes on in the middle of the collection", () =>
    Effect.gen(function* () {
      const more = Object.fromEntries(
        Array.from({ length: 8000 }, (_, index) => [
          `post:${1000 + index}`,
          { ...objects["post:14"], pid: 1000 + index, content: `Post ${index} ${"and more ".repeat(20)}` }
        ])
      )
      const all = documents({ objects: more })
      const { destination, root, source } = yield* written(mongoArchiveOf([objectsOf(all), end]))
      yield* convertFrom(nodebb, source, destination)
      const again = join(root, "again")
      yield* convertInRuns(nodebb, source, again)
      assert.strictEqual(yield* contentsOf(again), yield* contentsOf(destination))
      assert.isAbove((yield* recordsIn(again, "replies")).length, 8000)
    })
  )

  it.effect("is refused where it is of something else, of several forums, or not whole", () =>
    Effect.gen(function* () {
      const all = documents()
      const archive = mongoArchiveOf([objectsOf(all), end])
      const withLength = (length: number) => {
        const bytes = Buffer.from(bsonOf(all))
        bytes.writeInt32LE(length, bytes.readInt32LE(0))
        return bytes
      }
      const broken = Buffer.from(bsonOf(all))
      broken[4 + 1 + 4 + 12] = 0x7f
      const cases: ReadonlyArray<readonly [string, Uint8Array, RegExp]> = [
        ["of another program", bsonOf([{ name: "x" }]), /has nothing of NodeBB/],
        ["no collection", mongoArchiveOf([sessions, sessionsEnd]), /no collection `objects`/],
        [
          "two forums",
          mongoArchiveOf([objectsOf(all), end, { ...end, db: "test" }]),
          /in 2 databases: nodebb, test\. .*--db/
        ],
        ["cut file", bsonOf(all).subarray(0, -3), /not whole: it ends within a document/],
        ["cut archive", archive.subarray(0, -20), /not whole/],
        ["archive without its end", mongoArchiveOf([objectsOf(all)], [end]), /no end of the collection/],
        ["archive of its beginning", mongoArchiveOf([], [end]), /no end of the collection/],
        ["empty archive", archive.subarray(0, 4), /no collection/],
        ["longer than any document", withLength(64 * 1024 * 1024), /a length of 67108864 bytes/],
        ["negative length", withLength(-2), /a length of -2 bytes/],
        ["no length", withLength(4), /a length of 4 bytes/],
        [
          "terminator in a file",
          Buffer.concat([bsonOf(all), blockOf(end).subarray(-4)]),
          /a document has no length/
        ],
        ["no documents", withLength(-1), /not whole/],
        ["a type that there is none of", broken, /a document cannot be read/],
        ["a block of nothing", Buffer.concat([archive, blockOf(end).subarray(-4)]), /names no collection/]
      ]
      for (const [name, bytes, message] of cases) {
        const { destination, source } = yield* written(bytes, name)
        yield* isRefused(convertFrom(nodebb, source, destination), message)
      }
    })
  )
})
