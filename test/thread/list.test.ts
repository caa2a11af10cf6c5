import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AuthorUnknown } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok, titlesOf } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("the list of threads", (it) => {
  it.effect("has no pages while it is empty", () =>
    Effect.gen(function* () {
      for (const [text, page] of [
        ["1", 1],
        ["0", 1],
        ["x", 1],
        ["7", 7],
        ["2147483647", 2_147_483_647],
        ["99999999999999999999", 1]
      ] as const) {
        const answer = yield* guest.get(`/threads?page=${text}`)
        assert.deepStrictEqual(ok(answer), {
          page_size: 50,
          results: 0,
          total_pages: 0,
          current_page: page,
          threads: []
        })
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        assert.notProperty(answer.headers, "etag")
      }
    })
  )

  it.effect("is ordered by pin, then by the last activity, newest first", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const old = yield* open(freya, "old")
      const older = yield* open(freya, "older sibling")
      const list = (parameters = "") =>
        Effect.map(guest.get(`/threads${parameters}`), (answer) => titlesOf(ok(answer)))
      // At the same time, the id decides.
      assert.deepStrictEqual(yield* list(), ["older sibling", "old"])
      yield* TestClock.adjust("1 second")
      const lifting = yield* reply(loki, old.id, "up")
      assert.deepStrictEqual(yield* list(), ["old", "older sibling"])
      yield* TestClock.adjust("1 second")
      const brandNew = yield* open(loki, "new")
      assert.deepStrictEqual(yield* list(), ["new", "old", "older sibling"])
      ok(yield* odin.patch(`/threads/${older.id}`, { pinned: 1 }))
      ok(yield* odin.patch(`/threads/${old.id}`, { pinned: -1 }))
      assert.deepStrictEqual(yield* list(), ["older sibling", "new", "old"])
      ok(yield* odin.patch(`/threads/${brandNew.id}`, { pinned: 2 }))
      assert.deepStrictEqual(yield* list("?ignore_pinned=false"), ["new", "older sibling", "old"])
      assert.deepStrictEqual(yield* list("?ignore_pinned=true"), ["new", "old", "older sibling"])
      // Edits and deleted replies are no activity.
      ok(yield* freya.patch(`/threads/${older.id}`, { body: "edited" }))
      ok(yield* loki.delete(`/posts/${lifting.id}`))
      assert.deepStrictEqual(yield* list("?ignore_pinned=true"), ["new", "older sibling", "old"])
    })
  )

  it.effect("shows everything of a thread but its replies", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Full")
      const thread = yield* open(freya, "full", {
        body: '<p>body <a href="https://in.test/">x</a></p>',
        category: place.id,
        tags: ["full"],
        url: "https://about.test/",
        meta: { m: { n: 1 } }
      })
      yield* reply(loki, thread.id, "one")
      yield* sql`insert into reacts (id, post_id, account_id, emoji, created_at)
        values ('00000000000000000003', ${thread.id}, ${loki.id}, '🎉', now())`
      for (const person of [guest, loki]) {
        const [item] = ok(yield* person.get("/threads?categories=full")).threads
        const { recomentations: _, replies: __, ...rest } = ok(yield* person.get(`/threads/${thread.id}`))
        assert.deepStrictEqual(item, rest)
        assert.strictEqual(item.reacts.length, 1)
        assert.strictEqual(item.reply_status.replied, person === loki ? 1 : 0)
      }
    })
  )

  it.effect("shows the tags of each thread, by name", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* open(freya, "with two", { tags: ["walnut", "apple"] })
      yield* open(freya, "with another", { tags: ["pear"] })
      yield* open(freya, "with none")
      const threads: ReadonlyArray<{ title: string; tags: ReadonlyArray<{ name: string }> }> = ok(
        yield* guest.get("/threads")
      ).threads
      const shown = new Map(threads.map(({ tags, title }) => [title, tags.map(({ name }) => name)]))
      assert.deepStrictEqual(shown.get("with two"), ["apple", "walnut"])
      assert.deepStrictEqual(shown.get("with another"), ["pear"])
      assert.deepStrictEqual(shown.get("with none"), [])
    })
  )
})

layer(People.layer)("the list of threads", (it) => {
  it.effect("leaves out deleted threads", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* open(freya, "oldest")
      yield* open(freya, "older")
      const newest = yield* open(freya, "newest")
      ok(yield* freya.delete(`/threads/${newest.id}`))
      for (const person of [guest, freya, odin]) {
        for (const parameters of ["", "?ignore_pinned=true", "?author=freya", "?visibility=published"]) {
          const list = ok(yield* person.get(`/threads${parameters}`))
          assert.deepStrictEqual(titlesOf(list), ["older", "oldest"])
          assert.strictEqual(list.results, 2)
        }
      }
    })
  )
})

