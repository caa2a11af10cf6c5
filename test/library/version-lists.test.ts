/** Lists of versions and of drafts: who sees which, in which order, and what they cost. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { everyPage } from "../support/lists.ts"
import type * as People from "../support/people.ts"
import { grant, guest, nobody, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { counting, statementsOf } from "../support/statements.ts"
import * as LibraryPeople from "./versionSupport.ts"
import { apply, change, draft, field, read, Staff, versionsPath, write } from "./versionSupport.ts"

layer(LibraryPeople.layer)("the versions of a page", (it) => {
  it.effect("are listed to those who may see them", () =>
    Effect.gen(function* () {
      const { freya, loki, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Seen")
      const first = yield* change(odin, page, { name: "First" })
      const own = yield* draft(freya, page, { name: "Own" })
      const listed = (person: People.Person) =>
        Effect.map(person.get(versionsPath(page)), (answer) => idsOf(ok(answer).versions))
      for (const person of [freya, mimir, odin]) {
        assert.deepStrictEqual(yield* listed(person), [own.id, first.id])
      }
      for (const person of [loki, guest]) assert.deepStrictEqual(yield* listed(person), [first.id])
      yield* apply(odin, page, own)
      for (const person of [loki, guest]) assert.deepStrictEqual(yield* listed(person), [own.id, first.id])
      const hidden = yield* draft(odin, page)
      assert.deepStrictEqual(yield* listed(freya), [own.id, first.id])
      assert.deepStrictEqual(yield* listed(mimir), [hidden.id, own.id, first.id])
    })
  )

  it.effect("are listed as they are, without what came before", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const page = yield* write(odin, "Shown", { content: "<p>x</p>", properties: [field("a", "1")] })
      yield* change(odin, page, { name: "One" })
      yield* change(odin, page, { name: "Two", meta: { two: 2 } })
      const last = yield* draft(odin, page, { name: "Three" })
      const list = ok(yield* odin.get(versionsPath(page)))
      const { versions, ...envelope } = list
      assert.deepStrictEqual(envelope, { page_size: 50, results: 3, total_pages: 1, current_page: 1 })
      for (const version of versions) {
        const { previous: _, ...alone } = ok(yield* odin.get(versionsPath(page, `/${version.id}`)))
        assert.deepStrictEqual(version, alone)
      }
      assert.strictEqual(versions[0].id, last.id)
    })
  )

  it.effect("are each preceded by the one that was applied before", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Staff
      const page = yield* write(odin, "Preceded")
      const first = yield* apply(odin, page, yield* draft(freya, page))
      const second = yield* change(odin, page, {})
      const other = yield* write(odin, "Elsewhere")
      yield* change(odin, other, {})
      const third = yield* change(odin, page, {})
      const previousOf = (id: string) =>
        Effect.map(loki.get(versionsPath(page, `/${id}`)), (answer) => ok(answer).previous)
      assert.isUndefined(yield* previousOf(first.id))
      const { author, created_at, id, status, updated_at } = first
      assert.deepStrictEqual(yield* previousOf(second.id), { author, created_at, id, status, updated_at })
      assert.strictEqual((yield* previousOf(third.id)).id, second.id)
      const own = yield* draft(freya, page)
      assert.notProperty(ok(yield* freya.get(versionsPath(page, `/${own.id}`))), "previous")
      assert.notProperty(ok(yield* freya.get(versionsPath(page, "/draft"))), "previous")
    })
  )

  it.effect("are listed in pages of fifty, the last changed first", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Staff
      const page = yield* write(odin, "Long history")
      const applied: Array<string> = []
      for (let n = 1; n <= 51; n++) applied.unshift((yield* change(odin, page, { name: `Number ${n}` })).id)
      const pageOf = (person: People.Person, page_: string) =>
        Effect.map(person.get(`${versionsPath(page)}?page=${page_}`), ok)
      const first = yield* pageOf(loki, "1")
      assert.deepStrictEqual(idsOf(first.versions), applied.slice(0, 50))
      assert.deepStrictEqual(
        [first.page_size, first.results, first.total_pages, first.current_page, first.next_page],
        [50, 50, 2, 1, 2]
      )
      const second = yield* pageOf(loki, "2")
      assert.deepStrictEqual(idsOf(second.versions), applied.slice(50))
      assert.deepStrictEqual([second.results, second.total_pages, second.current_page], [1, 2, 2])
      assert.notProperty(second, "next_page")
      for (const past of ["3", "99999999999999"]) {
        const empty = yield* pageOf(loki, past)
        assert.deepStrictEqual([empty.versions, empty.total_pages, empty.current_page], [[], 2, Number(past)])
      }
      for (const odd of ["0", "-1", "x", ""]) {
        assert.strictEqual((yield* pageOf(loki, odd)).current_page, 1)
      }
      const times = [...first.versions, ...second.versions].map(({ updated_at }) => Date.parse(updated_at))
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => b - a)
      )
      assert.strictEqual(new Set(times).size, 51)
      // A draft takes a place on the first page of those who see it.
      const own = yield* draft(freya, page)
      assert.deepStrictEqual(idsOf((yield* pageOf(freya, "1")).versions), [own.id, ...applied.slice(0, 49)])
      assert.deepStrictEqual(idsOf((yield* pageOf(freya, "2")).versions), applied.slice(49))
      assert.deepStrictEqual(idsOf((yield* pageOf(loki, "1")).versions), applied.slice(0, 50))
    })
  )

  it.effect("of a page that is missing or that the caller may not read are not found", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const missing = { slug: "missing", id: nobody }
      const hidden = yield* write(odin, "Hidden history", { visibility: "unlisted" })
      const version = yield* change(odin, hidden, {})
      for (const person of [freya, guest, mimir]) {
        assertProblem(yield* person.get(versionsPath(missing)), NodeNotFound, { node_slug: "missing" })
        for (const path of ["", "/draft", `/${version.id}`]) {
          assertProblem(yield* person.get(versionsPath(hidden, path)), NodeNotFound, {
            node_slug: hidden.slug
          })
        }
      }
    })
  )

  it.effect("that are large are fewer on a page, all of them whole, each once", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Heavy", { meta: { kept: true }, properties: [field("a", "1")] })
      const ids: Array<string> = []
      for (let n = 1; n <= 60; n++) ids.unshift((yield* change(odin, page, { name: `Heavy ${n}` })).id)
      const own = yield* draft(freya, page)
      yield* sql`update node_versions set content = repeat('x', case ordinal % 10 when 7 then 500000 else 100000 end)
        where node_id = ${page.id} and (ordinal % 3 = 1 or ordinal is null)`
      for (const [person, expected] of [
        [loki, ids],
        [freya, [own.id, ...ids]]
      ] as const) {
        const { counts, found } = yield* everyPage(person, versionsPath(page), "versions", 600_000)
        assert.deepStrictEqual(idsOf(found), expected)
        assert.isAbove(counts.length, 2)
        for (const version of found) {
          const { previous: _, ...alone } = ok(yield* person.get(versionsPath(page, `/${version.id}`)))
          assert.deepStrictEqual(version, alone)
        }
      }
      // Only the draft.
      yield* sql`update node_versions set content = 'x' where node_id = ${page.id} and ordinal is not null`
      assert.deepStrictEqual((yield* everyPage(loki, versionsPath(page), "versions")).counts, [50, 10])
      assert.deepStrictEqual((yield* everyPage(freya, versionsPath(page), "versions")).counts, [48, 13])
      // The last one takes no place that pages after it would have.
      yield* sql`update node_versions set content = repeat('x', case ordinal when 1 then 3000000 else 1 end)
        where node_id = ${page.id}`
      const last = yield* everyPage(loki, versionsPath(page), "versions", 3_000_000)
      assert.deepStrictEqual([idsOf(last.found), last.counts], [ids, [50, 10]])
    })
  )

  it.effect("cost the same wherever they are in a long history", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Very long history")
      yield* sql`insert into node_versions
          (id, node_id, author_id, created_at, updated_at, status, name, slug, properties, meta, ordinal)
        select lpad(n::text, 20, '0'), ${page.id}, ${odin.id}, 'epoch', 'epoch'::timestamptz + n * interval '1 second',
          'applied', n::text, 'x', '[]', '{}', n from generate_series(1, 20000) n`
      yield* sql`analyze node_versions`
      yield* draft(odin, page)
      const [plan] = yield* sql<{ readonly "QUERY PLAN": unknown }>`explain (analyze, format json)
        select name from node_versions v where v.node_id = ${page.id} and v.ordinal between 101 and 150`
      const found = JSON.stringify(plan)
      assert.match(found, /node_versions_ordinal/)
      const last = ok(yield* odin.get(`${versionsPath(page)}?page=401`))
      assert.deepStrictEqual(
        [last.total_pages, last.versions.map(({ name }: { name: string }) => name)],
        [401, ["1"]]
      )
    })
  )
})

layer(LibraryPeople.layer)("the list of drafts", (it) => {
  it.effect("has an account's own, and all for managers of the library", () =>
    Effect.gen(function* () {
      const { freya, loki, mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from node_versions where status = 'draft'`
      yield* sql`update node_draft_counts set drafts = 0`
      const page = yield* write(odin, "Listed", { content: "<p>Live.</p>" })
      const unlisted = yield* write(odin, "Unlisted", { visibility: "unlisted" })
      const own = yield* draft(freya, page, { name: "Proposed", content: "<p>Proposed.</p>" })
      const hidden = yield* draft(odin, unlisted)
      const applied = yield* change(odin, yield* write(odin, "Done"), {})
      const listed = (person: People.Person) =>
        Effect.map(person.get("/nodes/drafts"), (answer) => idsOf(ok(answer).drafts))
      assert.deepStrictEqual(yield* listed(freya), [own.id])
      assert.deepStrictEqual(yield* listed(loki), [])
      // Also on pages that they may not read.
      assert.deepStrictEqual(yield* listed(mimir), [hidden.id, own.id])
      assert.deepStrictEqual(yield* listed(odin), [hidden.id, own.id])
      assert.notInclude(yield* listed(odin), applied.id)
      const [shown] = ok(yield* freya.get("/nodes/drafts")).drafts
      const { node, ...version } = shown
      assert.deepStrictEqual(version, own)
      const live = yield* read(odin, page)
      for (const key of [
        "id",
        "name",
        "slug",
        "description",
        "owner",
        "visibility",
        "createdAt",
        "updatedAt"
      ]) {
        assert.deepStrictEqual(node[key], live[key], key)
      }
      for (const list of [
        "assets",
        "children",
        "child_property_schema",
        "properties",
        "recomentations",
        "tags"
      ]) {
        assert.deepStrictEqual(node[list], [], list)
      }
      ok(yield* freya.patch(versionsPath(page, "/draft"), { name: "Again" }))
      assert.deepStrictEqual(yield* listed(odin), [own.id, hidden.id])
    })
  )

  it.effect("is for accounts only, whatever guests may do", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assertProblem(yield* guest.get("/nodes/drafts"), Unauthenticated)
      yield* sql`update roles set permissions = '{ADMINISTRATOR}' where name = 'Guest'`
      assertProblem(yield* guest.get("/nodes/drafts"), Unauthenticated)
      yield* sql`update roles set permissions = '{READ_PUBLISHED_LIBRARY}' where name = 'Guest'`
    })
  )

  it.effect("has fifty on a page, the last changed first, and neither doubles nor gaps", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const writer = yield* signUp("writer")
      yield* grant(writer, "SUBMIT_LIBRARY_NODE_CHANGES")
      yield* sql`delete from node_versions where status = 'draft'`
      yield* sql`update node_draft_counts set drafts = 0`
      const ids: Array<string> = []
      for (let n = 0; n < 51; n++) ids.unshift((yield* draft(writer, yield* write(odin, `Page ${n}`))).id)
      for (const person of [writer, odin]) {
        const first = ok(yield* person.get("/nodes/drafts"))
        const second = ok(yield* person.get("/nodes/drafts?page=2"))
        assert.deepStrictEqual([...idsOf(first.drafts), ...idsOf(second.drafts)], ids)
        assert.deepStrictEqual([first.results, first.total_pages, first.next_page], [50, 2, 2])
        assert.deepStrictEqual([second.results, second.current_page], [1, 2])
        assert.notProperty(second, "next_page")
        const past = ok(yield* person.get("/nodes/drafts?page=3"))
        assert.deepStrictEqual([past.drafts, past.current_page, past.total_pages], [[], 3, 2])
      }
    })
  )

  it.effect("has fewer on a page where they are large, all of them whole, each once", () =>
    Effect.gen(function* () {
      const { mimir, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const writer = yield* signUp("heavy")
      yield* grant(writer, "SUBMIT_LIBRARY_NODE_CHANGES")
      yield* sql`delete from node_versions where status = 'draft'`
      yield* sql`update node_draft_counts set drafts = 0`
      const content = `<p>${"x".repeat(500_000)}</p>`
      const ids: Array<string> = []
      const own: Array<string> = []
      for (let n = 0; n < 32; n++) {
        const page = yield* write(odin, `Long ${n}`, n % 4 === 0 ? { content } : {})
        const author = n % 2 === 0 ? odin : writer
        const { id } = yield* draft(author, page, n % 3 === 1 ? { content } : {})
        ids.unshift(id)
        if (author === writer) own.unshift(id)
      }
      for (const [person, expected] of [
        [odin, ids],
        [mimir, ids],
        [writer, own]
      ] as const) {
        const { counts, found } = yield* everyPage(person, "/nodes/drafts", "drafts", 600_000)
        assert.deepStrictEqual(idsOf(found), expected)
        assert.isAbove(counts.length, 1)
        const lacking = new Set<string>()
        for (const { node, ...version } of found) {
          const path = `/nodes/${node.id}/versions/${version.id}`
          assert.deepStrictEqual(version, ok(yield* person.get(path)))
          const itself = yield* read(person, node)
          const omitted: ReadonlyArray<string> = node.misc.omitted ?? []
          for (const part of ["content", "properties", "tags", "meta"]) {
            assert.deepStrictEqual(node[part], omitted.includes(part) ? undefined : itself[part], part)
            if (omitted.includes(part)) assert.isNotEmpty(itself[part], part)
          }
          for (const part of omitted) lacking.add(part)
        }
        if (person !== writer) assert.sameMembers([...lacking], ["content"])
      }
      // Another's draft that is large moves nothing of one's own.
      yield* sql`update node_versions set content = '<p>x</p>' where author_id = ${writer.id}`
      assert.deepStrictEqual((yield* everyPage(writer, "/nodes/drafts", "drafts")).counts, [own.length])
    })
  )

  it.effect("comes before pages and versions of that name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const page = yield* write(odin, "Drafts")
      assert.strictEqual(page.slug, "drafts-1")
      assert.property(ok(yield* odin.get("/nodes/drafts")), "drafts")
      const version = yield* draft(odin, page)
      assert.strictEqual(ok(yield* odin.get(`/nodes/drafts-1/versions/draft`)).id, version.id)
    })
  )
})

layer(counting(LibraryPeople.layer))("lists of versions", (it) => {
  it.effect("take as many statements for many as for one", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Counted")
      const countOf = (person: People.Person, path: string) =>
        Effect.map(statementsOf(person.get(path)), ({ answer, statements }) => {
          ok(answer)
          return statements.length
        })
      yield* draft(freya, page)
      const one = [yield* countOf(odin, versionsPath(page)), yield* countOf(odin, "/nodes/drafts")]
      const drafted = ok(yield* odin.get(versionsPath(page, "/draft")))
      yield* apply(odin, page, drafted)
      for (let n = 0; n < 5; n++) yield* change(n % 2 === 0 ? odin : odin, page, { name: `n ${n}` })
      yield* draft(odin, page)
      for (let n = 0; n < 5; n++) yield* draft(freya, yield* write(odin, `Other ${n}`))
      yield* countOf(odin, versionsPath(page))
      yield* countOf(odin, "/nodes/drafts")
      const many = [yield* countOf(odin, versionsPath(page)), yield* countOf(odin, "/nodes/drafts")]
      assert.isAtMost(many[0] ?? 0, one[0] ?? 0)
      assert.isAtMost(many[1] ?? 0, one[1] ?? 0)
    })
  )
})
