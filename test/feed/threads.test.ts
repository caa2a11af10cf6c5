import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { contentsMax, entriesMax } from "../../src/domain/feed/Feed.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { TagNotFound } from "../../src/domain/tag/TagDetail.ts"
import { AuthorUnknown } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import { ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { formats, read, titles } from "./support.ts"

const path = "/feeds/threads"

const types = {
  atom: "application/atom+xml; charset=utf-8",
  rss: "application/rss+xml; charset=utf-8",
  json: "application/feed+json; charset=utf-8"
}

layer(People.layer)("a feed of threads", (it) => {
  it.effect("is valid without entries, and anyone may keep it for a minute", () =>
    Effect.gen(function* () {
      for (const format of formats) {
        const answer = yield* guest.get(`${path}.${format}`)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-type"], types[format])
        assert.strictEqual(answer.headers["cache-control"], "public, max-age=60")
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
        assert.notProperty(answer.headers, "last-modified")
        assert.deepStrictEqual((yield* read(format, path)).entries, [])
      }
    })
  )

  it.effect("has what guests find in the list, whoever asks", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* open(freya, "First")
      yield* open(loki, "Second")
      yield* open(odin, "Pinned", { pinned: 1 })
      for (const visibility of ["draft", "unlisted", "review"]) {
        yield* open(freya, `Hidden ${visibility}`, { visibility })
      }
      const gone = yield* open(freya, "Gone")
      ok(yield* freya.delete(`/threads/${gone.id}`))
      assert.deepStrictEqual(yield* titles(path), ["Pinned", "Second", "First"])
      const plain = yield* guest.get(`${path}.atom`)
      for (const person of [freya, odin, tyr]) {
        const answer = yield* person.get(`${path}.atom`)
        assert.strictEqual(answer.text, plain.text)
        assert.strictEqual(answer.headers.etag, plain.headers.etag)
        assert.notInclude(answer.text, "Hidden")
        assert.notInclude(answer.text, "Gone")
      }
      const [first] = ok(yield* guest.get("/threads?ignore_pinned=true")).threads
      yield* reply(freya, first.id, "again")
      assert.deepStrictEqual(yield* titles(path), ["Pinned", "Second", "First"])
    })
  )

  it.effect("shows each thread with its text, its page, its author and its tags", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Places & <things>")
      const thread = yield* open(freya, "Fish & <chips>", {
        body: '<p>See <a href="/t/other">there</a>, <a href="#note">below</a> and <img src="/api/assets/x.png" alt="a href="></p>',
        category: place.id,
        tags: ["salt"]
      })
      const address = `http://www.forum.test/t/${thread.slug}`
      for (const format of formats) {
        const { entries } = yield* read(format, path, query({ tag: "salt" }))
        const [entry] = entries
        assert.strictEqual(entry?.title, "Fish & <chips>", format)
        assert.strictEqual(entry?.id, `tag:forum.test,2026:thread/${thread.id}`)
        assert.strictEqual(entry?.address, address)
        assert.strictEqual(entry?.author, "freya")
        assert.strictEqual(entry?.summary, thread.description)
        assert.strictEqual(
          entry?.content,
          `<p>See <a href="http://www.forum.test/t/other" rel="nofollow">there</a>, <a href="${address}#note" rel="nofollow">below</a> and <img src="http://forum.test/api/assets/x.png" alt="a href="></p>`
        )
      }
      const json = ok(yield* guest.get(`${path}.json?tag=salt`))
      assert.deepStrictEqual(json.items[0].tags, ["Places & <things>", "salt"])
      assert.strictEqual(json.items[0].date_published, thread.createdAt)
      assert.strictEqual(json.items[0].date_modified, thread.updatedAt)
      assert.strictEqual(json.feed_url, "http://forum.test/api/feeds/threads.json?tag=salt")
      assert.strictEqual(json.home_page_url, "http://www.forum.test/tags/salt")
    })
  )

  it.effect("is narrowed by category, tag and author, alone and together", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Narrow")
      yield* open(loki, "In it", { category: place.id })
      yield* open(loki, "In it with a tag", { category: place.id, tags: ["narrow"] })
      yield* open(freya, "By another", { category: place.id, tags: ["narrow"] })
      const found = (narrowing: Readonly<Record<string, string>>) => titles(path, query(narrowing))
      assert.deepStrictEqual(yield* found({ category: place.slug }), [
        "By another",
        "In it with a tag",
        "In it"
      ])
      assert.deepStrictEqual(yield* found({ tag: "Narrow" }), ["By another", "In it with a tag"])
      assert.deepStrictEqual(yield* found({ category: place.slug, author: "loki" }), [
        "In it with a tag",
        "In it"
      ])
      assert.deepStrictEqual(yield* found({ category: place.slug, author: loki.id, tag: "narrow" }), [
        "In it with a tag"
      ])
      assert.strictEqual(
        (yield* read("atom", path, query({ category: place.slug, author: "loki" }))).title
          ?.split(" / ")
          .slice(1)
          .join(" / "),
        "Narrow / loki"
      )
    })
  )

  it.effect("is not found for an unknown category, tag or author, and invalid in another format", () =>
    Effect.gen(function* () {
      for (const format of formats) {
        assertProblem(yield* guest.get(`${path}.${format}?category=nowhere`), CategoryNotFound, {
          category_slug: "nowhere"
        })
        assertProblem(yield* guest.get(`${path}.${format}?tag=nothing`), TagNotFound, { tag_name: "nothing" })
        assertProblem(yield* guest.get(`${path}.${format}?author=${nobody}`), AuthorUnknown, {
          author: nobody
        })
      }
      assertInvalid(yield* guest.get(`${path}.xml`), "path format")
    })
  )

  it.effect("has the answer of now as long as its tag is another one", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Changing", { tags: ["changing"] })
      const feed = `${path}.rss?tag=changing`
      const tagNow = Effect.map(guest.get(feed), ({ headers }) => headers.etag ?? "")
      const first = yield* tagNow
      for (const sent of [first, `W/${first}`, `"other", ${first}`, "*"]) {
        const again = yield* guest.get(feed, ifNoneMatch(sent))
        assert.strictEqual(again.status, 304, sent)
        assert.strictEqual(again.text, "")
        assert.strictEqual(again.headers.etag, first)
        assert.strictEqual(again.headers["cache-control"], "public, max-age=60")
      }
      for (const sent of ['"other"', first.slice(1, -1), ""]) {
        assert.strictEqual((yield* guest.get(feed, ifNoneMatch(sent))).status, 200, sent)
      }
      // A time says too little: what is deleted leaves nothing younger behind.
      const dated = { headers: { "if-modified-since": "Fri, 31 Dec 9999 23:59:59 GMT" } }
      assert.strictEqual((yield* guest.get(feed, dated)).status, 200)
      const same = [
        () => loki.put(`/posts/${thread.id}/likes`),
        () => loki.post(`/threads/${thread.id}/replies`, { body: "no change" })
      ]
      for (const act of same) {
        yield* act()
        assert.strictEqual(yield* tagNow, first)
      }
      const seen = new Set([first])
      const changes = [
        () => freya.patch(`/threads/${thread.id}`, { title: "Changed" }),
        () => freya.patch(`/threads/${thread.id}`, { body: "changed" }),
        () => freya.patch("/accounts", { name: "Freyja" }),
        () => open(loki, "Another", { tags: ["changing"] }),
        () => freya.delete(`/threads/${thread.id}`)
      ]
      for (const change of changes) {
        yield* change()
        const tag = yield* tagNow
        assert.isFalse(seen.has(tag))
        seen.add(tag)
      }
    })
  )

  it.effect("answers HEAD like GET without a body", () =>
    Effect.gen(function* () {
      for (const format of formats) {
        const full = yield* guest.get(`${path}.${format}`)
        const head = yield* People.call("HEAD", `/api${path}.${format}`)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        for (const name of ["etag", "content-type", "cache-control", "content-length"]) {
          assert.strictEqual(head.headers[name], full.headers[name], name)
        }
      }
    })
  )

  it.effect("survives every character that may stand in a text", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const title = "]]> & &amp; <b> \"quoted\" 'single' 😀 \u202etfel\u200f"
      const thread = yield* open(freya, title, {
        body: "<p>]]&gt; \u0001\u000b\ufffe 😀 &amp;lt; <code>a &lt; b</code></p>",
        tags: ["odd"]
      })
      for (const format of formats) {
        const { entries } = yield* read(format, path, query({ tag: "odd" }))
        assert.strictEqual(entries[0]?.title, thread.title, format)
        assert.include(entries[0]?.content, "<code>a &lt; b</code>")
        assert.include(entries[0]?.content, "]]&gt;")
        assert.include(entries[0]?.content, "&amp;lt;")
      }
    })
  )

  it.effect("has 50 entries, of which large ones have their summaries alone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* odin.patch("/admin", { services: { moderation: { thread_body_length_max: 200_000 } } }))
      const place = yield* category(odin, "Large")
      yield* Effect.forEach(Array.from({ length: entriesMax + 5 }).keys(), (number) =>
        open(odin, `Large ${number}`, {
          category: place.id,
          body: `<p>${number} begins</p>${"<p>&amp;&lt;</p>".repeat(number % 5 < 2 ? 20_000 : 10)}`
        })
      )
      for (const format of formats) {
        const answer = yield* guest.get(`${path}.${format}?category=large`)
        const size = Buffer.byteLength(answer.text)
        assert.isBelow(size, contentsMax + 200_000)
        assert.isAbove(size, contentsMax / 2)
        const { entries } = yield* read(format, path, "?category=large")
        assert.lengthOf(entries, entriesMax)
        assert.strictEqual(entries[0]?.title, `Large ${entriesMax + 4}`)
        const cut = entries.filter(({ content }) => content === undefined)
        assert.isAbove(cut.length, 10)
        for (const { summary } of cut) assert.match(summary ?? "", /begins/)
        // A short one has its text, also after some that have not.
        assert.isDefined(entries.find(({ title }) => title === "Large 9")?.content)
      }
    })
  )
})

layer(People.layer)("feeds of threads and replies where guests read none", (it) => {
  it.effect("are refused to everyone, as nobody else is to get them from a cache", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* open(freya, "For members")
      ok(yield* odin.patch("/roles/0000000000000000000g", { permissions: [] }))
      for (const person of [guest, freya, odin]) {
        for (const format of formats) {
          for (const feed of [path, `${path}/${id}`]) {
            const answer = yield* person.get(`${feed}.${format}`)
            assertProblem(answer, Forbidden, { permission: "READ_PUBLISHED_THREADS" })
            assert.notInclude(answer.text, "members")
          }
        }
      }
    })
  )
})
