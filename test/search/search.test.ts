import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, query, signUp, suspend } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"
import { assertCancelled } from "../support/searching.ts"

type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

const search = (parameters: Parameters, who: Person = guest) =>
  Effect.map(who.get(`/datagraph${query(parameters)}`), ok)

const idsIn = ({ items }: Answer["json"]): ReadonlyArray<string> =>
  items.map(({ ref }: { readonly ref: { readonly id: string } }) => ref.id)

const found = (parameters: Parameters, who?: Person) => Effect.map(search(parameters, who), idsIn)

layer(People.layer)("a search of everything", (it) => {
  it.effect("finds text that people see in titles and bodies, whatever its spelling", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Ärger mit 100% snake_case", {
        body: '<p>first</p><p>sec<b>ond</b> &amp; <a href="https://hidden.test/">last</a> ΟΔΟΣ</p>'
      })
      const answer = yield* reply(loki, thread.id, "<p>Łódź 学习编程入门 back\\slash</p>")
      const korean = yield* reply(loki, thread.id, "<p>한국어 プログラミング</p>")
      for (const [q, ids] of [
        ["ärger", [thread.id]],
        ["ARGER", [thread.id]],
        ["a\u0308rger mit", [thread.id]],
        ["rger", [thread.id]],
        ["100%", [thread.id]],
        ["snake_", [thread.id]],
        ["snakeXcase", []],
        ["%", [thread.id]],
        ["first second & last", [thread.id]],
        ["οδος", [thread.id]],
        ["lodz", [answer.id]],
        ["back\\s", [answer.id]],
        ["学习编程", [answer.id]],
        ["编程", [answer.id]],
        ["程", [answer.id]],
        ["程学", []],
        ["门 back", [answer.id]],
        ["門", []],
        ["한국", [korean.id]],
        ["ログ", [korean.id]],
        ["グ", [korean.id]],
        // Markup and addresses are not what people see.
        ["hidden", []],
        ["href", []],
        ["<p>", []],
        [thread.id, []],
        [`${thread.id}-arger`, []],
        ["arger-mit", []],
        // Text across the ends of title and body.
        ["snake_case first", []],
        ["' or 1=1 --", []],
        ["%%%", []],
        ["🔍".repeat(200), []],
        ["\u{10ffff}", []]
      ] as const) {
        assert.deepStrictEqual(yield* found({ q }), [...ids], q)
      }
      for (const blank of ["", " ", "\n", "\u0301"]) {
        assert.deepStrictEqual(
          yield* found({ q: blank }),
          [korean.id, answer.id, thread.id],
          JSON.stringify(blank)
        )
      }
    })
  )

  it.effect("finds the text as it is after a change, and nothing of what is deleted", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Early title", { body: "early 早期" })
      const answer = yield* reply(loki, thread.id, "early 回答")
      ok(yield* loki.patch(`/posts/${answer.id}`, { body: "late 之后" }))
      ok(yield* freya.patch(`/threads/${thread.id}`, { title: "Late title" }))
      assert.deepStrictEqual(yield* found({ q: "early" }), [thread.id])
      assert.deepStrictEqual(yield* found({ q: "late" }), [thread.id, answer.id])
      assert.deepStrictEqual(yield* found({ q: "回答" }), [])
      assert.deepStrictEqual(yield* found({ q: "后" }), [answer.id])
      assert.deepStrictEqual(yield* found({ q: "期" }), [thread.id])
      ok(yield* freya.patch(`/posts/${thread.id}`, { body: "changed" }))
      assert.deepStrictEqual(yield* found({ q: "早期" }), [])
      assert.deepStrictEqual(yield* found({ q: "changed" }), [thread.id])
      ok(yield* freya.patch(`/threads/${thread.id}`, { meta: { a: 1 } }))
      assert.deepStrictEqual(yield* found({ q: "changed" }), [thread.id])
      ok(yield* loki.delete(`/posts/${answer.id}`))
      assert.deepStrictEqual(yield* found({ q: "late" }), [thread.id])
      yield* reply(loki, thread.id, "late again")
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assert.deepStrictEqual(yield* found({ q: "late" }), [])
      assert.deepStrictEqual(
        yield* sql`select from search_texts where id in (${thread.id}, ${answer.id})`,
        []
      )
    })
  )

  it.effect("finds nothing of a post whose row is gone", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Vanishing", { visibility: "published" })
      const gone = yield* reply(loki, thread.id, "vanished without a trace")
      assert.deepStrictEqual(yield* found({ q: "vanished" }), [gone.id])
      yield* sql`delete from posts where id = ${gone.id}`
      assert.deepStrictEqual(yield* found({ q: "vanished" }), [])
      assert.deepStrictEqual(yield* sql`select from search_texts where id = ${gone.id}`, [])
    })
  )

  it.effect("shows each item as its own reading shows it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Whole")
      const thread = yield* open(freya, "Whole item", {
        body: '<p>whole <a href="https://in.test/">x</a></p>',
        category: place.id,
        tags: ["whole"],
        meta: { m: { n: 1 } }
      })
      const first = yield* reply(loki, thread.id, "whole reply")
      yield* reply(freya, thread.id, "whole answer", { reply_to: first.id })
      for (const viewer of [guest, freya, loki]) {
        const { replies, ...shown } = ok(yield* viewer.get(`/threads/${thread.id}`))
        const { items } = yield* search({ q: "whole" }, viewer)
        assert.deepStrictEqual(items[0], {
          kind: "thread",
          ref: { ...shown, replies: { ...replies, results: 0, replies: [] } }
        })
        assert.deepStrictEqual(
          items.slice(1),
          replies.replies.toReversed().map((ref: unknown) => ({ kind: "reply", ref }))
        )
      }
    })
  )
})

