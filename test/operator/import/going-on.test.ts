/** An import that ended early goes on, and becomes what it would have been. */

import { appendFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { OperatorFailure } from "../../../src/operator/OperatorFailure.ts"
import { connect } from "../../../src/operator/shared/Session.ts"
import { freshDatabase } from "../../process/support.ts"
import { contentsOf, inDatabase } from "../backups.ts"
import {
  account,
  asset,
  at,
  directory,
  field,
  findingsOf,
  idOf,
  importFrom,
  node,
  reply,
  reportOf,
  rows,
  thread,
  value,
  version,
  writeInput
} from "./inputs.ts"

const bytes = Buffer.from("The bytes of a file")

const community = {
  accounts: Array.from({ length: 20 }, (_, number) => account(number, { admin: number === 0 })),
  assets: [asset(1, bytes)],
  threads: Array.from({ length: 10 }, (_, number) => thread(number)),
  nodes: Array.from({ length: 30 }, (_, number) =>
    node(number, number % 3 === 0 ? {} : { parent_id: idOf("p", number - 1) })
  ),
  property_fields: [field(1, { parent_id: idOf("p", 0) }), field(2, { node_id: idOf("p", 3) })],
  property_values: [value(1, 1, "one"), value(3, 2, "two"), value(2, 1, "odd")],
  node_versions: Array.from({ length: 40 }, (_, number) =>
    version(number, number % 20, number > 30 ? { status: "draft", author_id: idOf("a", 99) } : {})
  ),
  notes: [{ id: idOf("j", 1), created_at: at(1), account_id: idOf("a", 2), content: "Noted" }],
  audit: [
    {
      id: idOf("u", 1),
      occurred_at: at(1),
      type: "account_suspended",
      enacted_by: idOf("a", 0),
      subject: { account_id: idOf("a", 2) }
    }
  ],
  // Some of them odd.
  replies: Array.from({ length: 60 }, (_, number) => reply(number, number % 12))
}

const steps = ["stored nodes", "files", "writing discussions", "ending"]

/** What does not follow from the input: the times and transactions of the import itself. */
const settled = (url: string) =>
  Effect.gen(function* () {
    const contents = yield* contentsOf(url)
    // Which row of a total is raised depends on the connection.
    const ofConnections = (table: string) => table.endsWith("_totals") && table !== "author_totals"
    const others = Object.entries(contents).filter(
      ([table]) =>
        !["change_versions", "migrations", "nodes", "posts", "property_fields"].includes(table) &&
        !ofConnections(table)
    )
    // Versions of fields are numbers of a sequence; and rows that are changed may lie anywhere in their table.
    const [row] = yield* rows(
      url,
      `select (select md5(string_agg((to_jsonb(p) - 'shown_in')::text, '' order by id)) from posts p) as posts,
        (select md5(string_agg(to_jsonb(n)::text, '' order by id)) from nodes n) as nodes,
        (select md5(string_agg((to_jsonb(f) - 'version')::text, '' order by fid)) from property_fields f) as fields`
    )
    return Object.fromEntries([...others, ["rows", row]])
  })

const isRefused = <A, E, R>(effect: Effect.Effect<A, E, R>, message: RegExp) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, OperatorFailure)
    assert.match(error.message, message)
  })

/** An instance whose import ends where it is about to do a step. */
const ended = Effect.fnUntraced(function* (path: string, step: string) {
  const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
  const env = { DATABASE_URL: url, DATA_DIR: dataDir }
  const atStep = (name: string) => {
    if (name === step) throw new Error(`ended before ${step}`)
  }
  yield* isRefused(importFrom(env, path, { atStep }), /ended before/)
  return { url, env }
})

describe("an import that ended early", () => {
  it.effect("goes on to the same end wherever that was, and showed nothing before", () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* writeInput(path, community, [bytes])
      const whole = yield* Effect.promise(freshDatabase)
      yield* importFrom({ DATABASE_URL: whole, DATA_DIR: yield* directory }, path)
      const [report, contents] = [yield* reportOf(path), yield* settled(whole)]
      for (const step of steps) {
        const { env, url } = yield* ended(path, step)
        assert.deepStrictEqual(
          yield* rows(
            url,
            "select (select count(*)::int from accounts) as accounts, (select count(*)::int from posts) as posts"
          ),
          [{ accounts: 0, posts: 0 }]
        )
        yield* importFrom(env, path)
        assert.deepStrictEqual(yield* settled(url), contents, step)
        assert.deepStrictEqual(yield* reportOf(path), report)
      }
    })
  )

  it.effect("goes on with its own input only, unless it is given up", () =>
    Effect.gen(function* () {
      const [path, other] = yield* Effect.all([directory, directory])
      yield* writeInput(path, community, [bytes])
      yield* writeInput(other, { ...community, threads: [] }, [bytes])
      const { env, url } = yield* ended(path, "checking")
      yield* isRefused(importFrom(env, other), /has begun and is not complete/)
      yield* Effect.promise(() =>
        appendFile(join(path, "threads", "000001.ndjson"), `${JSON.stringify(thread(99))}\n`)
      )
      yield* isRefused(importFrom(env, path), /has begun and is not complete/)
      yield* inDatabase(
        url,
        SqlClient.SqlClient.use((sql) => sql`drop schema forum_import cascade`)
      )
      yield* importFrom(env, path)
      assert.deepStrictEqual(yield* rows(url, `select id from threads where id = '${idOf("t", 99)}'`), [
        { id: idOf("t", 99) }
      ])
    })
  )
})