layer(People.layer)("filters of the list of threads", (it) => {
  it.effect("select by author, with handle or id; an unknown author is not found", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* open(freya, "by freya")
      yield* open(loki, "by loki")
      for (const author of ["freya", "FREYA", "frеуа", freya.id]) {
        for (const person of [guest, freya, loki, odin]) {
          assert.deepStrictEqual(titlesOf(ok(yield* person.get(`/threads${query({ author })}`))), [
            "by freya"
          ])
        }
      }
      for (const author of ["nobody-at-all", nobody, "' or true --"]) {
        assertProblem(yield* guest.get(`/threads${query({ author })}`), AuthorUnknown, { author })
      }
    })
  )

  it.effect("select by tag ids, any of them; an unknown id matches nothing", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* open(freya, "red", { tags: ["red"] })
      yield* open(freya, "blue", { tags: ["blue"] })
      yield* open(freya, "both", { tags: ["red", "blue"] })
      const idOf = (name: string) =>
        Effect.map(
          sql<{ readonly id: string }>`select id from tags where name = ${name}`,
          ([row]) => row?.id ?? ""
        )
      const [red, blue] = [yield* idOf("red"), yield* idOf("blue")]
      const list = (tags: ReadonlyArray<string>) =>
        Effect.map(guest.get(`/threads${query({ tags })}`), (answer) => titlesOf(ok(answer)))
      assert.deepStrictEqual(yield* list([red]), ["both", "red"])
      assert.deepStrictEqual(yield* list([red, blue]), ["both", "blue", "red"])
      assert.deepStrictEqual(yield* list([red, "no-id"]), ["both", "red"])
      for (const none of ["no-id", "red", nobody]) assert.deepStrictEqual(yield* list([none]), [])
      assert.deepStrictEqual(yield* list(Array.from({ length: 100 }, (_, i) => `tag${i}`)), [])
    })
  )

  it.effect("select by category slugs, any of them; null selects threads in none", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const [a, b] = [yield* category(odin, "Alpha"), yield* category(odin, "Beta", { slug: "β" })]
      yield* open(freya, "in alpha", { category: a.id })
      yield* open(freya, "in beta", { category: b.id })
      const list = (categories: ReadonlyArray<string>) =>
        Effect.map(guest.get(`/threads${query({ categories })}`), (answer) =>
          titlesOf(ok(answer)).filter((title) => title.startsWith("in ") || title === "red")
        )
      assert.deepStrictEqual(yield* list(["alpha"]), ["in alpha"])
      assert.deepStrictEqual(yield* list(["alpha", "β"]), ["in beta", "in alpha"])
      assert.deepStrictEqual(yield* list(["alpha", "unknown"]), ["in alpha"])
      assert.deepStrictEqual(yield* list(["unknown"]), [])
      assert.deepStrictEqual(yield* list([a.id]), [])
      assert.deepStrictEqual(yield* list(["null"]), ["red"])
      assert.deepStrictEqual(yield* list(["alpha", "null"]), ["red"])
    })
  )

  it.effect("select by literal text in title, slug or body, whatever the case and the accents", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const [percent, under, back, wide, body] = [
        yield* open(freya, "100% sure"),
        yield* open(freya, "snake_case"),
        yield* open(freya, "back\\slash"),
        yield* open(freya, "БАБОЧКИ Ärger"),
        yield* open(freya, "plain", { body: "<p>needle in a haystack</p>" })
      ]
      const [greek, blocks] = [
        yield* open(freya, "Η οδός"),
        yield* open(freya, "blocks", {
          body: '<p>first</p><p>sec<b>ond</b> &amp; <a href="https://hidden.test/">last</a></p>'
        })
      ]
      const list = (q: string) =>
        Effect.map(guest.get(`/threads${query({ q, author: "freya" })}`), (answer) =>
          idsOf(ok(answer).threads)
        )
      for (const [q, ids] of [
        ["100%", [percent.id]],
        ["0% s", [percent.id]],
        ["%", [percent.id]],
        ["_", [under.id]],
        ["snakeXcase", []],
        ["SNAKE_", [under.id]],
        ["\\", [back.id]],
        ["k\\s", [back.id]],
        ["бабочки", [wide.id]],
        ["äRGER", [wide.id]],
        ["NEEDLE", [body.id]],
        ["NEEDLE IN A", [body.id]],
        ["needle  in\na", [body.id]],
        ["ΟΔΟΣ", [greek.id]],
        ["οδοσ", [greek.id]],
        ["οδο\u0301ς", [greek.id]],
        ["arger", [wide.id]],
        ["a\u0308rger", [wide.id]],
        ["ｎｅｅｄｌｅ", [body.id]],
        ["first second & last", [blocks.id]],
        // Markup is not what people see.
        ["body", []],
        ["hidden", []],
        ["href", []],
        ["amp", []],
        ["<p>", []],
        // Text across the boundaries of title, slug and body.
        [`plain ${body.id}`, []],
        [`plain\n${body.id}`, []],
        ["plain needle", []],
        ["plain\nneedle", []],
        [`${body.id}-plain`, [body.id]],
        ["100-sure", [percent.id]],
        ["' or 1=1 --", []],
        ["%%%", []],
        ["🔍".repeat(200), []]
      ] as const) {
        assert.deepStrictEqual(yield* list(q), [...ids], q)
      }
      for (const blank of ["", " ", "\n", "\u0301"]) {
        assert.strictEqual((yield* list(blank)).length > 5, true, JSON.stringify(blank))
      }
    })
  )

  it.effect("find the text as it is after a change, and nothing of what is deleted", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Early title", { body: "early body" })
      const found = (q: string) =>
        Effect.map(guest.get(`/threads${query({ q })}`), (answer) => titlesOf(ok(answer)).length)
      const path = `/threads/${thread.id}`
      ok(yield* freya.patch(path, { title: "Late title" }))
      assert.deepStrictEqual(
        [yield* found("early body"), yield* found("late title"), yield* found(thread.slug)],
        [1, 1, 1]
      )
      assert.strictEqual(yield* found("early title"), 0)
      ok(yield* freya.patch(`/posts/${thread.id}`, { body: "late body" }))
      assert.deepStrictEqual(
        [yield* found("early body"), yield* found("late body"), yield* found("late title")],
        [0, 1, 1]
      )
      ok(yield* freya.delete(path))
      assert.strictEqual(yield* found("late"), 0)
      assert.deepStrictEqual(yield* sql`select from search_texts where id = ${thread.id}`, [])
    })
  )

  it.effect("are combined with and", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly id: string }>`select id from tags where name = 'red'`
      const [alpha] = yield* sql<{ readonly id: string }>`select id from categories where slug = 'alpha'`
      const wanted = yield* open(freya, "wanted", { tags: ["red"], category: alpha?.id })
      yield* open(loki, "wanted too", { tags: ["red"], category: alpha?.id })
      const parameters = {
        q: "want",
        author: "freya",
        tags: row?.id ?? "",
        categories: "alpha",
        visibility: "published"
      }
      const list = ok(yield* freya.get(`/threads${query(parameters)}`))
      assert.deepStrictEqual(idsOf(list.threads), [wanted.id])
      assert.strictEqual(list.results, 1)
      assert.strictEqual(list.total_pages, 1)
    })
  )

  it.effect("without a value are as absent, and of a repeated one the last counts", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* open(freya, "anything", { tags: ["red"] })
      const all = ok(yield* guest.get("/threads"))
      for (const parameters of [
        "?author=",
        "?visibility=",
        "?ignore_pinned=",
        "?categories=",
        "?tags=",
        "?q=",
        "?page=",
        "?page",
        "?author=&visibility=&ignore_pinned=&categories=&tags=&q=&page=",
        "?tags=&tags=",
        "?author=nobody-at-all&author=",
        "?page=7&page=1",
        "?page=7&page=",
        "?page=123456789012345",
        "?page=7&page=123456789012345678",
        "?visibility=&visibility=published&visibility=",
        "?ignore_pinned=yes&ignore_pinned=false"
      ]) {
        assert.deepStrictEqual(ok(yield* guest.get(`/threads${parameters}`)), all, parameters)
      }
      assert.strictEqual(ok(yield* guest.get("/threads?page=1&page=7")).current_page, 7)
      const { id } = all.threads[0]
      assert.strictEqual(ok(yield* guest.get(`/threads/${id}?page=1&page=7`)).replies.current_page, 7)
    })
  )

  it.effect("refuse values that a parameter cannot have", () =>
    Effect.gen(function* () {
      assertInvalid(yield* guest.get("/threads?visibility=secret"), "query visibility.0")
      assertInvalid(yield* guest.get("/threads?visibility=published&visibility=x"), "query visibility.1")
      for (const text of ["yes", "1", "TRUE"]) {
        assertInvalid(yield* guest.get(`/threads?ignore_pinned=${text}`), "query ignore_pinned")
      }
      assertInvalid(yield* guest.get("/threads?q=a%00b"), "query q")
      assertInvalid(yield* guest.get(`/threads${query({ q: "🔍".repeat(201) })}`), "query q")
      ok(yield* guest.get("/threads?unknown=1&visibility=published&visibility=published"))
    })
  )
})