layer(People.layer)("the filters of a search", (it) => {
  it.effect("select by kind, author, category and tags, all of which must hold", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const [alpha, beta] = [yield* category(odin, "Alpha"), yield* category(odin, "Beta", { slug: "β" })]
      const a = yield* open(freya, "Item a", { category: alpha.id, tags: ["red", "deep blue"] })
      const b = yield* open(loki, "Item b", { category: beta.id, tags: ["red"] })
      const c = yield* open(freya, "Item c")
      const inA = yield* reply(loki, a.id, "item in a")
      const inB = yield* reply(freya, b.id, "item in b")
      const everything = [inB.id, inA.id, c.id, b.id, a.id]
      const titled = [c.id, b.id, a.id]
      const all = (parameters: Parameters) =>
        Effect.map(
          Effect.all([found(parameters), found({ ...parameters, q: "item" })]),
          ([unsorted, best]) => {
            // With a text, titles come first.
            assert.sameMembers([...best], [...unsorted])
            return unsorted
          }
        )
      for (const [parameters, ids] of [
        [{}, everything],
        [{ kind: "thread" }, titled],
        [{ kind: "reply" }, [inB.id, inA.id]],
        [{ kind: "post" }, everything],
        [{ kind: ["thread", "reply", "thread"] }, everything],
        [{ kind: ["node", "reply"] }, [inB.id, inA.id]],
        [{ kind: "node" }, []],
        [{ kind: ["profile", "collection", "event"] }, []],
        [{ authors: "freya" }, [inB.id, c.id, a.id]],
        [{ authors: ["FREYA"] }, [inB.id, c.id, a.id]],
        [{ authors: "frеуа" }, [inB.id, c.id, a.id]],
        [{ authors: freya.id }, [inB.id, c.id, a.id]],
        [{ authors: ["freya", "loki"] }, everything],
        [{ authors: ["nobody-at-all", "loki"] }, [inA.id, b.id]],
        [{ authors: "nobody-at-all" }, []],
        [{ authors: nobody }, []],
        [{ authors: "odin" }, []],
        [{ categories: alpha.id }, [inA.id, a.id]],
        [{ categories: "alpha" }, [inA.id, a.id]],
        [{ categories: "β" }, [inB.id, b.id]],
        [{ categories: [alpha.id, "β"] }, [inB.id, inA.id, b.id, a.id]],
        [{ categories: ["unknown", "alpha"] }, [inA.id, a.id]],
        [{ categories: "unknown" }, []],
        [{ categories: nobody }, []],
        [{ categories: "null" }, []],
        [{ tags: "red" }, [inB.id, inA.id, b.id, a.id]],
        [{ tags: ["red", "deep-blue"] }, [inA.id, a.id]],
        [{ tags: ["Red", "Deep Blue", "red"] }, [inA.id, a.id]],
        [{ tags: ["red", "green"] }, []],
        [{ tags: "green" }, []],
        [{ tags: "!" }, []],
        [{ tags: "red", authors: "loki", kind: "thread", categories: ["β", "alpha"] }, [b.id]],
        [{ tags: "deep blue", authors: "loki", kind: "thread" }, []]
      ] as const) {
        assert.deepStrictEqual(yield* all(parameters), [...ids], JSON.stringify(parameters))
      }
    })
  )

  it.effect("take an author by the handle or the id", () =>
    Effect.gen(function* () {
      const twin = yield* signUp("twin")
      const own = yield* open(twin, "By the twin")
      assert.deepStrictEqual(yield* found({ authors: "twin" }), [own.id])
      assert.deepStrictEqual(yield* found({ authors: twin.id }), [own.id])
    })
  )

  it.effect("refuse what is none, and treat those without a value as absent", () =>
    Effect.gen(function* () {
      const all = yield* found({})
      assert.isNotEmpty(all)
      for (const parameters of [
        "?q=&kind=&authors=&categories=&tags=&page=",
        "?kind=&kind=",
        "?page=x",
        "?page=0",
        "?q"
      ]) {
        assert.deepStrictEqual(idsIn(ok(yield* guest.get(`/datagraph${parameters}`))), all, parameters)
      }
      assertInvalid(yield* guest.get("/datagraph?kind=robot"), "query kind.0")
      assertInvalid(yield* guest.get("/datagraph?kind=thread&kind=x"), "query kind.1")
      assertInvalid(yield* guest.get(`/datagraph${query({ q: "x".repeat(201) })}`), "query q")
      assert.deepStrictEqual(yield* found({ q: "x".repeat(200) }), [])
      for (const name of ["authors", "categories", "tags"]) {
        const list = Array.from({ length: 101 }, (_, n) => `n${n}`)
        assertInvalid(yield* guest.get(`/datagraph${query({ [name]: list })}`), `query ${name}`)
        assert.deepStrictEqual(yield* found({ [name]: list.slice(1) }), [])
        assertInvalid(yield* guest.get(`/datagraph${query({ [name]: "x".repeat(256) })}`), `query ${name}.0`)
      }
    })
  )
})