describe("an import", () => {
  it.effect("is refused while another one runs", () =>
    Effect.gen(function* () {
      const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      yield* writeInput(path, community, [bytes])
      const session = yield* connect({ url: Redacted.make(url) })
      yield* Effect.promise(() => session.rows("select pg_advisory_lock(731620095, 0)"))
      yield* isRefused(importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, path), /Another import runs/)
    }).pipe(Effect.scoped)
  )

  it.effect("is refused while the service runs", () =>
    Effect.gen(function* () {
      const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      yield* writeInput(path, community, [bytes])
      const session = yield* connect({ url: Redacted.make(url) })
      yield* Effect.promise(() => session.run("set application_name = 'forum-service'"))
      yield* isRefused(importFrom({ DATABASE_URL: url, DATA_DIR: dataDir }, path), /The service runs/)
    }).pipe(Effect.scoped)
  )

  it.effect("of what is no export changes nothing", () =>
    Effect.gen(function* () {
      const [url, path, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      yield* isRefused(importFrom(env, join(path, "nowhere")), /does not exist/)
      yield* isRefused(importFrom(env, path), /has no manifest.json/)
      for (const [text, message] of [
        ["no JSON", /is no JSON/],
        [`{"format":"something else"}`, /does not say that this is an export/],
        [`{"format":"forum-export","version":2}`, /of version 2, which a newer release writes/]
      ] as const) {
        yield* Effect.promise(() => writeFile(join(path, "manifest.json"), text))
        yield* isRefused(importFrom(env, path), message)
      }
      assert.deepStrictEqual(yield* rows(url, "select to_regnamespace('forum_import') as staged"), [
        { staged: null }
      ])
    })
  )
})

describe("an import beside what is there", () => {
  it.effect("changes nothing of it, and takes handles with a prefix", () =>
    Effect.gen(function* () {
      const [url, first, second, dataDir] = yield* Effect.all([
        Effect.promise(freshDatabase),
        directory,
        directory,
        directory
      ])
      const env = { DATABASE_URL: url, DATA_DIR: dataDir }
      yield* writeInput(first, community, [bytes])
      yield* importFrom(env, first)
      const before = yield* settled(url)

      // The same once more: all of it is there.
      yield* importFrom(env, first)
      assert.deepStrictEqual(yield* settled(url), before)
      assert.strictEqual(
        (yield* findingsOf(first)).filter((line) => line.endsWith("there already already_there")).length,
        155
      )

      // Others with the same handles, and one with an id that another has.
      yield* writeInput(second, {
        accounts: [
          account(1, { id: idOf("b", 1), admin: true, handle: "person-1" }),
          account(2, { id: idOf("b", 2), handle: "somebody" }),
          account(3, { handle: "third", created_at: "2024-05-05T00:00:00Z" })
        ],
        threads: [thread(50, { author_id: idOf("b", 1) })],
        replies: [reply(70, 1, { author_id: idOf("a", 3) }), reply(71, 50, { author_id: idOf("b", 2) })]
      })
      yield* isRefused(importFrom(env, second), /have these handles: person-1\. Say by --prefix/)
      assert.deepStrictEqual(yield* settled(url), before)
      yield* importFrom(env, second, { prefix: "old-" })
      assert.deepStrictEqual(
        yield* rows(url, "select id, handle, admin from accounts where id like 'b%' order by id"),
        [
          { id: idOf("b", 1), handle: "old-person-1", admin: false },
          { id: idOf("b", 2), handle: "somebody", admin: false }
        ]
      )
      assert.deepStrictEqual(yield* rows(url, `select handle from accounts where id = '${idOf("a", 3)}'`), [
        { handle: "person-3" }
      ])
      const [moved] = yield* rows(
        url,
        `select a.handle, a.id <> '${idOf("a", 3)}' as is_other from posts p join accounts a on a.id = p.author_id where p.id = '${idOf("r", 70)}'`
      )
      assert.deepStrictEqual(moved, { handle: "third", is_other: true })
      // A reply to a thread that was there is its last one.
      assert.deepStrictEqual(
        yield* rows(
          url,
          `select p.ordinal, t.reply_count, t.replies_made, t.last_reply_at = p.created_at as is_last
            from posts p join threads t on t.id = p.thread_id where p.id = '${idOf("r", 70)}'`
        ),
        [{ ordinal: 6, reply_count: 6, replies_made: 6, is_last: true }]
      )
      const findings = yield* findingsOf(second)
      for (const line of [
        `accounts ${idOf("b", 1)} repaired administrator_beside admin`,
        `accounts ${idOf("b", 1)} repaired handle_taken handle`,
        `accounts ${idOf("a", 3)} repaired id_changed id`
      ])
        assert.include(findings, line)
    })
  )
})
