import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkInvalid, LinkNotFound } from "../../src/domain/link/Link.ts"
import { OutboundFailed } from "../../src/domain/outbound/Outbound.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open } from "../support/discussion.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, query, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { assertCancelled } from "../support/searching.ts"

const add = (by: Person, url: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/links", { url, ...more }), ok)

const list = (parameters: Readonly<Record<string, string>>, by = guest) =>
  Effect.map(by.get(`/links${query(parameters)}`), ok)

layer(People.layer)("adding a link", (it) => {
  it.effect("answers with it, by the name of its host and path", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const link = yield* add(freya, "https://ogp.me")
      assert.deepStrictEqual(link, {
        id: link.id,
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:00:00.000Z",
        misc: {},
        url: "https://ogp.me/",
        slug: "ogp-me",
        domain: "ogp.me",
        title: "",
        description: ""
      })
      assert.strictEqual((yield* add(freya, "https://www.ogp.me/a/b?c=d#e")).slug, "ogp-me-a-b")
    })
  )

  it.effect("shows what the page says of itself", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      Pages.put(
        "https://page.test/",
        Pages.page('<title>A "page"</title><meta name="description" content="About &amp; more">')
      )
      const link = yield* add(freya, "https://page.test/#top")
      assert.deepInclude(link, { title: 'A "page"', description: "About & more" })
      assert.deepStrictEqual(ok(yield* freya.get(`/links/${link.slug}`)).title, 'A "page"')
    })
  )

  it.effect("answers with the link that has the address already, without reading its page again", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* Pages.clear
      Pages.put("https://same.test/x", Pages.page("<title>Same</title>"))
      const first = yield* add(freya, "https://same.test/x")
      const thread = yield* open(loki, "About it", { url: "https://same.test/x#y" })
      for (const url of ["https://same.test/x", "HTTPS://SAME.test:443/./x#z"]) {
        assert.deepStrictEqual(yield* add(loki, url), first)
      }
      assert.deepStrictEqual(thread.link, first)
      assert.notStrictEqual((yield* add(loki, "https://same.test/")).id, first.id)
      assert.strictEqual(Pages.asked.filter((url) => url === "https://same.test/x").length, 1)
    })
  )

  it.effect("gives another slug to another address of the same host and path", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const first = yield* add(freya, "https://slug.test/a?1")
      const second = yield* add(freya, "https://slug.test/A?2")
      assert.strictEqual(first.slug, "slug-test-a")
      assert.strictEqual(second.slug, `slug-test-a-${second.id}`)
      for (const link of [first, second]) {
        for (const slug of [link.slug, link.slug.toUpperCase()]) {
          assert.strictEqual(ok(yield* freya.get(`/links/${slug}`)).id, link.id)
        }
      }
    })
  )

  it.effect("succeeds for all of many requests at the same time, with one link", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const before = (yield* list({})).links.length
      const links = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => add(n % 2 === 0 ? freya : loki, `https://race.test/#${n}`)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(idsOf(links)).size, 1)
      assert.strictEqual((yield* list({})).links.length, before + 1)
    })
  )

  it.effect("keeps what another request says of it meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const url = "https://meanwhile.test/"
      yield* add(freya, url)
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          // As a request holds it that has found the link, and not yet written.
          yield* sql`select from links where url = ${url} for no key update`
          const waiting = yield* Effect.forkDetach(add(loki, url, { title: "Second" }))
          yield* untilWaiting(1)
          yield* sql`update links set title = 'First', described_by = ${freya.id} where url = ${url}`
          return waiting
        })
      )
      assert.strictEqual((yield* Fiber.join(waiting)).title, "First")
    })
  )

  it.effect("keeps a title and a description that are given, instead of what the page says", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const url = "https://given.test/"
      const words = { title: "  Given\ntitle ", description: "Two\r\nlines" }
      const link = yield* add(freya, url, words)
      assert.deepInclude(link, { title: "Given title", description: "Two\nlines" })
      // Others see it, and do not change it; whoever gave it, and staff, do.
      assert.deepStrictEqual(yield* add(loki, url, { title: "Insult" }), link)
      assert.deepInclude(yield* add(freya, url, { title: "Better" }), {
        title: "Better",
        description: "Two\nlines"
      })
      assert.deepInclude(yield* add(odin, url, { description: "Short" }), {
        title: "Better",
        description: "Short"
      })
      const librarian = yield* signUp("librarian")
      yield* grant(librarian, "MANAGE_LIBRARY")
      assert.strictEqual((yield* add(librarian, url, { title: "Best" })).title, "Best")
      assert.strictEqual((yield* add(freya, url, { title: "Mine" })).title, "Best")
    })
  )

  it.effect("does not let members change what a page says of itself", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      Pages.put("https://own.test/", Pages.page("<title>Its own</title>"))
      const link = yield* add(freya, "https://own.test/")
      assert.deepStrictEqual(yield* add(freya, "https://own.test/", { title: "Mine" }), link)
      assert.strictEqual((yield* add(odin, "https://own.test/", { title: "Staff" })).title, "Staff")
    })
  )

  it.effect("changes pages that show the link, and their validators", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(loki, "Shown", { url: "https://shown.test/" })
      const read = guest.get(`/threads/${thread.id}`)
      const before = yield* read
      yield* TestClock.adjust("1 minute")
      const link = yield* add(freya, "https://shown.test/", { title: "New" })
      assert.strictEqual(link.updatedAt > link.createdAt, true)
      const after = yield* read
      assert.deepStrictEqual(ok(after).link, link)
      assert.notStrictEqual(after.headers.etag, before.headers.etag)
      // Nothing changed: nothing is read anew.
      yield* add(freya, "https://shown.test/", { title: "New" })
      assert.strictEqual((yield* read).headers.etag, after.headers.etag)
    })
  )

  it.effect("waits three seconds for the page, and not longer", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const reached = yield* Deferred.make<void>()
      Pages.put("https://slow.test/", Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      const waiting = yield* Effect.forkChild(add(freya, "https://slow.test/"))
      yield* Deferred.await(reached)
      // Nothing is stored meanwhile, and others do not wait for it.
      assert.strictEqual((yield* list({ q: "slow.test" })).results, 0)
      const other = yield* add(loki, "https://slow.test/", { title: "Named" })
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(waiting), other)
    })
  )

  it.effect("does not wait if two requests of the account do already", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const reached = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      for (const [n, one] of reached.entries()) {
        Pages.put(`https://many.test/${n}`, Effect.andThen(Deferred.succeed(one, undefined), Effect.never))
      }
      for (const n of [2, 3]) Pages.put(`https://many.test/${n}`, Pages.page("<title>Many</title>"))
      const waiting = yield* Effect.forEach(reached, (_, n) =>
        Effect.forkChild(add(freya, `https://many.test/${n}`))
      )
      yield* Effect.forEach(reached, Deferred.await)
      assert.strictEqual((yield* add(freya, "https://many.test/2")).title, "")
      assert.strictEqual((yield* add(loki, "https://many.test/3")).title, "Many")
      yield* TestClock.adjust("3 seconds")
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )

  it.effect("succeeds whatever the page is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const failures = {
        unreachable: Effect.fail(new OutboundFailed({ url: "", reason: "connection" })),
        missing: Pages.page("<title>Not found</title>", { status: 404 }),
        broken: Pages.page("<title>Error</title>", { status: 500 }),
        picture: Pages.page("<title>PNG</title>", { headers: { "content-type": "image/png" } }),
        untyped: Pages.page("<title>Untyped</title>", { headers: {} }),
        empty: Pages.page("")
      }
      for (const [name, answer] of Object.entries(failures)) {
        Pages.put(`https://${name}.test/`, answer)
        const link = yield* add(freya, `https://${name}.test/`)
        assert.deepInclude(link, { title: "", description: "" }, name)
      }
    })
  )

  it.effect("needs an account and an address, which the problem names", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* guest.post("/links", "junk"), Unauthenticated)
      assertInvalid(yield* freya.post("/links", {}), "body url")
      assertInvalid(yield* freya.post("/links", { url: 1 }), "body url")
      assertInvalid(yield* freya.post("/links", { url: `https://a.test/${"x".repeat(2034)}` }), "body url")
      const url = "https://a.test/"
      assertInvalid(yield* freya.post("/links", { url, title: "x".repeat(256) }), "body title")
      assertInvalid(yield* freya.post("/links", { url, description: "x".repeat(1001) }), "body description")
      assertInvalid(yield* freya.post("/links", { url, title: null }), "body title")
      const longest = { title: "\u{1F600}".repeat(255), description: "ä".repeat(1000) }
      assert.deepInclude(yield* add(freya, url, longest), longest)
      for (const [url, rule] of [
        ["", "address"],
        ["ogp.me", "address"],
        ["/links", "address"],
        ["ftp://ogp.me", "scheme"],
        ["javascript:alert(1)", "scheme"],
        ["https://me:secret@ogp.me", "credentials"],
        [`https://a.test/${"я".repeat(400)}`, "length"]
      ] as const) {
        assertProblem(yield* freya.post("/links", { url }), LinkInvalid, { field: "url", url, rule })
      }
    })
  )
})

