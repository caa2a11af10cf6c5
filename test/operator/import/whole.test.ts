/** An export that is not as it was made is refused before anything is written, by the name of what differs. */
import { cp, readFile, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OperatorFailure } from "../../../src/operator/OperatorFailure.ts"
import { pack } from "../../../src/operator/shared/Tar.ts"
import { freshDatabase } from "../../process/support.ts"
import { exportTo, type Files, filesIn, filesOfArchive } from "../exports.ts"
import { account, asset, directory, importFrom, reply, rows, sha256, thread, writeInput } from "./inputs.ts"

const bytes = Buffer.from("The bytes of a file")

const community = {
  accounts: [account(1, { admin: true, founder: true }), account(2)],
  assets: [asset(1, bytes)],
  threads: [thread(1), thread(2)],
  replies: Array.from({ length: 40 }, (_, number) => reply(number, 1 + (number % 2)))
}

/** A file without the hash that its name may be. */
const file = `files/${sha256(bytes)}`

interface Place {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

/** What is to be refused goes to this instance, which stays as it was. */
const instance = Effect.map(
  Effect.all([Effect.promise(freshDatabase), directory]),
  ([url, dataDir]): Place => ({ url, env: { DATABASE_URL: url, DATA_DIR: dataDir } })
)

/** An export of a small instance. */
const exported = Effect.fnUntraced(function* (end: "" | ".tar.zst") {
  const [{ env }, path, target] = yield* Effect.all([instance, directory, directory])
  yield* writeInput(path, community, [bytes])
  yield* importFrom(env, path)
  const made = join(target, `export${end}`)
  yield* exportTo(env, made, { withAddresses: true })
  return made
})

const isRefused = Effect.fnUntraced(function* ({ env, url }: Place, path: string, what: string) {
  const error = yield* Effect.flip(importFrom(env, path))
  assert.instanceOf(error, OperatorFailure)
  assert.include(error.message, what)
  assert.include(error.message, "Nothing was changed")
  assert.deepStrictEqual(
    yield* rows(
      url,
      "select to_regnamespace('forum_import') as staged, (select count(*)::int from accounts) as accounts"
    ),
    [{ staged: null, accounts: 0 }]
  )
})

const flipped = (content: Uint8Array, place: number) => {
  const changed = Buffer.from(content)
  changed[place] = (changed[place] ?? 0) ^ 1
  return changed
}

/** Each file of an export that it lists, or that has its hash as its name. */
const listed = (files: Files) => [...files].filter(([name]) => name.includes("/"))

const archiveOf = (files: Files) =>
  Effect.promise(async () => {
    const members = async function* () {
      for (const [name, content] of files) yield { name, size: content.length, bytes: [content] }
    }
    const parts: Array<Uint8Array> = []
    for await (const part of pack(members(), 0)) parts.push(part)
    return zstdCompressSync(Buffer.concat(parts))
  })

describe("a directory", () => {
  it.effect("of which one byte of any file is another one, cut off or gone is refused by its name", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(""), yield* instance]
      const files = yield* filesIn(made)
      assert.includeMembers([...files.keys()], [file, "replies/000001.ndjson", "accounts/000001.ndjson"])
      for (const [name, content] of listed(files)) {
        const at = join(made, name)
        for (const place of [0, Math.floor(content.length / 2), content.length - 1]) {
          yield* Effect.promise(() => writeFile(at, flipped(content, place)))
          yield* isRefused(target, made, `${name} is not what it was`)
        }
        yield* Effect.promise(() => truncate(at, content.length - 1))
        yield* isRefused(target, made, name)
        yield* Effect.promise(() => rm(at))
        yield* isRefused(target, made, name === file ? "files/ has 0 files" : `${name} is not there`)
        yield* Effect.promise(() => writeFile(at, content))
      }
      yield* importFrom(target.env, made)
    })
  )

  it.effect("that has another number of files is refused, also where the one more is empty", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(""), yield* instance]
      const empty = Buffer.alloc(0)
      yield* Effect.promise(() => writeFile(join(made, "files", sha256(empty)), empty))
      const { length } = bytes
      yield* isRefused(target, made, `files/ has 2 files with ${length} bytes, and had 1 with ${length}`)
    })
  )

  it.effect("that has a part more, or no list of its contents that can be read, is refused", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(""), yield* instance]
      const more = join(made, "replies", "000002.ndjson")
      yield* Effect.promise(() => cp(join(made, "replies", "000001.ndjson"), more))
      yield* isRefused(target, made, "replies/000002.ndjson is there, which contents.json does not name")
      yield* Effect.promise(() => rm(more))
      const list = join(made, "contents.json")
      const content = yield* Effect.promise(() => readFile(list))
      yield* Effect.promise(() => truncate(list, content.length - 10))
      yield* isRefused(target, made, "contents.json does not say what there is")
      yield* Effect.promise(() => truncate(list, 0))
      yield* isRefused(target, made, "contents.json does not say what there is")
      yield* Effect.promise(() => writeFile(list, Buffer.alloc(64 * 1024 * 1024 + 1, " ")))
      yield* isRefused(target, made, "contents.json is too long")
      yield* Effect.promise(() => rm(list))
      yield* isRefused(target, made, "contents.json is not there")
    })
  )

  it.effect("of another program may lack the list, and is held to it where it has one", () =>
    Effect.gen(function* () {
      const [path, target] = yield* Effect.all([directory, instance])
      yield* writeInput(path, community, [bytes])
      const contents = { parts: [], files: { number: 0, bytes: 0 }, missing_files: 0 }
      yield* Effect.promise(() => writeFile(join(path, "contents.json"), JSON.stringify(contents)))
      yield* isRefused(target, path, "is there, which contents.json does not name")
      yield* Effect.promise(() => rm(join(path, "contents.json")))
      yield* importFrom(target.env, path)
    })
  )

  it.effect("that is damaged is imported as it is where that is asked for", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(""), yield* instance]
      const replies = join(made, "replies", "000001.ndjson")
      const content = yield* Effect.promise(() => readFile(replies, "utf8"))
      yield* Effect.promise(() => writeFile(replies, content.split("\n").slice(0, 10).join("\n")))
      yield* isRefused(target, made, "replies/000001.ndjson has ")
      yield* importFrom(target.env, made, { damaged: true })
      assert.deepStrictEqual(
        yield* rows(target.url, "select count(*)::int as posts from posts where ordinal > 0"),
        [{ posts: 10 }]
      )
    })
  )
})