layer(People.layer)("the order of a search", (it) => {
  it.effect(
    "is by title, then by how often the text occurs, then the newest first, by id at the same time",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const begins = yield* open(freya, "Needle in a haystack")
        const exact = yield* open(freya, "needle")
        const contains = yield* open(freya, "A needle", { body: "needle needle needle" })
        const once = yield* open(freya, "Once", { body: "one needle" })
        yield* TestClock.adjust("1 second")
        const six = yield* reply(freya, once.id, "needle ".repeat(6))
        const twice = yield* reply(freya, once.id, "needleneedle")
        yield* TestClock.adjust("1 second")
        const [five, late, later] = [
          yield* reply(freya, once.id, "needle ".repeat(5)),
          yield* reply(freya, once.id, "a late needle"),
          yield* reply(freya, once.id, "a later needle")
        ]
        const far = yield* reply(freya, once.id, `${"x".repeat(4000)} ${"needle ".repeat(5)}`)
        assert.deepStrictEqual(
          yield* found({ q: "needle" }),
          [exact, begins, contains, five, six, twice, late, later, once, far]
            .map(({ id }) => id)
            .toSorted((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))
        )
        // Without a text, the newest first.
        assert.deepStrictEqual(
          yield* found({}),
          [far, later, late, five, twice, six, once, contains, exact, begins].map(({ id }) => id)
        )

        function rank(id: string) {
          const places = [
            [exact.id],
            [begins.id],
            [contains.id],
            [five.id],
            [six.id],
            [twice.id],
            [late.id, later.id, once.id]
          ]
          const place = places.findIndex((ids) => ids.includes(id))
          return place === -1 ? places.length : place
        }
      })
  )
})

