import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { LinkFetching, parallelFetches } from "../../src/domain/link/LinkFetching.ts"
import { LinkFetchStore } from "../../src/domain/link/LinkFetchStore.ts"
import { OutboundFailed, OutboundRefused } from "../../src/domain/outbound/Outbound.ts"
import { Transaction } from "../../src/domain/storage/Transaction.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { png } from "../support/files.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest } from "../support/people.ts"

const anchors = (urls: ReadonlyArray<string>) => urls.map((url) => `<a href="${url}">x</a>`).join("")

const failure = (reason: "connection" | "time" | "name" | "size") =>
  Effect.fail(new OutboundFailed({ url: "", reason }))

const isPicture = (url: string) => /\.(?:ico|png|svg|html)$/.test(url)

/** The pages that were asked for, without pictures. */
const pagesAsked = () => Pages.asked.filter((url) => !isPicture(url))

/** Hands the events over and reads all pages that are due; answers which ones. */
const fetchAll = Effect.gen(function* () {
  yield* drainEvents
  Pages.asked.length = 0
  yield* Effect.flatMap(LinkFetching, ({ drain }) => drain)
  return pagesAsked()
})

const stateOf = (url: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql`select f.tries, f.reason, f.due_at is not null as waits, f.ended_at is not null as ended
        from link_fetches f join links l on l.id = f.link_id where l.url = ${url}`,
      ([row]) => row
    )
  )

const inTransaction = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, (transaction) => transaction(writes))