describe("an archive", () => {
  it.effect("of which one byte of any file is another one, cut off or gone is refused by its name", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(".tar.zst"), yield* instance]
      const files = yield* filesOfArchive(made)
      for (const [name, content] of listed(files)) {
        for (const changed of [flipped(content, content.length >> 1), content.subarray(1)]) {
          const other = new Map(files).set(name, Buffer.from(changed))
          const archive = yield* archiveOf(other)
          yield* Effect.promise(() => writeFile(made, archive))
          yield* isRefused(target, made, name)
        }
        const without = new Map([...files].filter(([other]) => other !== name))
        const archive = yield* archiveOf(without)
        yield* Effect.promise(() => writeFile(made, archive))
        yield* isRefused(target, made, name === file ? "files/ has 0 files" : `${name} is not there`)
      }
      const without = new Map([...files].filter(([name]) => name !== "contents.json"))
      const archive = yield* archiveOf(without)
      yield* Effect.promise(() => writeFile(made, archive))
      yield* isRefused(target, made, "contents.json is not there")
      const whole = yield* archiveOf(files)
      yield* Effect.promise(() => writeFile(made, whole))
      yield* importFrom(target.env, made)
    })
  )

  it.effect("that is cut or changed anywhere is refused", () =>
    Effect.gen(function* () {
      const [made, target] = [yield* exported(".tar.zst"), yield* instance]
      const content = yield* Effect.promise(() => readFile(made))
      const places = Array.from({ length: 24 }, (_, number) => Math.floor((content.length * number) / 24))
      for (const place of places) {
        yield* Effect.promise(() => writeFile(made, content.subarray(0, place)))
        yield* isRefused(target, made, "")
        yield* Effect.promise(() => writeFile(made, flipped(content, place)))
        yield* isRefused(target, made, "")
      }
      yield* Effect.promise(() => writeFile(made, content))
      yield* importFrom(target.env, made)
    })
  )
})