layer(People.layer)("the list of links", (it) => {
  it.effect("is paged, newest first, with each link once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assert.deepStrictEqual(yield* list({}), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        links: []
      })
      const ids: Array<string> = []
      for (let n = 0; n < 55; n++) {
        // Most are of the same instant.
        if (n % 20 === 0) yield* TestClock.adjust("1 second")
        ids.unshift((yield* add(freya, `https://paged.test/${n}`)).id)
      }
      for (const q of ["", "paged.test"]) {
        const [first, second, third] = [
          yield* list({ q }),
          yield* list({ q, page: "2" }),
          yield* list({ q, page: "3" })
        ]
        assert.deepInclude(first, { results: 50, total_pages: 2, current_page: 1, next_page: 2 })
        assert.deepInclude(second, { results: 5, total_pages: 2, current_page: 2 })
        assert.notProperty(second, "next_page")
        assert.deepStrictEqual([...idsOf(first.links), ...idsOf(second.links)], ids)
        assert.deepInclude(third, { results: 0, total_pages: 2, current_page: 3, links: [] })
      }
    })
  )

  it.effect("has the same links on far pages, and none past the end", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      // What one of them sees beside the others, among those and before them.
      const draft = yield* open(freya, "Draft", { visibility: "draft", url: "https://hidden.test/about" })
      const anchors = Array.from({ length: 9 }, (_, n) => `<a href="https://hidden.test/${n}">x</a>`)
      yield* open(freya, "Draft", { visibility: "draft", body: anchors.join("") })
      // One of them everybody sees.
      yield* add(freya, "https://hidden.test/0")
      yield* sql`insert into links (id, created_at, updated_at, url, slug, domain, is_public)
        select 'far' || lpad(n::text, 16, '0') || '0', 'epoch', 'epoch', 'https://far.test/' || n, 'far-' || n, 'far.test',
          true
        from generate_series(1, 1995) n`
      yield* sql`update links set created_at = 'epoch' where url like 'https://hidden.test/%' and id <> ${draft.link.id}`
      const expected = yield* sql<{
        readonly id: string
        readonly is_public: boolean
      }>`select id, is_public from links order by created_at desc, id desc`
      const everyones = expected.filter((link) => link.is_public)
      assert.strictEqual(expected.length, everyones.length + 9)
      for (const [by, links] of [
        [guest, everyones],
        [freya, expected]
      ] as const) {
        const pages = Math.ceil(links.length / 50)
        for (const page of [1, 19, 20, 21, 22, pages - 1, pages]) {
          const answer = yield* list({ page: String(page) }, by)
          const ids = idsOf(links).slice((page - 1) * 50, page * 50)
          assert.deepStrictEqual(idsOf(answer.links), ids, `page ${page}`)
          assert.strictEqual(answer.total_pages, pages)
        }
        for (const page of [pages + 1, pages + 100]) {
          assert.deepInclude(yield* list({ page: String(page) }, by), { results: 0, total_pages: pages })
        }
      }
      yield* sql`delete from links where id like 'far%'`
      assert.strictEqual((yield* list({})).total_pages, Math.ceil((everyones.length - 1995) / 50))
    })
  )

  it.effect("finds a text in titles, descriptions and addresses, however it is written", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const cafe = yield* add(freya, "https://one.test/Menü", {
        title: "Café Größe",
        description: "100% of_it \\ here"
      })
      const other = yield* add(freya, "https://two.test/caf", { title: "Other" })
      const found = (q: string) => Effect.map(list({ q }), ({ links }) => idsOf(links))
      for (const q of [
        "CAFE",
        "café",
        "GRÖSSE",
        "ｃａｆｅ",
        "fé  gr",
        "100%",
        "of_it",
        "\\ h",
        "one.test/men"
      ]) {
        assert.deepStrictEqual(yield* found(q), [cafe.id], q)
      }
      assert.deepStrictEqual(yield* found("caf"), [other.id, cafe.id])
      // Not across fields, not as a pattern, not markup.
      for (const q of ["größe100", "größe 100", "c%e", "c_fe", "one.test/menu/", "title"]) {
        assert.deepStrictEqual(yield* found(q), [], q)
      }
      for (const q of [" ", "\t"]) assert.isAbove((yield* list({ q })).results, 50 - 1)
    })
  )

  it.effect("finds what a page says as soon as that is known", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      Pages.put("https://said.test/", Pages.page("<title>Unmistakable words</title>"))
      const link = yield* add(freya, "https://said.test/")
      assert.deepStrictEqual(idsOf((yield* list({ q: "unmistakable" })).links), [link.id])
    })
  )

  it.effect("needs READ_PUBLISHED_LIBRARY, which guests have", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      assertInvalid(yield* freya.get(`/links${query({ q: "x".repeat(501) })}`), "query q")
      const roles = yield* sql`select id, permissions from roles where name in ('Guest', 'Member')`
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY') where name <> 'Admin'`
      for (const who of [guest, freya]) {
        assertProblem(yield* who.get("/links"), Forbidden, { permission: "READ_PUBLISHED_LIBRARY" })
      }
      for (const { id, permissions } of roles) {
        yield* sql`update roles set permissions = ${permissions as ReadonlyArray<string>} where id = ${id}`
      }
      ok(yield* guest.get("/links"))
    })
  )

  it.effect("is given up if a search takes longer than two seconds", () =>
    Effect.gen(function* () {
      yield* assertCancelled("links", guest.get("/links?q=needle"))
    })
  )
})

