/** Who sees which links: everyone those that were added or are published, others what they read besides. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkNotFound } from "../../src/domain/link/Link.ts"
import { page, show } from "../library/elsewhere.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, type Person, query, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

interface Link {
  readonly url: string
  readonly slug: string
}

const anchor = (url: string) => `<p><a href="${url}">x</a></p>`

const urlsOf = (answer: { readonly links: ReadonlyArray<Link> }) => answer.links.map(({ url }) => url)

const list = (by: Person, parameters: Readonly<Record<string, string>> = {}) =>
  Effect.map(by.get(`/links${query(parameters)}`), ok)

/** The slugs are made of names that are used once, so that they are known without being seen. */
const slugOf = (url: string) => url.replace("https://", "").replace(/[./]+/g, "-").replace(/-$/, "")

/** Whether somebody finds a link, by every way that there is, which have to agree. */
const sees = Effect.fnUntraced(function* (viewer: Person, url: string) {
  const listed = urlsOf(yield* list(viewer)).includes(url)
  const found = yield* list(viewer, { q: url })
  assert.deepStrictEqual(urlsOf(found).includes(url), listed, url)
  assert.strictEqual(found.total_pages, found.results === 0 ? 0 : 1)
  assert.strictEqual((yield* list(viewer, { page: "30" })).total_pages, (yield* list(viewer)).total_pages)
  if (viewer === guest) return listed
  const read = yield* viewer.get(`/links/${slugOf(url)}`)
  assert.strictEqual(read.status, listed ? 200 : 404, url)
  if (!listed) assertProblem(read, LinkNotFound, { link_slug: slugOf(url) })
  return listed
})

/** Who of these sees a link. */
const viewersOf = Effect.fnUntraced(function* (viewers: Readonly<Record<string, Person>>, url: string) {
  const names: Array<string> = []
  for (const [name, viewer] of Object.entries(viewers)) if (yield* sees(viewer, url)) names.push(name)
  return names
})

const everyone = ["guest", "freya", "loki", "tyr", "librarian"]