layer(People.layer)("the pages of links", (it) => {
  it.effect("are read after a post with them is written, and shown in it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* Pages.clear
      const title = (name: string) => `<title>${name}</title>`
      for (const name of ["a", "b", "c", "d", "e"]) {
        Pages.put(`https://${name}.test/`, Pages.page(title(name)))
      }
      const thread = yield* open(freya, "Links", {
        body: anchors(["https://a.test/", "https://b.test/#x"]),
        url: "https://c.test/"
      })
      assert.deepInclude(thread.link, { title: "" })
      assert.deepStrictEqual(Pages.asked, [])
      const answer = yield* reply(loki, thread.id, anchors(["https://d.test/"]))
      const before = (yield* guest.get(`/threads/${thread.id}`)).headers.etag
      assert.sameMembers(
        yield* fetchAll,
        ["a", "b", "c", "d"].map((name) => `https://${name}.test/`)
      )
      const read = yield* guest.get(`/threads/${thread.id}`)
      const shown = ok(read)
      assert.deepInclude(shown.link, { title: "c" })
      assert.deepStrictEqual(
        shown.body_links.map(({ title }: { readonly title: string }) => title),
        ["a", "b"]
      )
      assert.strictEqual(shown.replies.replies[0].body_links[0].title, "d")
      assert.notStrictEqual(read.headers.etag, before)

      ok(yield* loki.patch(`/posts/${answer.id}`, { body: anchors(["https://d.test/", "https://e.test/"]) }))
      ok(yield* freya.patch(`/threads/${thread.id}`, { title: "Still links" }))
      assert.deepStrictEqual(yield* fetchAll, ["https://e.test/"])
    })
  )

  it.effect(
    "are not read for drafts until they are changed or published, nor for what was deleted since",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const draft = yield* open(freya, "Draft", {
          visibility: "draft",
          body: anchors(["https://draft.test/"])
        })
        const gone = yield* open(freya, "Gone", {
          url: "https://gone.test/",
          body: anchors(["https://gone.test/x"])
        })
        ok(yield* freya.delete(`/threads/${gone.id}`))
        assert.deepStrictEqual(yield* fetchAll, [])
        ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
        assert.deepStrictEqual(yield* fetchAll, ["https://draft.test/"])
      })
  )

  it.effect("are read for the first twenty links of a post", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const urls = Array.from({ length: 21 }, (_, n) => `https://n${n}.test/`)
      yield* open(freya, "Many", { body: anchors(urls) })
      assert.sameMembers(yield* fetchAll, urls.slice(0, 20))
    })
  )

  it.effect("are read once a day, however often they are linked to", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const url = "https://daily.test/"
      Pages.put(url, Pages.page("<title>First</title>"))
      const thread = yield* open(freya, "Daily", { url })
      assert.deepStrictEqual(yield* fetchAll, [url])
      yield* reply(loki, thread.id, anchors([url]))
      ok(yield* loki.post("/links", { url }))
      assert.deepStrictEqual(yield* fetchAll, [])
      yield* TestClock.adjust("1439 minutes")
      yield* reply(loki, thread.id, anchors([url]))
      assert.deepStrictEqual(yield* fetchAll, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* fetchAll, [])
      Pages.put(url, Pages.page("<title>Second</title>"))
      ok(yield* loki.post("/links", { url }))
      assert.deepStrictEqual(yield* fetchAll, [url])
      assert.strictEqual(ok(yield* loki.get("/links/daily-test")).title, "Second")
      // A page that says nothing any more, or is gone, takes nothing away.
      for (const answer of [Pages.page(""), Pages.page("", { status: 404 })]) {
        yield* TestClock.adjust("1 day")
        Pages.put(url, answer)
        yield* reply(loki, thread.id, anchors([url]))
        assert.deepStrictEqual(yield* fetchAll, [url])
        assert.strictEqual(ok(yield* loki.get("/links/daily-test")).title, "Second")
      }
    })
  )

  it.effect("do not replace what an account says of them, and complete it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const url = "https://named.test/"
      Pages.put(url, Pages.page('<title>Page</title><meta name="description" content="Words">'))
      ok(yield* freya.post("/links", { url, title: "Mine" }))
      assert.deepStrictEqual(yield* fetchAll, [url])
      const link = ok(yield* loki.get("/links/named-test"))
      assert.deepInclude(link, { title: "Mine", description: "Words" })
    })
  )

  it.effect("are tried again after pauses, five times in all, and then parked", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const url = "https://down.test/"
      Pages.put(url, failure("connection"))
      const thread = yield* open(freya, "Down", { url })
      assert.deepStrictEqual(yield* fetchAll, [url])
      for (const [tries, minutes] of [1, 10, 60, 360].entries()) {
        assert.deepStrictEqual(yield* stateOf(url), {
          tries: tries + 1,
          reason: "connection",
          waits: true,
          ended: false
        })
        yield* TestClock.adjust(`${minutes * 60 - 1} seconds`)
        // To link to it again does not hurry it.
        yield* reply(loki, thread.id, anchors([url]))
        assert.deepStrictEqual(yield* fetchAll, [])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* fetchAll, [url])
      }
      assert.deepStrictEqual(yield* stateOf(url), {
        tries: 5,
        reason: "connection",
        waits: false,
        ended: true
      })
      yield* TestClock.adjust("23 hours")
      yield* reply(loki, thread.id, anchors([url]))
      assert.deepStrictEqual(yield* fetchAll, [])
      yield* TestClock.adjust("1 hour")
      yield* reply(loki, thread.id, anchors([url]))
      Pages.put(url, Pages.page("<title>Up</title>"))
      assert.deepStrictEqual(yield* fetchAll, [url])
      assert.deepStrictEqual(yield* stateOf(url), { tries: 1, reason: null, waits: false, ended: true })
    })
  )

  it.effect("are not tried again where that is of no use", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answers = {
        refused: [Effect.fail(new OutboundRefused({ url: "", reason: "network" })), "network"],
        large: [failure("size"), "size"],
        missing: [Pages.page("", { status: 404 }), "status 404"],
        moved: [Pages.page("", { status: 304 }), "status 304"],
        picture: [Pages.page("", { headers: { "content-type": "image/png" } }), "no page"]
      } as const
      for (const [name, [answer, reason]] of Object.entries(answers)) {
        const url = `https://${name}.useless.test/`
        Pages.put(url, answer)
        yield* open(freya, name, { url })
        assert.deepStrictEqual(yield* fetchAll, [url])
        assert.deepStrictEqual(yield* stateOf(url), { tries: 1, reason, waits: false, ended: true }, name)
      }
    })
  )

  it.effect("are tried again where that may be of use", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answers = {
        name: failure("name"),
        time: failure("time"),
        busy: Pages.page("", { status: 503 }),
        often: Pages.page("", { status: 429 })
      }
      for (const [name, answer] of Object.entries(answers)) {
        const url = `https://${name}.useful.test/`
        Pages.put(url, answer)
        yield* open(freya, name, { url })
        yield* fetchAll
        assert.deepInclude(yield* stateOf(url), { tries: 1, waits: true }, name)
      }
      const url = "https://first.useful.test/"
      Pages.put(url, failure("time"))
      ok(yield* freya.post("/links", { url }))
      assert.deepStrictEqual(yield* stateOf(url), { tries: 1, reason: "time", waits: true, ended: false })
      yield* TestClock.adjust("1 minute")
      assert.include(yield* fetchAll, url)
      assert.deepInclude(yield* stateOf(url), { tries: 2 })
    })
  )

  it.effect("are due again if whoever took them never finished, and parked if that happens too often", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const url = "https://crash.test/"
      yield* open(freya, "Crash", { url })
      yield* drainEvents
      const fetching = yield* LinkFetching
      Pages.put(url, Effect.interrupt)
      for (let tries = 1; tries <= 5; tries++) {
        yield* fetching.drain
        assert.deepInclude(yield* stateOf(url), { tries, waits: true })
        yield* TestClock.adjust("299 seconds")
        Pages.asked.length = 0
        yield* fetching.drain
        assert.notInclude(Pages.asked, url)
        yield* TestClock.adjust("1 second")
      }
      yield* fetching.drain
      assert.notInclude(Pages.asked, url)
      assert.deepStrictEqual(yield* stateOf(url), {
        tries: 6,
        reason: "unfinished",
        waits: false,
        ended: true
      })
    })
  )

  it.effect(
    "leave internal errors if a mistake of the service keeps them from being read, and only then",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const url = "https://mistake.test/"
        Pages.put(url, Effect.die(new Error("a mistake")))
        yield* open(freya, "Mistake", { url })
        yield* fetchAll
        const sql = yield* SqlClient.SqlClient
        const errors = yield* sql`select subject->>'where' as where, subject->>'message' as message
        from audit_events where type = 'internal_error' order by id`
        assert.deepStrictEqual(errors, [
          {
            where: "fetching of links",
            message: "The page of a link is not fetched any more: no try was ever finished"
          },
          { where: "fetching of links", message: "Fetching a page failed: Error: a mistake" }
        ])
      })
  )
})