layer(People.layer)("the pages of a search", (it) => {
  it.effect("follow each other without repeating anything, and end", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Paged")
      const replies = yield* Effect.forEach(Array.from({ length: 120 }), (_, n) =>
        reply(freya, thread.id, `paged ${n}`)
      )
      const newest = [...replies.map(({ id }) => id).toReversed(), thread.id]
      const best = [thread.id, ...replies.map(({ id }) => id).toReversed()]
      for (const [parameters, expected] of [
        [{}, newest],
        [{ q: "paged" }, best]
      ] as const) {
        const pages = yield* Effect.forEach([1, 2, 3, 4, 21, 2_147_483_648], (page) =>
          search({ ...parameters, page: String(page) })
        )
        assert.deepStrictEqual(pages.slice(0, 3).flatMap(idsIn), expected)
        assert.deepStrictEqual(
          pages.map(({ items: _, next_cursor: __, ...envelope }) => envelope),
          [
            { page_size: 50, results: 50, total_pages: 3, current_page: 1, next_page: 2 },
            { page_size: 50, results: 50, total_pages: 3, current_page: 2, next_page: 3 },
            { page_size: 50, results: 21, total_pages: 3, current_page: 3 },
            { page_size: 50, results: 0, total_pages: 3, current_page: 4 },
            { page_size: 50, results: 0, total_pages: 3, current_page: 21 },
            { page_size: 50, results: 0, total_pages: 3, current_page: 2_147_483_648 }
          ]
        )
      }
      assert.deepStrictEqual(yield* search({ q: "nothing like it" }), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        items: []
      })
    })
  )
})

layer(People.layer)("the pages of a search", (it) => {
  it.effect("show the newest five hundred of more", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Many")
      yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
        select lpad(n::text, 19, '0') || '0', ${thread.id}, n, ${freya.id}, 'epoch', 'epoch', 'published',
          '<body>heap</body>', '' from generate_series(1, 1050) n`
      yield* sql`insert into search_texts (id, kind, thread_id, author_id, created_at, visibility, body)
        select id, 'reply', thread_id, author_id, created_at, visibility, 'heap' from posts where id <> ${thread.id}`
      for (const parameters of [{ q: "heap" }, { kind: "reply" }]) {
        const last = yield* search({ ...parameters, page: "10" })
        assert.strictEqual(last.total_pages, 10)
        assert.notProperty(last, "next_page")
        assert.strictEqual(idsIn(last).at(-1), `${"551".padStart(19, "0")}0`)
        const beyond = yield* search({ ...parameters, page: "11" })
        assert.deepStrictEqual([beyond.total_pages, beyond.items], [10, []])
      }
    })
  )

  it.effect("have fewer results where these are large, and leave none out", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const body = `<p>bulky ${"<i>i</i>".repeat(9_900)}</p>`
      const threads = yield* Effect.forEach(Array.from({ length: 18 }), (_, n) =>
        open(freya, `Bulky ${n}`, { body })
      )
      const [first] = threads
      for (let n = 0; n < 18; n++) yield* reply(freya, first.id, body)
      const found: Array<string> = []
      let pages = 0
      for (let page: number | undefined = 1; page !== undefined; pages++) {
        const answer = yield* guest.get(`/datagraph?q=bulky&page=${page}`)
        assert.isBelow(new TextEncoder().encode(answer.text).length, 2.2 * 1024 * 1024)
        const { items, next_page, total_pages } = ok(answer)
        for (const { ref } of items) assert.isAbove(ref.body.length, 70_000)
        found.push(...idsOf(items.map(({ ref }: { readonly ref: unknown }) => ref)))
        assert.strictEqual(next_page === undefined, page === total_pages)
        page = next_page
      }
      assert.isAbove(pages, 1)
      assert.lengthOf(found, 36)
      assert.lengthOf(new Set(found), 36)
    })
  )
})

layer(People.layer)("a search of everything", (it) => {
  it.effect("shows nothing to those who may not read threads", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* open(freya, "Heron")
      yield* suspend(loki)
      assert.deepStrictEqual(yield* found({ q: "heron" }, loki), [])
      assert.deepStrictEqual(yield* found({ q: "heron" }), [id])
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')`
      assert.deepStrictEqual(yield* search({ q: "heron" }), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        items: []
      })
      assert.deepStrictEqual(yield* found({}, freya), [])
      assert.deepStrictEqual(yield* found({}, odin), [id])
    })
  )

  it.effect("that takes longer than two seconds is cancelled in the database, and others go on", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const parameters of ["", "?q=heron"]) {
        yield* assertCancelled("search_texts", odin.get(`/datagraph${parameters}`), odin.get("/threads"))
      }
    })
  )
})
