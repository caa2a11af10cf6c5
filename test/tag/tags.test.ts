import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TagNotFound } from "../../src/domain/tag/TagDetail.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

interface TagReference {
  readonly name: string
  readonly item_count: number
}

const list = (parameters: Readonly<Record<string, string>> = {}) =>
  Effect.map(guest.get(`/tags${query(parameters)}`), ok)

/** Names and numbers of a page of tags. */
const counted = (page: Answer["json"]) =>
  page.tags.map(({ item_count, name }: TagReference) => `${name} ${item_count}`)

const names = (page: Answer["json"]) => page.tags.map(({ name }: TagReference) => name)

const matching = (q: string) => Effect.map(list({ q }), names)

layer(People.layer)("the list of tags", (it) => {
  it.effect("has those of most published threads first, then by name", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      assert.deepStrictEqual(yield* list(), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        tags: []
      })
      yield* open(freya, "One", { tags: ["zebra", "apple", "Übung", "two words", "_x"] })
      yield* open(loki, "Two", { tags: ["zebra", "apple-tree", "apple"] })
      yield* open(loki, "Three", { tags: ["zebra"] })
      yield* open(loki, "Draft", { tags: ["zebra", "hidden"], visibility: "draft" })
      const page = yield* list()
      assert.deepStrictEqual(counted(page), [
        "zebra 3",
        "apple 2",
        "apple-tree 1",
        "two-words 1",
        "x 1",
        "übung 1",
        "hidden 0"
      ])
      assert.deepStrictEqual(
        [page.page_size, page.results, page.total_pages, page.current_page],
        [50, 7, 1, 1]
      )
      for (const tag of page.tags) {
        assert.deepStrictEqual(Object.keys(tag).sort(), ["colour", "item_count", "name"])
        assert.match(tag.colour, /^#[0-9a-f]{6}$/)
      }
    })
  )

  it.effect("is narrowed by what names contain, as names are stored", () =>
    Effect.gen(function* () {
      for (const [q, expected] of [
        ["APPLE", ["apple", "apple-tree"]],
        ["Apple Tree", ["apple-tree"]],
        ["ple-t", ["apple-tree"]],
        [" words!", ["two-words"]],
        ["U\u0308B", ["übung"]],
        ["ＺＥＢＲＡ", ["zebra"]],
        ["z", ["zebra"]],
        ["-", ["apple-tree", "two-words"]],
        ["nothing", []],
        ["%", []],
        ["a%e", []],
        ["_", []],
        ["a_ple", []],
        ["\\", []],
        ["!?", []],
        ["x".repeat(100), []]
      ] as const) {
        assert.deepStrictEqual(yield* matching(q), expected, q)
      }
      for (const q of ["", " ", "\t"]) assert.lengthOf(yield* matching(q), 7)
      const page = yield* list({ q: "apple" })
      assert.deepStrictEqual([page.results, page.total_pages], [2, 1])
    })
  )

  it.effect("follows threads as they are published, hidden, retagged and deleted", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const count = (name: string) =>
        Effect.map(list({ q: name }), (page) => [...page.tags.map((tag: TagReference) => tag.item_count)])
      const thread = yield* open(freya, "Counted", { tags: ["counted"], visibility: "draft" })
      const path = `/threads/${thread.id}`
      assert.deepStrictEqual(yield* count("counted"), [0])
      for (const [change, expected] of [
        [{ visibility: "published" }, 1],
        [{ tags: ["counted", "other"] }, 1],
        [{ visibility: "review" }, 0],
        [{ visibility: "published" }, 1],
        [{ tags: [] }, 0],
        [{ tags: ["Counted!"] }, 1]
      ] as const) {
        ok(yield* freya.patch(path, change))
        assert.deepStrictEqual(yield* count("counted"), [expected], JSON.stringify(change))
      }
      ok(yield* freya.delete(path))
      // A tag stays when nothing carries it.
      assert.deepStrictEqual(yield* count("counted"), [0])
    })
  )

  it.effect("has tags that are only interests, too", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      ok(yield* loki.patch("/accounts", { interests: ["Mischief"] }))
      assert.deepStrictEqual(counted(yield* list({ q: "mischief" })), ["mischief 0"])
    })
  )
})

