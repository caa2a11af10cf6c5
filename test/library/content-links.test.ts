/** The web pages that the content of a page links to. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest } from "../support/people.ts"
import { apply, draft } from "./versionSupport.ts"
import { page, published } from "./writeSupport.ts"

const anchors = (...urls: ReadonlyArray<string>) => urls.map((url) => `<a href="${url}">x</a>`).join(" ")

/** The addresses of the links that a page has in its content, in their order. */
const linksOf = ({ id }: { readonly id: string }) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly url: string }>`select l.url from node_links nl join links l on l.id = nl.link_id
        where nl.node_id = ${id} order by nl.position`,
      (rows) => rows.map(({ url }) => url)
    )
  )

/** The links that everybody finds by a text. */
const found = (q: string) =>
  Effect.map(guest.get(`/links?q=${q}`), (answer) =>
    ok(answer)
      .links.map(({ url }: { readonly url: string }) => url)
      .toSorted()
  )

/** The addresses on a host that are to be read. */
const awaited = (host: string) =>
  Effect.andThen(
    drainEvents,
    SqlClient.SqlClient.use((sql) =>
      Effect.map(
        sql<{ readonly url: string }>`select l.url from link_fetches f join links l on l.id = f.link_id
          where f.host = ${host} order by l.url`,
        (rows) => rows.map(({ url }) => url)
      )
    )
  )

layer(People.layer)("what the content of a page links to", (it) => {
  it.effect("becomes links, once each, with that of the page itself", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const urls = ["https://many.test/b", "https://many.test/a?x=1"]
      const node = yield* published(odin, "Linking", {
        url: "https://many.test/about",
        content: `${anchors(...urls, "https://many.test/b#part", "mailto:a@many.test", "/links/many")}`
      })
      assert.deepStrictEqual(yield* linksOf(node), urls)
      assert.strictEqual(node.link.url, "https://many.test/about")
      assert.deepStrictEqual(yield* found("many.test"), [
        "https://many.test/a?x=1",
        "https://many.test/about",
        "https://many.test/b"
      ])
      assert.deepStrictEqual(yield* awaited("many.test"), yield* found("many.test"))
      // What the page is about may be among them.
      const both = yield* published(odin, "Both", { url: urls[0], content: anchors(...urls) })
      assert.strictEqual(both.link.url, urls[0])
      assert.deepStrictEqual(yield* linksOf(both), urls)
    })
  )

  it.effect("is as the content is written last, and goes with the page", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [a, b, c] = ["https://last.test/a", "https://last.test/b", "https://last.test/c"] as const
      const node = yield* page(freya, "Written", { content: anchors(a, b) })
      const change = (changes: object) => Effect.map(freya.patch(`/nodes/${node.id}`, changes), ok)
      assert.deepStrictEqual(yield* awaited("last.test"), [a, b])
      for (const kept of [
        { name: "Other" },
        { url: "https://last.test/about" },
        { url: null },
        { tags: [] }
      ]) {
        yield* change(kept)
        assert.deepStrictEqual(yield* linksOf(node), [a, b], JSON.stringify(kept))
      }
      yield* change({ content: anchors(c, b), url: "https://last.test/about" })
      assert.deepStrictEqual(yield* linksOf(node), [c, b])
      assert.deepStrictEqual(yield* awaited("last.test"), [a, "https://last.test/about", b, c])
      yield* change({ content: anchors(b, c) })
      assert.deepStrictEqual(yield* linksOf(node), [b, c])
      yield* change({ content: "" })
      assert.deepStrictEqual(yield* linksOf(node), [])
      yield* change({ content: anchors(a) })
      ok(yield* freya.delete(`/nodes/${node.id}`))
      assert.deepStrictEqual(yield* sql`select from node_links where node_id = ${node.id}`, [])
    })
  )

  it.effect("of a draft becomes links when it is applied", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [a, b, c] = ["https://draft.test/a", "https://draft.test/b", "https://draft.test/c"] as const
      const node = yield* published(odin, "Drafted", { content: anchors(a) })
      const version = yield* draft(odin, node, { content: anchors(b, a) })
      assert.deepStrictEqual([yield* linksOf(node), yield* found("draft.test")], [[a], [a]])
      ok(yield* odin.patch(`/nodes/${node.id}/versions/draft`, { content: anchors(c, a) }))
      ok(yield* odin.patch(`/nodes/${node.id}/versions/draft`, { name: "Named" }))
      yield* apply(odin, node, version)
      assert.deepStrictEqual(
        [yield* linksOf(node), yield* found("draft.test")],
        [
          [c, a],
          [a, c]
        ]
      )
      assert.deepStrictEqual(yield* awaited("draft.test"), [a, c])
      // One that leaves the content as it is leaves its links, and one without content has none.
      yield* apply(odin, node, yield* draft(odin, node, { name: "Named again" }))
      assert.deepStrictEqual(yield* linksOf(node), [c, a])
      const cleared = yield* draft(odin, node, { content: anchors(b) })
      ok(yield* odin.patch(`/nodes/${node.id}/versions/draft`, { content: null }))
      yield* apply(odin, node, cleared)
      assert.deepStrictEqual(yield* linksOf(node), [])
    })
  )

  it.effect("is read for the first twenty links of a page", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const urls = Array.from({ length: 21 }, (_, n) => `https://twenty.test/${String.fromCharCode(97 + n)}`)
      const node = yield* published(odin, "Twenty", { content: anchors(...urls) })
      assert.deepStrictEqual(yield* linksOf(node), urls)
      assert.deepStrictEqual(yield* awaited("twenty.test"), urls.slice(0, 20))
    })
  )

  it.effect(
    "is stored in one order with what the page is about, so that no two pages wait for each other",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const sql = yield* SqlClient.SqlClient
        const add = (path: string, id: string) =>
          sql`insert into links (id, created_at, updated_at, url, slug, domain)
          values (${id}, now(), now(), ${`https://order.test/${path}`}, ${`order-test-${path}`}, 'order.test')`
        const writing = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* add("b", "00000000000000000010")
            const writing = yield* Effect.forkDetach(
              published(odin, "Ordered", {
                url: "https://order.test/z",
                content: anchors("https://order.test/y", "https://order.test/b")
              })
            )
            yield* untilWaiting(1)
            // A deadlock, unless the request waits before it adds these.
            yield* add("y", "00000000000000000020")
            yield* add("z", "00000000000000000030")
            return writing
          })
        )
        const node = yield* Fiber.join(writing)
        assert.deepStrictEqual(yield* linksOf(node), ["https://order.test/y", "https://order.test/b"])
      })
  )
})
