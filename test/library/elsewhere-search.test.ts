/** Pages of the library in the search of everything, and among suggestions. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query, signUp, suspend } from "../support/people.ts"
import { letPublish, openLibrary, page, referenceOf, show } from "./elsewhere.ts"

type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

const search = (parameters: Parameters, who: Person = guest) =>
  Effect.map(who.get(`/datagraph${query(parameters)}`), ok)

const idsIn = ({ items }: Answer["json"]): ReadonlyArray<string> =>
  items.map(({ ref }: { readonly ref: { readonly id: string } }) => ref.id)

const found = (parameters: Parameters, who?: Person) => Effect.map(search(parameters, who), idsIn)

const matches = (q: string, more: Parameters = {}, who: Person = guest) =>
  Effect.map(who.get(`/datagraph/matches${query({ q, ...more })}`), (answer) =>
    ok(answer).items.map(({ name }: { readonly name: string }) => name)
  )

const colour = (value: string) => ({ name: "Colour", type: "text", value })

const named = (node: Answer["json"], field: string): Answer["json"] =>
  node.properties.find(({ name }: { readonly name: string }) => name === field)

layer(People.layer)("a search", (it) => {
  it.effect(
    "finds pages by name, content, description and the values of properties, whatever the spelling",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { id } = yield* page(odin, "Ärger mit snake_case", {
          content: '<h1>Heading</h1><p>sec<b>ond</b> &amp; <a href="https://hidden.test/">last</a></p>',
          properties: [colour("Łódź 学习编程"), { name: "Weight", type: "number", value: "42 kg" }]
        })
        const described = yield* page(odin, "Described", { description: "No content, 说明 only" })
        for (const [q, ids] of [
          ["ARGER", [id]],
          ["snake_", [id]],
          ["snakeXcase", []],
          ["second & last", [id]],
          ["heading", [id]],
          ["lodz", [id]],
          ["42 k", [id]],
          ["学习", [id]],
          ["程", [id]],
          ["程学", []],
          ["no content", [described.id]],
          ["说明", [described.id]],
          ["明", [described.id]],
          // Markup, addresses, slugs and names of fields are not what is searched.
          ["hidden", []],
          ["href", []],
          ["colour", []],
          ["arger-mit", []],
          // Nothing across the ends of two texts.
          ["last lodz", []],
          ["编程 42", []],
          ["snake_case heading", []]
        ] as const) {
          assert.deepStrictEqual(yield* found({ q }), [...ids], q)
        }
        for (const q of ["", " "]) assert.deepStrictEqual(yield* found({ q }), [described.id, id])
      })
  )

  it.effect("finds a page as it is directly after each change", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const node = yield* page(odin, "Early", {
        content: "<p>first text 早期</p>",
        properties: [colour("green"), { name: "Size", type: "text", value: "large 尺寸" }]
      })
      const { id } = node
      const [shade, size] = [named(node, "Colour"), named(node, "Size")]
      const sought = Effect.fnUntraced(function* (
        present: ReadonlyArray<string>,
        absent: ReadonlyArray<string>
      ) {
        for (const q of present) assert.deepStrictEqual(yield* found({ q }), [id], q)
        for (const q of absent) assert.deepStrictEqual(yield* found({ q }), [], q)
      })
      const change = (body: unknown) => Effect.map(odin.patch(`/nodes/${id}`, body), ok)
      yield* sought(["early", "first text", "green", "large", "早期", "尺寸"], ["late"])
      yield* change({ name: "Late" })
      yield* sought(["late", "first text", "green"], ["early"])
      yield* change({ content: "<p>second text</p>" })
      yield* sought(["second text", "late", "green", "尺寸"], ["first text", "早期"])
      yield* change({ description: "another 描述" })
      yield* sought(["another", "描述", "second text"], [])
      yield* change({ properties: [{ ...shade, value: "blue" }, { ...size }] })
      yield* sought(["blue", "large", "second text", "another"], ["green"])
      yield* change({
        properties: [
          { ...shade, value: "" },
          { ...size, value: "small" }
        ]
      })
      yield* sought(["small", "another"], ["blue", "large", "尺寸"])
      yield* change({ slug: "another-slug", tags: ["t"], meta: { a: 1 } })
      yield* sought(["small", "second text"], [])
      ok(yield* odin.delete(`/nodes/${id}`))
      yield* sought([], ["late", "small", "second text"])
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select from search_texts where id = ${id}`, [])
    })
  )

  it.effect("does not find values that a page has lost with a field that others deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* page(odin, "Table")
      const first = yield* page(odin, "Row one", {
        parent: parent.slug,
        properties: [colour("turquoise"), { name: "Size", type: "text", value: "tiny" }]
      })
      const [shade, size] = [named(first, "Colour"), named(first, "Size")]
      const second = yield* page(odin, "Row two", {
        parent: parent.slug,
        properties: [
          { ...shade, value: "turquoise too" },
          { ...size, value: "tiny too" }
        ]
      })
      assert.deepStrictEqual(yield* found({ q: "turquoise" }), [second.id, first.id])
      ok(yield* odin.patch(`/nodes/${second.slug}/properties`, { properties: [{ ...size, value: "huge" }] }))
      assert.deepStrictEqual(yield* found({ q: "turquoise" }), [])
      assert.deepStrictEqual(yield* found({ q: "tiny" }), [first.id])
      ok(yield* odin.patch(`/nodes/${parent.slug}/children/property-schema`, []))
      assert.deepStrictEqual(yield* found({ q: "tiny" }), [])
      assert.deepStrictEqual(yield* found({ q: "huge" }), [])
    })
  )

  it.effect("finds published pages only, for every caller", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* letPublish(tyr)
      const drafts = yield* Effect.forEach(["draft", "unlisted", "review"], (visibility) =>
        page(freya, `Zebra ${visibility}`, { visibility, content: "stripes" })
      )
      const node = yield* page(odin, "Zebra", { content: "stripes" })
      for (const who of [guest, freya, loki, odin, tyr]) {
        assert.deepStrictEqual(yield* found({ q: "stripes" }, who), [node.id])
        assert.deepStrictEqual(yield* matches("zeb", {}, who), ["Zebra"])
      }
      for (const draft of drafts) yield* show(freya, draft, "published")
      assert.strictEqual((yield* found({ q: "stripes" })).length, 4)
      assert.strictEqual((yield* matches("zeb")).length, 4)
      yield* show(odin, node, "draft")
      assert.strictEqual((yield* found({ q: "stripes" }, odin)).length, 3)
      assert.strictEqual((yield* matches("zeb", {}, odin)).length, 3)
    })
  )

  it.effect(
    "finds no page for those who may not read the library, and no thread for those who may not read threads",
    () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        const sql = yield* SqlClient.SqlClient
        const idle = yield* signUp("idle")
        yield* suspend(idle)
        const node = yield* page(odin, "Okapi", { content: "okapi" })
        const thread = yield* open(odin, "Okapi", { body: "okapi" })
        const both = [thread.id, node.id]
        assert.deepStrictEqual(yield* found({ q: "okapi" }), both)
        assert.deepStrictEqual(yield* found({ q: "okapi" }, idle), [])
        yield* openLibrary(false)
        for (const who of [guest, freya]) {
          assert.deepStrictEqual(yield* found({ q: "okapi" }, who), [thread.id])
          assert.deepStrictEqual(yield* found({ kind: "node" }, who), [])
          assert.strictEqual((yield* matches("oka", {}, who)).length, 1)
          assert.deepStrictEqual(yield* matches("oka", { kind: "node" }, who), [])
        }
        assert.deepStrictEqual(yield* found({ q: "okapi" }, odin), both)
        yield* openLibrary(true)
        yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')
        where name in ('Guest', 'Member')`
        assert.deepStrictEqual(yield* found({ q: "okapi" }), [node.id])
        assert.deepStrictEqual(yield* matches("oka", { kind: ["thread", "node"] }), ["Okapi"])
        yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}'
        where name in ('Guest', 'Member')`
      })
  )

  it.effect("shows a page as its own reading shows it, without what that alone has", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* page(odin, "Above", { visibility: "draft" })
      const node = yield* page(odin, "Quokka", {
        content: "<p>Smiles</p>",
        parent: parent.id,
        tags: ["marsupial"],
        url: "https://quokka.test/",
        meta: { a: { b: [1] } },
        properties: [colour("brown")]
      })
      yield* page(odin, "Joey", { parent: node.id, properties: [colour("grey")] })
      const { items } = yield* search({ q: "quokka" })
      const ref = referenceOf(ok(yield* odin.get(`/nodes/${node.id}`)))
      assert.deepStrictEqual(items, [{ kind: "node", ref }])
      assert.deepStrictEqual([ref.properties.length, ref.child_property_schema.length], [1, 1])
    })
  )
})

layer(People.layer)("the filters of a search", (it) => {
  it.effect("select pages by kind, owner and tags, and no page by category", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* letPublish(freya)
      const place = yield* category(odin, "Place")
      const a = yield* page(freya, "Item a", { tags: ["red", "deep blue"] })
      const b = yield* page(odin, "Item b", { tags: ["red"] })
      const thread = yield* open(freya, "Item t", { category: place.id, tags: ["red", "deep blue"] })
      const other = yield* open(loki, "Item o")
      const answer = yield* reply(loki, thread.id, "item r")
      const nodes = [b.id, a.id]
      for (const [parameters, ids] of [
        [{}, [answer.id, other.id, thread.id, ...nodes]],
        [{ kind: "node" }, nodes],
        [{ kind: ["node", "reply"] }, [answer.id, ...nodes]],
        [{ kind: "post" }, [answer.id, other.id, thread.id]],
        [{ kind: ["profile", "event"] }, []],
        [{ authors: "freya" }, [thread.id, a.id]],
        [{ authors: [odin.id], kind: "node" }, [b.id]],
        [{ authors: "nobody-at-all" }, []],
        [{ tags: "red" }, [answer.id, thread.id, ...nodes]],
        [{ tags: ["red", "deep blue"], kind: "node" }, [a.id]],
        [{ tags: ["red", "Deep Blue"], q: "item" }, [thread.id, a.id, answer.id]],
        [{ tags: ["red", "unknown"] }, []],
        [{ categories: place.id }, [answer.id, thread.id, ...nodes]],
        [{ categories: place.id, tags: "deep blue", authors: "freya" }, [thread.id, a.id]]
      ] as const) {
        assert.deepStrictEqual(yield* found(parameters), [...ids], JSON.stringify(parameters))
      }
      ok(yield* freya.patch(`/nodes/${a.id}`, { tags: ["red"] }))
      assert.deepStrictEqual(yield* found({ tags: "deep blue", kind: "node" }), [])
    })
  )

  it.effect("rank pages among threads and replies, and page all of them together", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Some gecko", { body: "x" })
      const whole = yield* page(odin, "Gecko", { content: "y" })
      const twice = yield* page(odin, "Lizards", { content: "gecko and gecko" })
      const once = yield* reply(loki, thread.id, "a gecko")
      const valued = yield* page(odin, "Animals", { properties: [colour("gecko green")] })
      assert.deepStrictEqual(yield* found({ q: "gecko" }), [
        whole.id,
        thread.id,
        twice.id,
        valued.id,
        once.id
      ])
      const answers = yield* Effect.forEach(Array.from({ length: 48 }), (_, n) =>
        n % 2 === 0 ? page(odin, `Many ${n}`, { content: "gecko" }) : reply(loki, thread.id, "gecko")
      )
      const first = yield* search({ q: "gecko" })
      const second = yield* search({ q: "gecko", page: "2" })
      assert.deepStrictEqual(
        [first.results, first.total_pages, first.next_page, second.results, second.next_page],
        [50, 2, 2, 3, undefined]
      )
      assert.sameMembers(
        [...idsIn(first), ...idsIn(second)],
        [whole.id, thread.id, twice.id, once.id, valued.id, ...answers.map(({ id }) => id as string)]
      )
      assert.deepStrictEqual(idsIn(second), [answers[0].id, valued.id, once.id])
    })
  )
})

layer(People.layer)("suggestions", (it) => {
  it.effect("have names of pages, each kind with places of its own", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = yield* open(freya, "Java island", { body: "<p>Big</p>" })
      const node = yield* page(odin, "JavaScript 学习", { content: "<p>Guide</p>" })
      const bare = yield* page(odin, "Learn Java")
      const { items } = ok(yield* guest.get("/datagraph/matches?q=java"))
      assert.deepStrictEqual(items, [
        { id: thread.id, kind: "thread", slug: thread.slug, name: "Java island", description: "Big" },
        { id: bare.id, kind: "node", slug: "learn-java", name: "Learn Java" },
        { id: node.id, kind: "node", slug: "javascript-学习", name: "JavaScript 学习", description: "Guide" }
      ])
      assert.deepStrictEqual(yield* matches("javas"), ["JavaScript 学习"])
      assert.deepStrictEqual(yield* matches("学"), ["JavaScript 学习"])
      assert.deepStrictEqual(yield* matches("java", { kind: "thread" }), ["Java island"])
      assert.deepStrictEqual(yield* matches("java", { kind: "node" }), ["Learn Java", "JavaScript 学习"])
      ok(yield* odin.patch(`/nodes/${bare.id}`, { name: "Learn Rust" }))
      assert.deepStrictEqual(yield* matches("lea"), ["Learn Rust"])
      assert.deepStrictEqual(yield* matches("java", { kind: "node" }), ["JavaScript 学习"])
    })
  )

  it.effect("need every tag that is asked for, whichever comes first", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const made = new Map<string, ReadonlyArray<string>>()
      for (const tags of [["early"], ["late"], ["early", "late"], ["late", "early"]]) {
        const thread = yield* open(freya, "Numbat", { tags })
        const node = yield* page(odin, `Numbat ${made.size}`, { tags })
        const answer = yield* reply(freya, thread.id, "numbat")
        for (const id of [thread.id, node.id, answer.id]) made.set(id, tags)
      }
      for (const q of ["", "numbat"]) {
        for (const tags of [["early"], ["late"], ["early", "late"], ["late", "early"]]) {
          const { items } = ok(yield* odin.get(`/datagraph${query({ q, tags })}`))
          const found = items.map(({ ref }: Answer["json"]) => ref.id).toSorted()
          const expected = [...made].filter(([, its]) => tags.every((tag) => its.includes(tag)))
          assert.deepStrictEqual(found, expected.map(([id]) => id).toSorted(), `${q} ${tags}`)
        }
      }
    })
  )

  it.effect("of threads are not displaced by any number of pages", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* open(freya, "Wombat thread")
      const { id } = yield* page(odin, "Wombat")
      yield* sql`insert into search_texts
          (id, kind, author_id, created_at, visibility, title, slug, beginnings, body)
        select 'v' || lpad(n::text, 18, '0') || '0', 'node', author_id, created_at, visibility, title, slug,
          beginnings, body from search_texts, generate_series(1, 200) n where id = ${id}`
      assert.deepStrictEqual(yield* matches("womb", { kind: "thread" }), ["Wombat thread"])
      assert.include(yield* matches("wombat thread"), "Wombat thread")
    })
  )
})