layer(People.layer)("many tags", (it) => {
  const prepare = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Ten of each count, and names in another order than the ids.
    yield* sql`insert into tags (id, created_at, name, item_count)
      select 't' || lpad(n::text, 18, '0') || '0', now(), 'tag-' || md5(n::text), n / 10
      from generate_series(1, 1234) n`
    const rows = yield* sql<TagReference>`select name, item_count from tags`
    const order = (a: TagReference, b: TagReference) =>
      b.item_count - a.item_count || (a.name < b.name ? -1 : 1)
    return rows.toSorted(order).map(({ name }) => name)
  })

  it.effect("are in pages that follow each other, from the first to the last, and each by itself", () =>
    Effect.gen(function* () {
      const all = yield* prepare
      const read: Array<string> = []
      for (let page: number | undefined = 1; page !== undefined; ) {
        const found: Answer["json"] = yield* list({ page: String(page) })
        assert.strictEqual(found.total_pages, 25)
        assert.strictEqual(found.results, found.tags.length)
        read.push(...names(found))
        page = found.next_page
      }
      assert.deepStrictEqual(read, all)
      for (const page of ["26", "999", "99999999999999"]) {
        const past = yield* list({ page })
        assert.deepStrictEqual([past.tags, past.total_pages, past.current_page], [[], 25, Number(page)])
        assert.notProperty(past, "next_page")
      }
    })
  )

  it.effect("that contain a text are in pages likewise", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ readonly name: string }>`select name from tags where name like '%a%'
        order by item_count desc, name collate "C"`
      const read: Array<string> = []
      for (let page: number | undefined = 1; page !== undefined; ) {
        const answer: Answer["json"] = yield* list({ q: "a", page: String(page) })
        read.push(...names(answer))
        page = answer.next_page
      }
      assert.deepStrictEqual(
        read,
        found.map(({ name }) => name)
      )
      assert.deepStrictEqual(names(yield* list({ q: "a", page: "999" })), [])
    })
  )

  it.effect("are counted as they come and go", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const totals = sql`select sum(tags)::int = (select count(*) from tags) as right from tag_totals`
      const authors = [freya, loki, odin]
      const opened = yield* Effect.all(
        Array.from({ length: 30 }, (_, n) =>
          (authors[n % 3] ?? odin).post("/threads", {
            title: "Tags",
            tags: [`new ${n}`, `new ${n + 1}`, "same"]
          })
        ),
        { concurrency: "unbounded" }
      )
      for (const answer of opened) ok(answer)
      assert.deepStrictEqual(yield* totals, [{ right: true }])
      assert.strictEqual((yield* list({ q: "new-" })).results, 31)
      yield* sql`delete from tags where name like 'tag-%'`
      assert.deepStrictEqual(yield* totals, [{ right: true }])
    })
  )
})

