/** What an input has too much of, or too large, is left out by name or refused before anything is written. */
import { appendFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { handleKey } from "../../../src/domain/account/Handle.ts"
import { OperatorFailure } from "../../../src/operator/OperatorFailure.ts"
import { headerOf } from "../../../src/operator/shared/Tar.ts"
import { freshDatabase } from "../../process/support.ts"
import {
  account,
  at,
  category,
  directory,
  findingsOf,
  idOf,
  imported,
  importFrom,
  manifest,
  node,
  rows,
  thread,
  writeInput
} from "./inputs.ts"

const people = { accounts: [account(1, { admin: true, founder: true }), account(2)] }

const several = (count: number, make: (number: number) => object) =>
  Array.from({ length: count }, (_, index) => make(index + 1))

const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
  })

const instance = Effect.gen(function* () {
  const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
  return { url, path, env: { DATABASE_URL: url, DATA_DIR: dataDir } }
})

describe("an import of too much", () => {
  it.effect("leaves out records that are too long, and refuses lines that it could not hold", () =>
    Effect.gen(function* () {
      const { env, path, url } = yield* instance
      yield* writeInput(path, {
        ...people,
        threads: [
          thread(1, { meta: { x: "y".repeat(8 * 1024 * 1024) } }),
          thread(2, { meta: { x: "y".repeat(8 * 1024 * 1024 - 1000) } }),
          thread(3)
        ]
      })
      yield* importFrom(env, path)
      assert.deepStrictEqual(yield* findingsOf(path), ["threads left out line_too_long"])
      assert.deepStrictEqual(yield* rows(url, "select id from threads order by id"), [
        { id: idOf("t", 2) },
        { id: idOf("t", 3) }
      ])

      const other = yield* instance
      yield* writeInput(other.path, people)
      yield* Effect.promise(() =>
        appendFile(join(other.path, "accounts", "000001.ndjson"), Buffer.alloc(18 * 1024 * 1024, "x"))
      )
      yield* isRefused(importFrom(other.env, other.path), /a line of more than 16 MiB/)
      assert.deepStrictEqual(yield* rows(other.url, "select id from accounts"), [])
    })
  )

  it.effect("refuses a manifest that is too long, and archives that are none or end early", () =>
    Effect.gen(function* () {
      const { env, path, url } = yield* instance
      const archive = `${path}.tar.zst`
      const write = (name: string, bytes: string | Uint8Array) => Effect.promise(() => writeFile(name, bytes))
      const text = JSON.stringify(manifest)
      const member = (name: string, bytes: string) => [
        headerOf({ name, size: bytes.length, seconds: 0 }),
        Buffer.from(bytes),
        Buffer.alloc((512 - (bytes.length % 512)) % 512)
      ]
      yield* write(join(path, "manifest.json"), JSON.stringify({ ...manifest, x: "y".repeat(1024 * 1024) }))
      yield* isRefused(importFrom(env, path), /manifest.json is too long/)
      yield* write(archive, "no archive")
      assert.instanceOf(yield* Effect.flip(importFrom(env, archive)), OperatorFailure)
      yield* write(archive, zstdCompressSync(Buffer.concat(member("accounts/000001.ndjson", "{}"))))
      yield* isRefused(importFrom(env, archive), /does not begin with manifest.json/)
      const cut = Buffer.concat([
        ...member("manifest.json", text),
        ...member("accounts/000001.ndjson", `${JSON.stringify(account(1))}\n`)
      ])
      yield* write(archive, zstdCompressSync(cut))
      yield* isRefused(importFrom(env, archive), /ends too early/)
      assert.deepStrictEqual(yield* rows(url, "select id from accounts"), [])
    })
  )

  it.effect("leaves out what is more than the service lets there be", () =>
    Effect.gen(function* () {
      const item = (number: number, review: boolean) => ({
        id: idOf("m", number),
        collection_id: idOf("n", 1),
        added_at: at(1),
        membership_type: review ? "submission_review" : "normal",
        post_id: idOf("t", number)
      })
      const event = {
        created_at: at(1),
        updated_at: at(1),
        name: "Party",
        description: "",
        starts_at: at(9),
        ends_at: at(10)
      }
      const attending = { created_at: at(1), updated_at: at(1), event_id: idOf("e", 1), status: "attending" }
      const { findings, one } = yield* imported({
        roles: several(201, (n) => ({
          id: idOf("o", n),
          created_at: at(0),
          updated_at: at(0),
          name: `Role ${n}`,
          colour: "",
          permissions: [],
          meta: {},
          rank: n,
          built_in: false
        })),
        tags: several(51, (n) => ({ id: idOf("g", n), created_at: at(1), name: `tag-${n}` })),
        accounts: [
          account(1, {
            admin: true,
            founder: true,
            roles: several(33, (n) => ({ id: idOf("o", n), badge: false })),
            emails: several(21, (n) => ({
              id: idOf("e", n),
              created_at: at(1),
              address: `a${n}@example.com`,
              verified: true
            }))
          }),
          ...several(30, (n) => account(n + 1))
        ],
        categories: several(2001, (n) => category(n)),
        nodes: [node(1, { tag_ids: several(51, (n) => ({ n })).map((_, index) => idOf("g", index + 1)) })],
        threads: several(602, (n) =>
          thread(
            n,
            n === 1 ? { tag_ids: several(51, (m) => ({ m })).map((_, index) => idOf("g", index + 1)) } : {}
          )
        ),
        reactions: several(201, (n) => ({
          id: idOf("k", n),
          created_at: at(1),
          post_id: idOf("t", 1),
          account_id: idOf("a", 1 + (n % 25)),
          emoji: String.fromCodePoint(0x1f600 + Math.floor(n / 25))
        })),
        collections: several(1001, (n) => ({
          id: idOf("n", n),
          created_at: at(1),
          updated_at: at(1),
          owner_id: idOf("a", 1),
          name: `Collection ${n}`,
          slug: `collection-${n}`
        })),
        collection_items: several(602, (n) => item(n, n > 501)),
        events: [
          {
            ...event,
            id: idOf("e", 1),
            thread_id: idOf("t", 1),
            slug: "party",
            policy: "open",
            visibility: "published",
            meta: {},
            capacity: 3
          }
        ],
        participants: several(26, (n) => ({
          ...attending,
          account_id: idOf("a", n),
          role: n <= 21 ? "host" : "attendee"
        }))
      })
      assert.deepStrictEqual(findings, [
        `accounts ${idOf("a", 1)} repaired limit emails`,
        `accounts ${idOf("a", 1)} repaired limit roles`,
        `categories ${idOf("c", 2001)} left out limit`,
        `collection_items ${idOf("m", 501)} left out limit`,
        `collection_items ${idOf("m", 602)} left out limit`,
        `collections ${idOf("n", 1001)} left out limit`,
        `events ${idOf("e", 1)} repaired limit capacity`,
        `nodes ${idOf("p", 1)} repaired limit tag_ids`,
        "participants left out limit",
        `reactions ${idOf("k", 201)} left out limit`,
        `roles ${idOf("o", 201)} left out limit`,
        `threads ${idOf("t", 1)} repaired limit tag_ids`
      ])
      assert.deepStrictEqual(
        yield* one("select item_count, submission_count from collections where item_count > 0"),
        [500, 100]
      )
      assert.deepStrictEqual(yield* one("select hosts, attending, capacity from calendar_events"), [20, 5, 5])
      assert.deepStrictEqual(
        yield* one("select cardinality(tag_ids) from threads where tag_ids <> '{}'"),
        [50]
      )
    })
  )

  it.effect("beside what is there counts that, and gives nobody the handle of an erased account", () =>
    Effect.gen(function* () {
      const { env, path, url } = yield* instance
      const notes = (from: number, count: number) =>
        several(count, (n) => ({
          id: idOf("j", from + n),
          created_at: at(n),
          account_id: idOf("a", 2),
          content: "Noted"
        }))
      yield* writeInput(path, { ...people, notes: notes(0, 999) })
      yield* importFrom(env, path)
      yield* rows(
        url,
        `insert into retired_handles (key_hash, until) values (hash_of_handle('${handleKey("gone")}'), now() + interval '1 day')`
      )
      const second = yield* directory
      yield* writeInput(second, { accounts: [account(9, { handle: "gone" })], notes: notes(5000, 2) })
      yield* importFrom(env, second)
      assert.deepStrictEqual(yield* findingsOf(second), [
        `accounts ${idOf("a", 9)} repaired handle_taken handle`,
        `notes ${idOf("j", 5001)} left out limit`
      ])
      assert.deepStrictEqual(yield* rows(url, `select handle from accounts where id = '${idOf("a", 9)}'`), [
        { handle: "gone-2" }
      ])
    })
  )
})
