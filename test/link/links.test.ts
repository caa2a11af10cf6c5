import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

interface Link {
  readonly id: string
  readonly url: string
  readonly slug: string
}

const anchors = (urls: ReadonlyArray<string>) => urls.map((url) => `<a href="${url}">x</a>`).join("")

const urlsOf = (links: ReadonlyArray<Link>) => links.map(({ url }) => url)

layer(People.layer)("links", (it) => {
  it.effect("each address is a link of its own, however alike others are", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const urls = [
        "https://share.test/watch?v=AAA",
        "https://share.test/watch?v=BBB",
        "https://share.test/C",
        "https://share.test/c",
        "https://share.test/C++",
        "https://share.test:8443/C",
        "http://share.test/C",
        "https://www.share.test/C",
        "https://share.test/C/"
      ]
      const thread = yield* open(freya, "Links", { body: anchors(urls) })
      assert.deepStrictEqual(urlsOf(thread.body_links), urls)
      const slugs = thread.body_links.map(({ slug }: Link) => slug)
      assert.strictEqual(new Set(slugs).size, urls.length)
      assert.strictEqual(slugs[0], "share-test-watch")
      assert.strictEqual(slugs[1], `share-test-watch-${thread.body_links[1].id}`)
      // Others get the same links for the same addresses, in any order.
      const answer = yield* reply(loki, thread.id, anchors(urls.toReversed()))
      assert.deepStrictEqual(answer.body_links.toReversed(), thread.body_links)
      const about = yield* open(loki, "About", { url: "https://share.test/watch?v=BBB" })
      assert.deepStrictEqual(about.link, thread.body_links[1])
    })
  )

  it.effect("an address is stored as the URL standard writes it, once for all ways to write it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const body = anchors([
        "HTTPS://Ways.TEST:443/a/../b c#one",
        "https://ways.test/b%20c",
        "https://ways.test/b%20c#two",
        "https://ways.test"
      ])
      const thread = yield* open(freya, "Ways", { body, url: "https://WAYS.test/b c#three" })
      assert.deepStrictEqual(urlsOf(thread.body_links), ["https://ways.test/b%20c", "https://ways.test/"])
      assert.deepStrictEqual(thread.link, thread.body_links[0])
    })
  )

  it.effect("malformed addresses, and those with credentials, stay in the text and are no links", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const body = anchors([
        "https://user:secret@none.test/",
        "https://user@none.test/",
        "https://exa mple.test/",
        "https://none.test:99999/",
        `https://none.test/${"x".repeat(2048)}`,
        "mailto:a@none.test",
        "/here",
        "https://one.test/"
      ])
      const thread = yield* open(freya, "None", { body })
      assert.deepStrictEqual(urlsOf(thread.body_links), ["https://one.test/"])
      assert.include(thread.body, 'href="https://user:secret@none.test/"')
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select from links where url like '%none.test%'`, [])
    })
  )

  it.effect("transactions add links in one order, whatever their order in the text", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const add = (path: string, id: string) =>
        sql`insert into links (id, created_at, updated_at, url, slug, domain)
          values (${id}, now(), now(), ${`https://order.test/${path}`}, ${id}, 'order.test')`
      const [heldId, laterId] = ["00000000000000000010", "00000000000000000020"]
      yield* open(freya, "First", { body: anchors(["https://order.test/m"]) })
      // The second has the slug of a link that there is already.
      for (const [order, held] of [
        [["z", "y", "a", "b"], "b"],
        [["z", "m?3", "m?2", "m?1"], "m?2"]
      ] as const) {
        const urls = order.map((path) => `https://order.test/${path}`)
        const post = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* add(held, heldId)
            const post = yield* Effect.forkDetach(open(freya, "Others", { body: anchors(urls) }))
            yield* untilWaiting(1)
            // A deadlock, unless the request waits before it adds this one.
            yield* add(order[1], laterId)
            yield* sql`delete from links where id = ${laterId}`
            return post
          })
        )
        assert.deepStrictEqual(urlsOf((yield* Fiber.join(post)).body_links), urls)
        yield* sql`delete from links where id = ${heldId}`
      }
    })
  )

  it.effect("the database has an address once, and none that is too long for its index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const add = (id: string, url: string) =>
        sql`insert into links (id, created_at, updated_at, url, slug, domain)
          values (${id}, now(), now(), ${url}, ${id}, 'db.test')`
      yield* add("first", "https://db.test/")
      const again = yield* Effect.flip(add("second", "https://db.test/"))
      assert.strictEqual(again.reason._tag, "UniqueViolation")
      const long = yield* Effect.flip(add("third", "x".repeat(2049)))
      assert.strictEqual(long.reason._tag, "ConstraintError")
    })
  )
})
