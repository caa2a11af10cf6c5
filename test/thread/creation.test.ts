import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryUnknown } from "../../src/domain/category/Category.ts"
import { LinkInvalid } from "../../src/domain/link/Link.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong } from "../../src/domain/thread/Post.ts"
import { ThreadTitleMissing } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("opening threads", (it) => {
  it.effect("a title has a maximum length", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const title = "𐍈".repeat(255)
      const thread = yield* open(freya, title)
      assert.strictEqual(thread.title, title)
      assertInvalid(yield* freya.post("/threads", { title: `${title}t` }), "body title")
      // White space around a title does not count, nor how its accents are written.
      const accents = yield* open(freya, ` ${"e\u0301".repeat(255)} `)
      assert.strictEqual(accents.title, "é".repeat(255))
      assertInvalid(yield* freya.patch(`/threads/${thread.id}`, { title: `${title}t` }), "body title")
    })
  )

  it.effect("the answer shows everything that was sent", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* TestClock.adjust("90 seconds")
      const general = yield* category(odin, "General")
      const created = ok(
        yield* freya.post("/threads", {
          title: "Thread testing",
          body: '<p>this is a thread</p><script>no</script><p><a href="https://example.com/a?b">link</a></p>',
          category: general.id,
          tags: ["Second Tag", "first", "FIRST", "!"],
          visibility: "published",
          url: "https://www.example.org/page#part",
          meta: { a: { b: [1, null, "x"] } },
          likes: 5,
          author: odin.id
        })
      )
      const link = (url: string, slug: string, domain: string) => ({
        createdAt: "1970-01-01T00:01:30.000Z",
        updatedAt: "1970-01-01T00:01:30.000Z",
        misc: {},
        url,
        slug,
        domain,
        title: "",
        description: ""
      })
      const { author, body_links, id, link: about, tags, ...rest } = created
      assert.match(id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(rest, {
        createdAt: "1970-01-01T00:01:30.000Z",
        updatedAt: "1970-01-01T00:01:30.000Z",
        misc: {},
        title: "Thread testing",
        description: "this is a thread link",
        slug: `${id}-thread-testing`,
        visibility: "published",
        assets: [],
        reacts: [],
        collections: { in_collections: 0, has_collected: false },
        likes: { likes: 0, liked: false },
        meta: { a: { b: [1, null, "x"] } },
        body: '<body><p>this is a thread</p><p><a href="https://example.com/a?b" rel="nofollow">link</a></p></body>',
        pinned: 0,
        reply_status: { replies: 0, replied: 0 },
        category: { ...general, postCount: 1 },
        recomentations: [],
        replies: { page_size: 50, results: 0, total_pages: 0, current_page: 1, replies: [] }
      })
      assert.strictEqual(author.id, freya.id)
      assert.strictEqual(author.handle, "freya")
      assert.deepStrictEqual(
        author.roles.map((role: { readonly name: string }) => role.name),
        ["Member"]
      )
      assert.deepStrictEqual(
        tags.map(({ item_count, name }: { item_count: number; name: string }) => [name, item_count]),
        [
          ["first", 1],
          ["second-tag", 1]
        ]
      )
      for (const tag of tags) assert.match(tag.colour, /^#[0-9a-f]{6}$/)
      const [{ id: linkId, ...inText }] = body_links
      assert.strictEqual(body_links.length, 1)
      assert.match(linkId, /^[0-9a-v]{20}$/)
      assert.deepStrictEqual(inText, link("https://example.com/a?b", "example-com-a", "example.com"))
      const { id: _, ...aboutRest } = about
      assert.deepStrictEqual(
        aboutRest,
        link("https://www.example.org/page", "example-org-page", "www.example.org")
      )
      assert.deepStrictEqual(ok(yield* freya.get(`/threads/${id}`)), created)
    })
  )

  it.effect("a title is enough, and the thread is a draft", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const created = ok(yield* freya.post("/threads", { title: "Only this" }))
      assert.strictEqual(created.visibility, "draft")
      assert.strictEqual(created.body, "<body></body>")
      assert.strictEqual(created.description, "")
      assert.deepStrictEqual(created.meta, {})
      assert.deepStrictEqual(created.tags, [])
      assert.deepStrictEqual(created.body_links, [])
      for (const absent of ["category", "link", "last_reply_at", "read_status", "deletedAt"]) {
        assert.notProperty(created, absent)
      }
      assert.notProperty(created.replies, "next_page")
    })
  )

  it.effect("a title is one line, of which something can be seen", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const [title, stored] of [
        ["\u202eevil\u202c title", "evil title"],
        ["\u2066a\u2069\u0007b\u0085c\u200bd", "ab cd"],
        [" two\n lines ", "two  lines"],
        ["cafe\u0301", "café"],
        ["❤️‍🔥 می‌خواهم", "❤️‍🔥 می‌خواهم"]
      ] as const) {
        assert.strictEqual((yield* open(freya, title)).title, stored)
      }
      for (const title of ["", " ", "\u202e\u202c", "\u200b\u2060", "\u0007\u0085", "\u3164"]) {
        assert.strictEqual(ok(yield* freya.post("/threads", { title })).title, "")
        assertProblem(yield* freya.post("/threads", { title, visibility: "published" }), ThreadTitleMissing, {
          field: "title"
        })
      }
      assertInvalid(yield* freya.post("/threads", { title: "\u2800" }), "body title")
    })
  )

  for (const [title, suffix] of [
    ["Бабочки", "-бабочки"],
    ["日本語 の 題", "-日本語-の-題"],
    [`it's a "test"`, "-it-s-a-test"],
    ["🦋🦋", ""],
    ["?!", ""],
    ["'; drop table threads; --", "-drop-table-threads"],
    ["x".repeat(255), `-${"x".repeat(100)}`],
    [`${"word ".repeat(19)}another`, `-${"word-".repeat(18)}word`],
    ["\ufdfa".repeat(255), `-${"صلى-الله-عليه-وسلم".repeat(6).slice(0, 98)}`]
  ] as const) {
    it.effect(`the title ${title.slice(0, 30)} makes an address at which the thread is found`, () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const created = yield* open(freya, title)
        assert.strictEqual(created.title, title)
        assert.strictEqual(created.slug, created.id + suffix)
        const read = ok(yield* guest.get(`/threads/${encodeURIComponent(created.slug)}`))
        assert.strictEqual(read.id, created.id)
      })
    )
  }

  it.effect("the length of the text is checked on publication", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const fits = `<p>${"ä".repeat(30_000)}</p>`
      const tooLong = `<p>${"ä".repeat(30_000)}a</p>`
      yield* open(freya, "fits", { body: fits })
      assertProblem(
        yield* freya.post("/threads", { title: "long", body: tooLong, visibility: "published" }),
        BodyTooLong,
        { maximum: 60_000, length: 60_001 }
      )
      const draft = yield* open(freya, "long", { body: tooLong, visibility: "draft" })
      assertProblem(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }), BodyTooLong)
    })
  )

  it.effect("an unknown category is refused, and nothing of the thread is stored", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const count = sql`select (select count(*) from posts) as posts, (select count(*) from tags) as tags,
        (select count(*) from event_log) as events`
      const before = yield* count
      assertProblem(
        yield* freya.post("/threads", {
          title: "lost",
          category: nobody,
          tags: ["never"],
          visibility: "published"
        }),
        CategoryUnknown,
        { field: "category", id: nobody }
      )
      assert.deepStrictEqual(yield* count, before)
    })
  )

  it.effect("an empty URL is none, and what cannot be fetched is one", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const url of ["", "  "]) {
        const thread = yield* open(freya, "linked to nothing", { url })
        assert.notProperty(thread, "link")
        assert.notProperty(ok(yield* freya.get(`/threads/${thread.id}`)), "link")
      }
      for (const url of ["http://localhost:1/", "https://does-not.exist.invalid/", "http://10.0.0.1/"]) {
        assert.strictEqual((yield* open(freya, "linked", { url })).link.url, url)
      }
    })
  )

  it.effect("a URL that is not a web address is refused", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const [rule, url] of [
        ["address", "no address"],
        ["scheme", "ftp://example.com/"],
        ["scheme", "javascript:alert(1)"],
        ["address", "//example.com"],
        ["address", "http://"],
        ["credentials", "https://user:secret@example.com/"],
        // It has 2,048 characters, and more once it is percent-encoded.
        ["length", `https://example.com/${"я".repeat(2028)}`]
      ] as const) {
        const refused = yield* freya.post("/threads", { title: "linked", url })
        assertProblem(refused, LinkInvalid, { field: "url", url, rule })
      }
      const long = `https://example.com/${"x".repeat(2029)}`
      assertInvalid(yield* freya.post("/threads", { title: "linked", url: long }), "body url")
      const longest = long.slice(0, -1)
      assert.strictEqual((yield* open(freya, "linked", { url: longest })).link.url, longest)
    })
  )

  it.effect("pinning requires MANAGE_POSTS, for any rank", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      for (const pinned of [0, 1, -1]) {
        assertProblem(yield* freya.post("/threads", { title: "pin", pinned }), Forbidden, {
          permission: "MANAGE_POSTS"
        })
        assert.strictEqual((yield* open(tyr, "pin", { pinned, visibility: "draft" })).pinned, pinned)
      }
      assert.strictEqual((yield* open(odin, "pin", { pinned: 7, visibility: "draft" })).pinned, 7)
    })
  )

  it.effect("a session and CREATE_POST are checked before the body", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      assertProblem(yield* guest.post("/threads", "junk"), Unauthenticated, {})
      yield* sql`update roles set permissions = array_remove(permissions, 'CREATE_POST') where name = 'Member'`
      assertProblem(yield* freya.post("/threads", "junk"), Forbidden, { permission: "CREATE_POST" })
      yield* grant(freya, "CREATE_POST")
      yield* open(freya, "allowed again")
      yield* sql`update roles set permissions = permissions || '{CREATE_POST}' where name = 'Member'`
      yield* suspend(loki)
      assertProblem(yield* loki.post("/threads", "junk"), AccountSuspended, {})
    })
  )

  it.effect("every field that is missing or of the wrong type is named", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const refused = (body: object) => freya.post("/threads", { title: "t", ...body })
      assertInvalid(yield* freya.post("/threads"), "body title")
      assertInvalid(yield* refused({ title: " \n\u2800" }), "body title")
      assertInvalid(
        yield* refused({ title: 1, body: 2, category: "x", tags: "a", visibility: "secret" }),
        ...["body title", "body body", "body category", "body tags", "body visibility"]
      )
      for (const field of ["title", "body", "category", "tags", "visibility", "pinned", "url", "meta"]) {
        assertInvalid(yield* refused({ [field]: null }), `body ${field}`)
      }
      assertInvalid(yield* refused({ pinned: 1.5 }), "body pinned")
      assertInvalid(yield* refused({ pinned: 2147483648 }), "body pinned")
      assertInvalid(yield* refused({ meta: "text" }), "body meta")
      assertInvalid(yield* refused({ tags: ["ok", 1, "x".repeat(31)] }), "body tags.1", "body tags.2")
      assertInvalid(yield* refused({ tags: ["\ufdfa".repeat(100)] }), "body tags.0")
      assertInvalid(yield* refused({ tags: Array.from({ length: 2000 }, (_, i) => `tag ${i}`) }), "body tags")
    })
  )
})