layer(People.layer)("a fetch that was taken twice", (it) => {
  it.effect("is finished by the second one, not by the first, which was too slow", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const url = "https://twice.test/"
      yield* open(freya, "Twice", { url })
      yield* drainEvents
      const fetches = yield* LinkFetchStore
      const start = yield* DateTime.now
      const later = DateTime.add(start, { minutes: 5 })
      const take = (at: DateTime.Utc) =>
        Effect.map(fetches.take(at, later, []), (fetch) => fetch ?? assert.fail("nothing is due"))
      const first = yield* take(start)
      assert.isUndefined(yield* fetches.take(start, later, []))
      const second = yield* take(later)
      assert.deepStrictEqual([first.tries, second.tries], [1, 2])
      const done = { dueAt: undefined, reason: undefined }
      yield* inTransaction(fetches.finish(first, done, later))
      assert.deepInclude(yield* stateOf(url), { tries: 2, waits: true, ended: false })
      yield* inTransaction(fetches.finish(second, done, later))
      assert.deepInclude(yield* stateOf(url), { tries: 2, waits: false, ended: true })
    })
  )
})

layer(People.layer)("the pictures of pages", (it) => {
  const picture = (bytes: Uint8Array | string) =>
    Pages.page("", { body: typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes })

  it.effect("are copied, and shown with the link wherever it is", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* Pages.clear
      const url = "https://pictures.test/"
      Pages.put(
        url,
        Pages.page('<link rel=icon href="/i.svg"><meta property="og:image" content="//cdn.test/p.png">')
      )
      Pages.put("https://pictures.test/i.svg", picture("<svg xmlns='http://www.w3.org/2000/svg'/>"))
      Pages.put("https://cdn.test/p.png", picture(png(1, 1)))
      // Adding it reads the page, and leaves its pictures to the worker.
      const added = ok(yield* freya.post("/links", { url }))
      assert.deepStrictEqual(Pages.asked, [url])
      const thread = yield* open(freya, "Pictures", { url, body: anchors([url, "https://bare.test/"]) })
      const before = (yield* guest.get(`/threads/${thread.id}`)).headers.etag
      yield* fetchAll
      const link = ok(yield* freya.get(`/links/${added.slug}`))
      const { favicon_image: icon, primary_image: image } = link
      assert.deepInclude(icon, { mime_type: "image/svg+xml" })
      assert.deepInclude(image, { mime_type: "image/png", width: 1, height: 1 })
      assert.deepStrictEqual(link.assets, [icon, image])
      assert.strictEqual((yield* guest.get(image.path.replace("/api", ""))).status, 200)
      const read = yield* guest.get(`/threads/${thread.id}`)
      assert.notStrictEqual(read.headers.etag, before)
      const [first, second] = ok(read).body_links
      for (const shown of [ok(read).link, first]) {
        assert.deepInclude(shown, { favicon_image: icon, primary_image: image })
      }
      assert.notProperty(second, "favicon_image")
      const listed = ok(yield* guest.get("/links?q=pictures.test")).links
      assert.deepInclude(listed[0], { favicon_image: icon, primary_image: image })
      assert.deepStrictEqual(ok(yield* freya.post("/links", { url })).favicon_image, icon)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select account_id from assets`, [
        { account_id: null },
        { account_id: null }
      ])
      // Once is enough.
      yield* TestClock.adjust("1 day")
      ok(yield* freya.post("/links", { url }))
      Pages.asked.length = 0
      yield* Effect.flatMap(LinkFetching, ({ drain }) => drain)
      assert.deepStrictEqual(Pages.asked, [url])
    })
  )

  it.effect("are left out where they are no pictures or cannot be had, and the text stays", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const url = "https://pictureless.test/"
      const page =
        '<title>Text</title><link rel=icon href="/i.png"><meta property="og:image" content="/p.html">'
      Pages.put(url, Pages.page(page))
      Pages.put("https://pictureless.test/i.png", failure("size"))
      Pages.put("https://pictureless.test/p.html", picture("<script>alert(1)</script>"))
      yield* open(freya, "Pictureless", { url })
      yield* fetchAll
      const link = ok(yield* freya.get("/links/pictureless-test"))
      assert.deepInclude(link, { title: "Text", assets: [] })
      assert.notProperty(link, "favicon_image")
      assert.notProperty(link, "primary_image")
      assert.deepInclude(yield* stateOf(url), { waits: false, ended: true })
    })
  )

  it.effect("are asked for where the base of the page says, under the same conditions as all others", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* Pages.clear
      const based = (base: string) =>
        Pages.page(
          `<base href="${base}"><link rel=icon href="i.svg"><meta property="og:image" content="p.png">`
        )
      Pages.put("https://based.test/a/", based("//cdn.test/b/"))
      Pages.put("https://cdn.test/b/i.svg", picture("<svg xmlns='http://www.w3.org/2000/svg'/>"))
      Pages.put("https://cdn.test/b/p.png", picture(png(1, 1)))
      // What is not public is refused by the port that sends all requests.
      Pages.put("https://based.test/c/", based("http://127.0.0.1:9/"))
      Pages.put("https://based.test/d/", based("file:///etc/"))
      for (const path of ["a", "c", "d"])
        ok(yield* freya.post("/links", { url: `https://based.test/${path}/` }))
      yield* fetchAll
      assert.deepStrictEqual(Pages.asked.filter(isPicture).toSorted(), [
        "http://127.0.0.1:9/i.svg",
        "http://127.0.0.1:9/p.png",
        "https://based.test/d/i.svg",
        "https://based.test/d/p.png",
        "https://cdn.test/b/i.svg",
        "https://cdn.test/b/p.png"
      ])
      for (const [path, pictures] of [
        ["a", 2],
        ["c", 0],
        ["d", 0]
      ] as const) {
        const { assets } = ok(yield* freya.get(`/links/based-test-${path}`))
        assert.strictEqual(assets.length, pictures, path)
      }
    })
  )

  it.effect("of an answer that is an error are left out", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const url = "https://errors.test/"
      Pages.put(url, Pages.page("<title>Errors</title>"))
      Pages.put("https://errors.test/favicon.ico", Pages.page("", { status: 404, body: png(1, 1) }))
      yield* open(freya, "Errors", { url })
      yield* fetchAll
      assert.include(Pages.asked, "https://errors.test/favicon.ico")
      assert.deepStrictEqual(ok(yield* freya.get("/links/errors-test")).assets, [])
    })
  )
})