layer(People.layer)("a tag", (it) => {
  const tag = (name: string, reader: Person = guest) =>
    Effect.map(reader.get(`/tags/${encodeURIComponent(name)}`), ok)

  const titles = (found: Answer["json"]) => found.items.map(({ ref }: Answer["json"]) => ref.title)

  it.effect("is found by its name, and by any text whose slug that is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Tagged", { tags: ["Two Words"], body: "text" })
      const found = yield* tag("two-words")
      assert.deepStrictEqual(Object.keys(found).sort(), ["colour", "id", "item_count", "items", "name"])
      assert.deepStrictEqual([found.name, found.item_count], ["two-words", 1])
      const [item] = found.items
      assert.deepStrictEqual([item.kind, item.ref.id, item.ref.body], ["thread", thread.id, thread.body])
      assert.deepStrictEqual(item.ref.tags, [
        { name: found.name, colour: found.colour, item_count: found.item_count }
      ])
      for (const name of ["Two Words", "TWO words!"]) {
        assert.deepStrictEqual(yield* tag(name), found, name)
      }
      assert.deepStrictEqual(ok(yield* guest.get(`/threads?tags=${found.id}`)).threads.length, 1)
      for (const name of ["two", "two_words", "none", "!", "%20", "x".repeat(3000)]) {
        assertProblem(yield* guest.get(`/tags/${encodeURIComponent(name)}`), TagNotFound, { tag_name: name })
      }
    })
  )

  it.effect("shows published threads, those that were active last first", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = (title: string, more = {}) => open(freya, title, { tags: ["shown"], ...more })
      const [first, second] = [yield* thread("First"), yield* thread("Second")]
      const [hidden, deleted] = [yield* thread("Hidden"), yield* thread("Deleted")]
      const draft = yield* thread("Draft", { visibility: "draft" })
      const retagged = yield* thread("Retagged")
      yield* sql`update threads set active_at = created_at + interval '1 hour' where id = ${first.id}`
      ok(yield* freya.patch(`/threads/${hidden.id}`, { visibility: "unlisted" }))
      ok(yield* freya.delete(`/threads/${deleted.id}`))
      ok(yield* freya.patch(`/threads/${retagged.id}`, { tags: ["elsewhere"] }))
      // Nobody sees others: what a tag shows and counts is the same.
      for (const reader of [guest, loki, freya, tyr, odin]) {
        const found = yield* tag("shown", reader)
        assert.deepStrictEqual([titles(found), found.item_count], [["First", "Second"], 2])
      }
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      ok(yield* freya.patch(`/threads/${second.id}`, { visibility: "review" }))
      ok(yield* freya.patch(`/threads/${retagged.id}`, { tags: ["elsewhere", "shown"] }))
      const found = yield* tag("shown", loki)
      assert.deepStrictEqual([titles(found), found.item_count], [["First", "Retagged", "Draft"], 3])
      assert.deepStrictEqual(titles(yield* tag("elsewhere")), ["Retagged"])
    })
  )

  it.effect("shows nothing to those who may read no threads, and stays when nothing carries it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Forbidden", { tags: ["kept"] })
      yield* People.suspend(loki)
      assert.deepStrictEqual((yield* tag("kept", loki)).items, [])
      yield* People.reinstate(loki)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name <> 'Admin'`
      for (const reader of [guest, loki]) {
        const { item_count, items } = yield* tag("kept", reader)
        assert.deepStrictEqual([item_count, items], [1, []])
      }
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}' where name <> 'Admin'`
      ok(yield* freya.delete(`/threads/${thread.id}`))
      const { item_count, items } = yield* tag("kept")
      assert.deepStrictEqual([item_count, items], [0, []])
    })
  )

  it.effect("shows a bounded number of threads, of the newest, however many are hidden", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const shown = yield* open(freya, "Before", { tags: ["crowded"] })
      const { id } = yield* tag("crowded")
      const insert = (visibility: string, prefix: string, count: number) =>
        Effect.andThen(
          sql`insert into threads (id, created_at, author_id, visibility, active_at)
            select ${prefix} || lpad(n::text, 17, '0') || '0', now(), ${freya.id}, ${visibility},
              timestamptz 'epoch' + n % 100 * interval '1 second' from generate_series(1, ${count}::int) n`,
          Effect.andThen(
            sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title,
                slug, body, description)
              select id, id, 0, author_id, now(), now(), visibility, id, id, '<body></body>', '' from threads
              where id like ${`${prefix}%`}`,
            sql`insert into thread_tags (thread_id, tag_id) select id, ${id} from threads where id like ${`${prefix}%`}`
          )
        )
      yield* insert("draft", "u0", 600)
      assert.deepStrictEqual(titles(yield* tag("crowded")), [shown.title])
      yield* insert("published", "t0", 600)
      const found = yield* tag("crowded")
      assert.lengthOf(found.items, 50)
      // Of the newest 500, which are those from 101 on.
      const newest = Array.from({ length: 500 }, (_, n) => n + 101)
      const expected = newest
        .toSorted((a, b) => (b % 100) - (a % 100) || b - a)
        .slice(0, 50)
        .map((n) => `t0${String(n).padStart(17, "0")}0`)
      assert.deepStrictEqual(titles(found), expected)
    })
  )
})