layer(People.layer)("a link", (it) => {
  it.effect(
    "is seen by who may read something that it stands in, and by everyone once that is published",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const librarian = yield* signUp("librarian")
        yield* grant(librarian, "MANAGE_LIBRARY")
        const viewers = { guest, freya, loki, tyr, librarian }
        const check = Effect.fnUntraced(function* (url: string, expected: ReadonlyArray<string>) {
          assert.deepStrictEqual(yield* viewersOf(viewers, url), expected, url)
        })

        for (const [name, more] of [
          ["about", (url: string) => ({ url })],
          ["text", (url: string) => ({ body: anchor(url) })]
        ] as const) {
          const url = `https://${name}.test/`
          const thread = yield* open(freya, name, { ...more(url), visibility: "draft" })
          yield* check(url, ["freya", "tyr"])
          ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "published" }))
          yield* check(url, everyone)
          ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "review" }))
          yield* check(url, ["freya", "tyr"])
          ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "published" }))
          ok(yield* freya.delete(`/threads/${thread.id}`))
          yield* check(url, [])

          const node = `https://node-${name}.test/`
          const content = name === "about" ? { url: node } : { content: anchor(node) }
          const one = yield* page(librarian, name, { ...content, visibility: "draft" })
          yield* check(node, ["librarian"])
          yield* show(librarian, one, "published")
          yield* check(node, everyone)
          yield* show(librarian, one, "unlisted")
          yield* check(node, ["librarian"])
          yield* show(librarian, one, "published")
          ok(yield* librarian.delete(`/nodes/${one.id}`))
          yield* check(node, [])
          const waiting = yield* page(loki, `waiting ${name}`, { ...content, visibility: "review" })
          yield* check(node, ["loki", "librarian"])
          ok(yield* odin.delete(`/nodes/${waiting.id}`))
        }

        const thread = yield* open(loki, "Published", { body: anchor("https://opening.test/") })
        const answer = yield* reply(freya, thread.id, anchor("https://reply.test/"))
        yield* check("https://reply.test/", everyone)
        ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "review" }))
        yield* check("https://reply.test/", ["freya", "tyr"])
        ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "published" }))
        yield* check("https://reply.test/", everyone)
        // With its thread, of which the author still reads the replies of others.
        ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "draft" }))
        for (const url of ["https://reply.test/", "https://opening.test/"]) yield* check(url, ["loki", "tyr"])
        ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "published" }))
        yield* check("https://reply.test/", everyone)
        ok(yield* freya.patch(`/posts/${answer.id}`, { body: anchor("https://other.test/") }))
        yield* check("https://reply.test/", [])
        yield* check("https://other.test/", everyone)
        ok(yield* freya.delete(`/posts/${answer.id}`))
        yield* check("https://other.test/", [])
        // One of two places is enough.
        const second = yield* open(freya, "Second", { url: "https://opening.test/" })
        ok(yield* loki.delete(`/threads/${thread.id}`))
        yield* check("https://opening.test/", everyone)
        ok(yield* freya.patch(`/threads/${second.id}`, { url: "https://moved.test/" }))
        yield* check("https://opening.test/", [])
        yield* check("https://moved.test/", everyone)
      })
  )

  it.effect("that was added stays public, whatever becomes of what it stands in", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const url = "https://added.test/"
      const thread = yield* open(freya, "Added", { url })
      ok(yield* loki.post("/links", { url }))
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assert.isTrue(yield* sees(guest, url))
    })
  )

  it.effect("that is not seen is like a new one for who adds it, and public from then on", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const url = "https://secret.test/plan"
      Pages.put(url, Pages.page("<title>The plan</title>"))
      const shown = yield* open(freya, "Secret", { url })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update links set title = 'Known', search_text = 'known', favicon_id = null where url = ${url}`
      ok(yield* freya.patch(`/threads/${shown.id}`, { visibility: "draft" }))
      yield* open(freya, "Other", { url: "https://secret.test/name?hidden", visibility: "draft" })
      yield* TestClock.adjust("1 hour")
      const added = ok(yield* loki.post("/links", { url }))
      const fresh = ok(yield* loki.post("/links", { url: "https://never.test/seen" }))
      assert.deepInclude(added, {
        createdAt: fresh.createdAt,
        updatedAt: fresh.updatedAt,
        title: "The plan",
        slug: "secret-test-plan"
      })
      assert.isTrue(yield* sees(guest, url))
      assert.strictEqual((yield* list(guest, { q: "known" })).results, 0)
      // What is not seen takes no name from what is.
      assert.strictEqual(
        ok(yield* loki.post("/links", { url: "https://secret.test/name" })).slug,
        "secret-test-name"
      )
      const hidden = urlsOf(yield* list(freya, { q: "hidden" }))
      assert.deepStrictEqual(hidden, ["https://secret.test/name?hidden"])
      // What its page said before is not in the way of who adds it, and its page is read again.
      const other = yield* open(freya, "Other", { url: "https://secret.test/other" })
      yield* sql`update links set title = 'Known' where id = ${other.link.id}`
      yield* drainEvents
      const ended = yield* sql`update link_fetches set ended_at = now(), due_at = null
        where link_id = ${other.link.id} returning link_id`
      assert.lengthOf(ended, 1)
      ok(yield* freya.patch(`/threads/${other.id}`, { visibility: "draft" }))
      const named = ok(yield* loki.post("/links", { url: "https://secret.test/other", title: "Mine" }))
      assert.strictEqual(named.title, "Mine")
      assert.deepStrictEqual(
        yield* sql`select due_at is not null as waits from link_fetches where link_id = ${other.link.id}`,
        [{ waits: true }]
      )
      // Its author sees a link anyway: it stays as it is.
      const own = yield* open(freya, "Own", { url: "https://own.test/", visibility: "draft" })
      yield* TestClock.adjust("1 hour")
      yield* sql`update links set title = 'Said by the page' where id = ${own.link.id}`
      const again = ok(yield* freya.post("/links", { url: "https://own.test/", title: "Mine" }))
      assert.deepStrictEqual(again, { ...own.link, title: "Said by the page" })
    })
  )

  it.effect("is as its texts are in the end, whatever one change has done to them", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const url = "https://back-and-forth.test/"
      const { id } = yield* open(freya, "Back and forth", { url, visibility: "draft" })
      const become = (visibility: string) =>
        sql`update threads set visibility = ${visibility} where id = ${id}`
      yield* sql.withTransaction(Effect.andThen(become("published"), become("draft")))
      assert.isFalse(yield* sees(guest, url))
      yield* become("published")
      yield* sql.withTransaction(Effect.andThen(become("draft"), become("published")))
      assert.isTrue(yield* sees(guest, url))
    })
  )

  it.effect(
    "is hidden by the last of two that are withdrawn at the same time, and shown by who publishes",
    () =>
      Effect.gen(function* () {
        const { freya, loki } = yield* Cast
        const sql = yield* SqlClient.SqlClient
        const url = "https://last.test/"
        const one = yield* open(freya, "One", { url })
        const two = yield* open(loki, "Two", { url })
        const both = Effect.fnUntraced(function* (visibility: string, other: Effect.Effect<unknown>) {
          yield* other
          const waiting = yield* Effect.forkDetach(loki.patch(`/threads/${two.id}`, { visibility }))
          yield* untilWaiting(1)
          return waiting
        })
        /** As far as it goes before it commits: links are settled last. */
        const settled = sql`set constraints link_changes_settled immediate`
        const withdraw = Effect.orDie(
          Effect.andThen(sql`update threads set visibility = 'draft' where id = ${one.id}`, settled)
        )
        const last = yield* sql.withTransaction(both("draft", withdraw))
        ok(yield* Fiber.join(last))
        assert.isFalse(yield* sees(guest, url))
        yield* sql`update threads set visibility = 'published' where id = ${one.id}`
        assert.isTrue(yield* sees(guest, url))
        const shown = yield* sql.withTransaction(both("published", withdraw))
        ok(yield* Fiber.join(shown))
        assert.isTrue(yield* sees(guest, url))
        const mine = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`update threads set visibility = 'draft' where id = ${two.id}`
            yield* settled
            const opened = yield* Effect.forkDetach(open(loki, "Three", { body: anchor(url) }))
            yield* untilWaiting(1)
            return opened
          })
        )
        yield* Fiber.join(mine)
        assert.isTrue(yield* sees(guest, url))
      })
  )
})