layer(People.layer)("the worker", (it) => {
  it.effect("reads eight pages at a time, two of a host, and others while these do not answer", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const began = yield* Queue.unbounded<string>()
      const release = yield* Deferred.make<void>()
      const slow = (url: string) =>
        Pages.put(
          url,
          Queue.offer(began, url).pipe(
            Effect.andThen(Deferred.await(release)),
            Effect.andThen(Pages.page("<title>Slow</title>"))
          )
        )
      const oneHost = Array.from({ length: 10 }, (_, n) => `https://tar.test/${n}`)
      const others = Array.from({ length: 10 }, (_, n) => `https://other${n}.test/`)
      for (const url of [...oneHost, ...others]) slow(url)
      yield* open(freya, "One host", { body: anchors(oneHost) })
      yield* drainEvents
      yield* open(freya, "Others", { body: anchors(others) })
      yield* drainEvents

      const fetching = yield* LinkFetching
      const worker = yield* Effect.forkChild(fetching.follow)
      const first = yield* Queue.takeN(began, parallelFetches.all)
      assert.strictEqual(first.filter((url) => url.startsWith("https://tar.test/")).length, 2)
      assert.strictEqual(new Set(first).size, 8)
      // A request goes on meanwhile, and so do events.
      yield* open(freya, "Meanwhile", { url: "https://meanwhile.test/" })
      yield* drainEvents
      slow("https://meanwhile.test/")
      assert.strictEqual(yield* Queue.size(began), 0)

      yield* Deferred.succeed(release, undefined)
      const rest = yield* Queue.takeN(began, 13)
      assert.strictEqual(new Set([...first, ...rest]).size, 21)
      yield* Fiber.interrupt(worker)
    })
  )

  it.effect("reads what is posted while it waits, without a look at the clock", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const began = yield* Queue.unbounded<string>()
      const fetching = yield* LinkFetching
      const worker = yield* Effect.forkChild(fetching.follow)
      for (const n of [1, 2]) {
        const url = `https://woken${n}.test/`
        Pages.put(url, Effect.andThen(Queue.offer(began, url), Pages.page("")))
        yield* open(freya, "Woken", { url })
        yield* drainEvents
        assert.strictEqual(yield* Queue.take(began), url)
      }
      yield* Fiber.interrupt(worker)
    })
  )

  it.effect("looks every ten seconds for what others have enqueued and what is due again", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const began = yield* Queue.unbounded<string>()
      const sql = yield* SqlClient.SqlClient
      const fetching = yield* LinkFetching
      const url = "https://elsewhere.test/"
      Pages.put(url, Effect.andThen(Queue.offer(began, url), Pages.page("")))
      const { link } = yield* open(freya, "Elsewhere", { visibility: "draft", url })
      const worker = yield* Effect.forkChild(fetching.follow)
      yield* sql`insert into link_fetches (link_id, host, due_at) values (${link.id}, 'elsewhere.test', 'epoch')`
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Queue.take(began), url)
      yield* Fiber.interrupt(worker)
    })
  )
})