layer(People.layer)("reading a link", (it) => {
  it.effect("needs an account with READ_PUBLISHED_LIBRARY, and a slug", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const link = yield* add(freya, "https://read.test/")
      assertProblem(yield* guest.get(`/links/${link.slug}`), Unauthenticated)
      for (const slug of ["nope", link.id, "read-test-", "read_test"]) {
        assertProblem(yield* freya.get(`/links/${slug}`), LinkNotFound, { link_slug: slug })
      }
      const read = ok(yield* freya.get(`/links/${link.slug}`))
      assert.deepStrictEqual(read, { ...link, assets: [], posts: [], nodes: [], recomentations: [] })
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY') where name <> 'Admin'`
      assertProblem(yield* freya.get(`/links/${link.slug}`), Forbidden, {
        permission: "READ_PUBLISHED_LIBRARY"
      })
      yield* sql`update roles set permissions = array_append(permissions, 'READ_PUBLISHED_LIBRARY') where name <> 'Admin'`
    })
  )

  it.effect("shows the published threads about it to everyone, newest first, without their texts", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const url = "https://about.test/"
      const openAs = (author: Person, visibility: string) => open(author, visibility, { url, visibility })
      const published = yield* openAs(freya, "published")
      const draft = yield* openAs(freya, "draft")
      yield* openAs(freya, "review")
      const deleted = yield* openAs(freya, "published")
      ok(yield* freya.delete(`/threads/${deleted.id}`))
      const moved = yield* openAs(freya, "published")
      ok(yield* freya.patch(`/threads/${moved.id}`, { url: "https://elsewhere.test/" }))
      yield* open(freya, "only in the text", { body: `<a href="${url}">x</a>` })
      yield* openAs(loki, "unlisted")
      const later = yield* openAs(loki, "published")
      const { slug } = published.link
      const posts = (by: Person) => Effect.map(by.get(`/links/${slug}`), (answer) => ok(answer).posts)
      // The same to authors, to staff and to administrators.
      for (const viewer of [freya, loki, tyr, odin]) {
        assert.deepStrictEqual(idsOf(yield* posts(viewer)), [later.id, published.id])
      }
      const [, reference] = yield* posts(loki)
      const { title, slug: thread, author, visibility, createdAt, description } = published
      assert.deepInclude(reference, { title, slug: thread, author, visibility, createdAt, description })
      assert.notProperty(reference, "body")
      assert.notProperty(reference, "body_links")
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      ok(yield* freya.patch(`/threads/${published.id}`, { visibility: "draft" }))
      assert.deepStrictEqual(idsOf(yield* posts(freya)), [later.id, draft.id])
    })
  )

  it.effect("shows what is published, however many drafts are newer", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const url = "https://pushed.test/"
      const thread = yield* open(freya, "Published", { url })
      const node = ok(yield* odin.post("/nodes", { name: "Published", url, visibility: "published" }))
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into threads (id, created_at, author_id, link_id, visibility, active_at)
        select 'z' || lpad(n::text, 18, '0') || '0', 'epoch', ${freya.id}, ${thread.link.id}, 'draft', 'epoch'
        from generate_series(1, 60) n`
      yield* sql`insert into nodes (id, created_at, updated_at, owner_id, position, name, slug, visibility, link_id)
        select 'z' || lpad(n::text, 18, '0') || '0', 'epoch', 'epoch', ${freya.id}, 'z' || n, 'Draft', 'draft-' || n,
          'draft', ${thread.link.id} from generate_series(1, 60) n`
      const { nodes, posts } = ok(yield* freya.get("/links/pushed-test"))
      assert.deepStrictEqual([idsOf(posts), idsOf(nodes)], [[thread.id], [node.id]])
      yield* sql`delete from threads where id like 'z%'`
      yield* sql`delete from nodes where id like 'z%'`
    })
  )

  it.effect("shows whether the caller likes them", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Liked", { url: "https://liked.test/" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        values ('like', ${thread.id}, ${thread.id}, ${loki.id}, 'epoch')`
      const likes = (by: Person) =>
        Effect.map(by.get("/links/liked-test"), (answer) => ok(answer).posts[0].likes)
      assert.deepStrictEqual(yield* likes(loki), { likes: 1, liked: true })
      assert.deepStrictEqual(yield* likes(freya), { likes: 1, liked: false })
    })
  )

  it.effect("shows no threads to who may not read any", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* open(freya, "Hidden", { url: "https://hidden.test/" })
      const posts = Effect.map(loki.get("/links/hidden-test"), (answer) => ok(answer).posts)
      assert.strictEqual((yield* posts).length, 1)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name <> 'Admin'`
      assert.deepStrictEqual(yield* posts, [])
      yield* sql`update roles set permissions = array_append(permissions, 'READ_PUBLISHED_THREADS') where name <> 'Admin'`
    })
  )

  it.effect("shows the newest fifty threads", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const ids: Array<string> = []
      for (let n = 0; n < 51; n++)
        ids.unshift((yield* open(freya, `${n}`, { url: "https://fifty.test/" })).id)
      assert.deepStrictEqual(idsOf(ok(yield* freya.get("/links/fifty-test")).posts), ids.slice(0, 50))
      // One that is deleted takes no place.
      ok(yield* freya.delete(`/threads/${ids[0]}`))
      assert.deepStrictEqual(idsOf(ok(yield* freya.get("/links/fifty-test")).posts), ids.slice(1))
    })
  )
})
