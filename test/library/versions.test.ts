/** Drafts of pages: what they begin with, what their authors change, and that the page stays as it is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import {
  NodeVersionApplied,
  NodeVersionNotFound,
  TooManyNodeDrafts
} from "../../src/domain/library/NodeVersion.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { MarkupTooLong, TooManyLinks, TooManyMentions } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import { drainEvents, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem, type ProblemClass } from "../support/problems.ts"
import * as LibraryPeople from "./versionSupport.ts"
import {
  apply,
  draft,
  field,
  read,
  Staff,
  tryDraft,
  valuesOf,
  versionsPath,
  write
} from "./versionSupport.ts"

const meta = { nested: { deep: [1, { two: null }] } }

layer(LibraryPeople.layer)("a draft of a page", (it) => {
  it.effect("begins as what the page is", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const { id: parent } = yield* write(odin, "Table")
      const page = yield* write(odin, "Whole", {
        parent,
        content: "<h1>Whole</h1><p>All of it.</p>",
        meta,
        properties: [field("b", "two", { type: "number" }), field("a", "one")]
      })
      const b = field("b", "2", { type: "number" })
      yield* write(odin, "Sibling", { parent, properties: [field("a", "1"), b, field("c", "3")] })
      const version = yield* draft(freya, page)
      const current = yield* read(odin, page)
      assert.strictEqual(version.status, "draft")
      assert.strictEqual(version.node_id, page.id)
      assert.strictEqual(version.author.handle, "freya")
      assert.notProperty(version, "previous")
      for (const key of ["name", "slug", "description", "content", "meta"]) {
        assert.deepStrictEqual(version[key], current[key], key)
      }
      assert.deepStrictEqual(version.meta, meta)
      // With their ids, in the order of the fields, and with those that the page has no value for.
      assert.deepStrictEqual(version.properties, current.properties)
      assert.deepStrictEqual(valuesOf(version), ["a: one", "b: two", "c: "])
      assert.isTrue(version.properties.every(({ fid }: { fid: string }) => fid.length === 20))
      assert.deepStrictEqual(ok(yield* freya.get(versionsPath(page, "/draft"))), version)
      assert.deepStrictEqual(ok(yield* freya.get(versionsPath(page, `/${version.id}`))), version)
    })
  )

  it.effect("has no content and no description if the page has none", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const version = yield* draft(
        freya,
        yield* write(odin, "Bare", { parent: (yield* write(odin, "Only")).id })
      )
      assert.notProperty(version, "content")
      assert.notProperty(version, "description")
      assert.deepStrictEqual(version.properties, [])
      assert.deepStrictEqual(version.meta, {})
    })
  )

  it.effect("has instead what its author changes, and the page stays as it is", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Kept", {
        content: "<p>Kept.</p>",
        meta: { kept: true },
        properties: [field("a", "kept")]
      })
      const before = yield* read(odin, page)
      const changes = {
        name: "Proposed",
        slug: "proposed-слог",
        description: "A proposed description",
        content: "<p>Proposed.</p><script>alert(1)</script>",
        properties: [
          { fid: before.properties[0].fid, name: "", value: "proposed" },
          { name: "b", type: "boolean", value: "x" }
        ],
        meta
      }
      const version = yield* draft(freya, page, changes)
      const { created_at, id, updated_at, author, ...shown } = version
      assert.deepStrictEqual(shown, {
        ...changes,
        content: "<body><p>Proposed.</p></body>",
        // In full, whatever its author left as it is.
        properties: [
          { ...before.properties[0], value: "proposed" },
          { name: "b", type: "boolean", value: "x" }
        ],
        node_id: page.id,
        status: "draft"
      })
      assert.strictEqual(created_at, updated_at)
      assert.strictEqual(author.id, freya.id)
      assert.strictEqual(id.length, 20)
      assert.deepStrictEqual(yield* read(odin, page), before)
    })
  )

  it.effect("is cleared of content and description by null", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Cleared", { content: "<p>There.</p>" })
      const version = yield* draft(freya, page, { content: null, description: null })
      assert.notProperty(version, "content")
      assert.notProperty(version, "description")
      const again = ok(
        yield* freya.patch(versionsPath(page, "/draft"), { content: "<p>Back.</p>", description: "d" })
      )
      assert.strictEqual(again.content, "<body><p>Back.</p></body>")
      assert.strictEqual(again.description, "d")
      const cleared = ok(
        yield* freya.patch(versionsPath(page, `/${version.id}`), { content: null, description: "" })
      )
      assert.notProperty(cleared, "content")
      assert.notProperty(cleared, "description")
    })
  )

  it.effect("keeps what a change does not name, by whichever address", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Saved", { content: "<p>One.</p>", properties: [field("a", "1")] })
      const first = yield* draft(freya, page, { name: "First", meta })
      for (const [person, path] of [
        [freya, "/draft"],
        [freya, `/${first.id}`],
        [mimir, "/draft"],
        [odin, `/${first.id}`]
      ] as const) {
        const before = ok(yield* freya.get(versionsPath(page, "/draft")))
        const name = `By ${person.id} at ${path}`
        const saved = ok(yield* person.patch(versionsPath(page, path), { name }))
        assert.isAbove(Date.parse(saved.updated_at), Date.parse(before.updated_at))
        assert.deepStrictEqual({ ...saved, updated_at: "", name }, { ...before, updated_at: "", name })
        assert.strictEqual(saved.author.id, freya.id)
      }
      const before = ok(yield* freya.get(versionsPath(page, "/draft")))
      assert.deepStrictEqual(ok(yield* freya.patch(versionsPath(page, "/draft"), {})), before)
      const replaced = ok(yield* freya.patch(versionsPath(page, "/draft"), { properties: [] }))
      assert.deepStrictEqual(replaced.properties, [])
    })
  )

  it.effect("is the only one of its page, also for those who do not see it", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Single")
      const one = yield* draft(odin, page)
      for (const person of [odin, mimir, freya]) {
        assertProblem(yield* tryDraft(person, page), NodeDraftExists, { node_id: page.id })
      }
      ok(yield* odin.delete(versionsPath(page, `/${one.id}`)))
      yield* draft(freya, page)
    })
  )

  it.effect("is gone once it is deleted", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Withdrawn")
      const before = yield* read(odin, page)
      for (const person of [freya, mimir, odin]) {
        const version = yield* draft(freya, page, { name: "Never" })
        const answer = yield* person.delete(versionsPath(page, `/${version.id}`))
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        for (const path of [`/${version.id}`, "/draft"]) {
          assertProblem(yield* freya.get(versionsPath(page, path)), NodeVersionNotFound)
          assertProblem(yield* freya.patch(versionsPath(page, path), {}), NodeVersionNotFound)
        }
        assertProblem(yield* person.delete(versionsPath(page, `/${version.id}`)), NodeVersionNotFound)
        assert.deepStrictEqual(ok(yield* odin.get(versionsPath(page))).versions, [])
      }
      assert.deepStrictEqual(yield* read(odin, page), before)
    })
  )

  it.effect("goes with its page", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Doomed")
      yield* draft(freya, page)
      ok(yield* odin.delete(`/nodes/${page.slug}`))
      assertProblem(yield* freya.get(versionsPath(page, "/draft")), NodeNotFound)
      const [row] = yield* sql<{ readonly left: number }>`select count(*)::int as left from node_versions
        where node_id = ${page.id}`
      assert.strictEqual(row?.left, 0)
    })
  )

  it.effect("does not change once it has been applied, not even by administrators", () =>
    Effect.gen(function* () {
      const { freya, loki, mimir, odin } = yield* Staff
      const page = yield* write(odin, "History")
      const version = yield* draft(freya, page, { name: "Past" })
      yield* apply(odin, page, version)
      const before = ok(yield* odin.get(versionsPath(page, `/${version.id}`)))
      for (const person of [freya, loki, mimir, odin]) {
        const path = versionsPath(page, `/${version.id}`)
        assertProblem(yield* person.patch(path, { name: "Other" }), NodeVersionApplied, {
          version_id: version.id
        })
        assertProblem(yield* person.patch(path, {}), NodeVersionApplied, { version_id: version.id })
        assertProblem(yield* person.delete(path), NodeVersionApplied, { version_id: version.id })
        assertProblem(
          yield* person.patch(versionsPath(page, "/draft"), { name: "Other" }),
          NodeVersionNotFound
        )
      }
      assert.deepStrictEqual(ok(yield* odin.get(versionsPath(page, `/${version.id}`))), before)
    })
  )

  it.effect("is refused what pages are refused, by name", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Refused")
      const other = yield* write(odin, "Unrefused")
      const { id } = yield* draft(freya, other)
      const many = Array.from({ length: 101 }, (_, n) => field(`f${n}`, ""))
      const refused: ReadonlyArray<readonly [unknown, string]> = [
        [{ name: "" }, "body name"],
        [{ name: null }, "body name"],
        [{ name: "x".repeat(256) }, "body name"],
        [{ slug: "not@a/good'slug]" }, "body slug"],
        [{ slug: "" }, "body slug"],
        [{ slug: null }, "body slug"],
        [{ description: "x".repeat(2001) }, "body description"],
        [{ content: 1 }, "body content"],
        [{ meta: null }, "body meta"],
        [{ meta: [] }, "body meta"],
        [{ properties: null }, "body properties"],
        [{ properties: many }, "body properties"],
        [{ properties: [{ name: "a", value: "b", type: "date" }] }, "body properties.0.type"],
        [{ properties: [{ name: "a" }] }, "body properties.0.value"],
        [{ properties: [{ fid: "junk", name: "a", value: "b" }] }, "body properties.0.fid"],
        [{ properties: [field("a", "x".repeat(10_001))] }, "body properties.0.value"]
      ]
      for (const [body, place] of refused) {
        assertInvalid(yield* tryDraft(freya, page, body), place)
        assertInvalid(yield* freya.patch(versionsPath(other, "/draft"), body), place)
        assertInvalid(yield* freya.patch(versionsPath(other, `/${id}`), body), place)
      }
      // Unknown keys are ignored, and so is what only applying may set.
      const version = yield* draft(freya, page, {
        status: "applied",
        author: odin.id,
        nope: 1,
        node_id: other.id
      })
      assert.deepStrictEqual(
        [version.status, version.author.id, version.node_id],
        ["draft", freya.id, page.id]
      )
    })
  )

  it.effect("is refused content that is too complex or too long", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Long")
      const other = yield* write(odin, "Not so long")
      const { id } = yield* draft(freya, other)
      const links = Array.from({ length: 1001 }, (_, n) => `<a href="https://x.test/${n}">x</a>`).join("")
      const mentions = Array.from(
        { length: 101 },
        (_, n) => `<a href="sdr:profile/${String(n).padStart(20, "0")}">x</a>`
      ).join("")
      const refusals: ReadonlyArray<readonly [string, ProblemClass<object>]> = [
        ["<b title=x>".repeat(600), MarkupTooComplex],
        [`<p>${"x".repeat(524_289)}</p>`, MarkupTooLong],
        [links, TooManyLinks],
        [mentions, TooManyMentions]
      ]
      for (const [content, problem] of refusals) {
        for (const answer of [
          yield* tryDraft(freya, page, { content }),
          yield* freya.patch(versionsPath(other, "/draft"), { content }),
          yield* freya.patch(versionsPath(other, `/${id}`), { content })
        ]) {
          assertProblem(answer, problem)
        }
      }
    })
  )

  it.effect("is one of a bounded number that an account has", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "One too many")
      const other = yield* write(odin, "The last one")
      const { id } = yield* draft(freya, other)
      yield* sql`update node_draft_counts set drafts = 1000 where account_id = ${freya.id}`
      assertProblem(yield* tryDraft(freya, page), TooManyNodeDrafts, { maximum: 1000 })
      assertProblem(yield* freya.get(versionsPath(page, "/draft")), NodeVersionNotFound)
      ok(yield* freya.delete(versionsPath(other, `/${id}`)))
      const last = yield* draft(freya, page)
      assertProblem(yield* tryDraft(freya, other), TooManyNodeDrafts)
      yield* apply(mimir, page, last)
      yield* draft(freya, other)
    })
  )

  it.effect("is counted as long as it is one", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const counted = Effect.map(
        sql<{ readonly counted: number; readonly there: number }>`select
          (select drafts from node_draft_counts where account_id = ${freya.id}) as counted,
          (select count(*)::int from node_versions where author_id = ${freya.id} and status = 'draft') as there`,
        ([row]) => assert.deepStrictEqual(row?.counted, row?.there)
      )
      yield* sql`delete from node_versions where author_id = ${freya.id} and status = 'draft'`
      yield* sql`update node_draft_counts set drafts = 0 where account_id = ${freya.id}`
      const pages = yield* Effect.forEach([1, 2, 3, 4], (n) => write(odin, `Counted ${n}`))
      for (const [n, page] of pages.entries()) {
        const version = yield* draft(freya, page)
        yield* counted
        if (n === 1) yield* apply(odin, page, version)
        if (n === 2) ok(yield* freya.delete(versionsPath(page, `/${version.id}`)))
        if (n === 3) ok(yield* odin.delete(`/nodes/${page.id}`))
        yield* counted
      }
    })
  )

  it.effect("tells the log of everything that becomes of it", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Logged")
      yield* drainEvents
      yield* sql`delete from event_log`
      const one = yield* draft(freya, page)
      ok(yield* freya.patch(versionsPath(page, "/draft"), { name: "Changed" }))
      ok(yield* freya.patch(versionsPath(page, "/draft"), {}))
      ok(yield* mimir.delete(versionsPath(page, `/${one.id}`)))
      const two = yield* draft(freya, page, { slug: "logged-anew" })
      yield* apply(mimir, page, two)
      const log = yield* sql<{ readonly actor_id: string; readonly event: unknown }>`
        select actor_id, event - 'standing' as event from event_log order by id`
      const about = (version: { readonly id: string }, node_slug = page.slug) => ({
        node_id: page.id,
        node_slug,
        version_id: version.id,
        author_id: freya.id,
        owner_id: odin.id
      })
      assert.deepStrictEqual(
        log.map(({ actor_id, event }) => [actor_id, event]),
        [
          [freya.id, { _tag: "NodeVersionDraftCreated", ...about(one) }],
          [freya.id, { _tag: "NodeVersionDraftUpdated", ...about(one) }],
          [mimir.id, { _tag: "NodeVersionDraftDeleted", ...about(one) }],
          [freya.id, { _tag: "NodeVersionDraftCreated", ...about(two) }],
          [mimir.id, { _tag: "NodeUpdated", id: page.id, slug: "logged-anew" }],
          [mimir.id, { _tag: "NodeVersionDraftApplied", ...about(two, "logged-anew") }]
        ]
      )
    })
  )

  it.effect("is of the page that the address names", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const page = yield* write(odin, "Named")
      const other = yield* write(odin, "Other")
      const version = yield* draft(odin, page)
      for (const path of [page.slug, page.id, `${page.id}-anything`]) {
        assert.deepStrictEqual(ok(yield* odin.get(`/nodes/${path}/versions/${version.id}`)), version)
      }
      const elsewhere = versionsPath(other, `/${version.id}`)
      const metadata = { node_slug: other.slug, version_id: version.id }
      assertProblem(yield* odin.get(elsewhere), NodeVersionNotFound, metadata)
      assertProblem(yield* odin.patch(elsewhere, {}), NodeVersionNotFound, metadata)
      assertProblem(yield* odin.delete(elsewhere), NodeVersionNotFound, metadata)
      const applied = yield* odin.patch(`${elsewhere}/status`, { status: "applied" })
      assertProblem(applied, NodeVersionNotFound, metadata)
      assertProblem(yield* odin.get(versionsPath(page, `/${nobody}`)), NodeVersionNotFound)
    })
  )
})
