/** Applying drafts: what becomes of the page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeDraftExists, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import { NodeVersionNotDraft, NodeVersionNotFound } from "../../src/domain/library/NodeVersion.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "../../src/domain/library/Property.ts"
import { ok } from "../support/answers.ts"
import { nobody } from "../support/people.ts"
import { assertInvalid, assertProblem, type ProblemClass } from "../support/problems.ts"
import * as LibraryPeople from "./versionSupport.ts"
import {
  apply,
  change,
  draft,
  field,
  read,
  Staff,
  tryApply,
  tryDraft,
  valuesOf,
  versionsPath,
  write
} from "./versionSupport.ts"

layer(LibraryPeople.layer)("applying a draft", (it) => {
  it.effect("makes the page what the draft says", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Before", {
        content: "<p>Before.</p>",
        meta: { before: true },
        tags: ["kept"],
        properties: [field("a", "before"), field("b", "gone")]
      })
      const before = yield* read(odin, page)
      const version = yield* draft(freya, page, {
        name: "After",
        slug: "after",
        description: "A proposed description",
        content: "<p>Proposed content.</p>",
        meta: { after: 1 },
        properties: [{ fid: before.properties[0].fid, name: "a", value: "after" }, field("c", "new")]
      })
      const applied = yield* apply(mimir, page, version)
      assert.strictEqual(applied.status, "applied")
      assert.isAbove(Date.parse(applied.updated_at), Date.parse(version.updated_at))
      // The version keeps its own words, and its author. Its properties are those that the page got.
      const after = yield* read(odin, page)
      assert.deepStrictEqual(
        { ...applied, status: "draft", updated_at: "" },
        { ...version, updated_at: "", properties: after.properties }
      )
      assert.deepStrictEqual(
        [after.name, after.slug, after.description, after.content, after.meta, after.current_version_id],
        [
          "After",
          "after",
          "Proposed content.",
          "<body><p>Proposed content.</p></body>",
          { after: 1 },
          version.id
        ]
      )
      assert.deepStrictEqual(valuesOf(after), ["a: after", "c: new"])
      assert.isAbove(Date.parse(after.updatedAt), Date.parse(before.updatedAt))
      for (const key of ["id", "owner", "visibility", "tags", "createdAt", "assets", "hide_child_tree"]) {
        assert.deepStrictEqual(after[key], before[key], key)
      }
      // The page answers under its new slug, and its versions under both.
      assert.strictEqual((yield* odin.get("/nodes/before")).status, 404)
      assert.strictEqual(ok(yield* odin.get("/nodes/after")).id, page.id)
      for (const path of ["after", page.id]) {
        assert.deepStrictEqual(ok(yield* freya.get(`/nodes/${path}/versions/${version.id}`)), applied)
      }
    })
  )

  it.effect("clears what the draft has not, and keeps what it has not changed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const { id: parent } = yield* write(odin, "Above emptied")
      const page = yield* write(odin, "Emptied", {
        parent,
        content: "<p>There.</p>",
        properties: [field("a", "1")]
      })
      yield* apply(odin, page, yield* draft(freya, page, { content: null, description: null }))
      const cleared = yield* read(odin, page)
      assert.notProperty(cleared, "content")
      assert.strictEqual(cleared.description, "")
      assert.deepStrictEqual(valuesOf(cleared), ["a: 1"])
      const described = yield* draft(freya, page, { description: "Only words" })
      yield* apply(odin, page, described)
      assert.strictEqual((yield* read(odin, page)).description, "Only words")
    })
  )

  it.effect("gives the page the description of its content, whoever wrote that", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Described", { content: "<h1>Title</h1><p>Own words.</p>" })
      const version = yield* draft(freya, page, { description: "Proposed" })
      const applied = yield* apply(odin, page, version)
      assert.strictEqual(applied.description, "Proposed")
      assert.strictEqual((yield* read(odin, page)).description, "Own words.")
      const rewritten = yield* draft(freya, page, { content: "<p>Written.</p>", description: "Proposed" })
      ok(yield* freya.patch(versionsPath(page, "/draft"), { content: "<p>Rewritten.</p>" }))
      yield* apply(odin, page, rewritten)
      assert.strictEqual((yield* read(odin, page)).description, "Rewritten.")
      const long = yield* write(odin, "Long", { content: `<p>Long.</p>${"<p>x &amp; y</p>".repeat(10_000)}` })
      yield* apply(odin, long, yield* draft(freya, long, { name: "Longer" }))
      const { content, description } = yield* read(odin, long)
      assert.match(description, /^Long\. x & y x & y/)
      assert.isAbove(content.length, 150_000)
    })
  )

  it.effect("needs a draft, and the only status that there is to give", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Once")
      const version = yield* draft(freya, page)
      const path = versionsPath(page, `/${version.id}/status`)
      for (const body of [{ status: "draft" }, { status: "done" }, { status: null }, {}]) {
        assertInvalid(yield* mimir.patch(path, body), "body status")
      }
      assertProblem(yield* tryApply(mimir, page, { id: nobody }), NodeVersionNotFound)
      yield* apply(mimir, page, version)
      assertProblem(yield* tryApply(odin, page, version), NodeVersionNotDraft, { version_id: version.id })
    })
  )

  it.effect("refuses a slug that another page has, and changes nothing", () =>
    Effect.gen(function* () {
      const { freya, mimir, odin } = yield* Staff
      const page = yield* write(odin, "Wanting", { properties: [field("want", "1")] })
      const taken = yield* write(odin, "Taken")
      const version = yield* draft(freya, page, {
        slug: "taken",
        name: "Never",
        properties: [field("other", "2")]
      })
      const before = yield* read(odin, page)
      assertProblem(yield* tryApply(mimir, page, version), NodeSlugTaken, { slug: "taken" })
      assert.deepStrictEqual(yield* read(odin, page), before)
      assert.deepStrictEqual(ok(yield* freya.get(versionsPath(page, "/draft"))), version)
      ok(yield* odin.patch(`/nodes/${taken.id}`, { slug: "given-up" }))
      yield* apply(mimir, page, version)
      assert.strictEqual((yield* read(odin, page)).slug, "taken")
    })
  )

  it.effect("of a draft that keeps the slug works whatever the draft says beside", () =>
    Effect.gen(function* () {
      const { odin } = yield* Staff
      const page = yield* write(odin, "Same slug")
      yield* change(odin, page, { slug: page.slug })
      assert.strictEqual((yield* read(odin, page)).slug, page.slug)
    })
  )

  it.effect("is what the page shows until it is changed otherwise", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Current")
      const current = Effect.map(read(odin, page), ({ current_version_id }) => current_version_id)
      assert.isUndefined(yield* current)
      const first = yield* change(odin, page, { name: "First" })
      assert.strictEqual(yield* current, first.id)
      const version = yield* draft(freya, page, { name: "Second" })
      assert.strictEqual(yield* current, first.id)
      ok(yield* freya.patch(versionsPath(page, "/draft"), { name: "Second again" }))
      ok(yield* freya.delete(versionsPath(page, `/${version.id}`)))
      assert.strictEqual(yield* current, first.id)
      const parent = yield* write(odin, "Above")
      for (const [path, body] of [
        ["/visibility", { visibility: "review" }],
        ["", { tags: ["other"], parent: parent.id, hide_child_tree: true }],
        ["/position", { parent: null }]
      ] as const) {
        ok(yield* odin.patch(`/nodes/${page.id}${path}`, body))
        assert.strictEqual(yield* current, first.id, path)
      }
      ok(yield* odin.patch(`/nodes/${page.id}`, { name: "Otherwise" }))
      assert.isUndefined(yield* current)
      const last = yield* change(odin, page, {})
      assert.strictEqual(yield* current, last.id)
    })
  )

  it.effect("ends what the draft kept from being changed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Freed")
      const version = yield* draft(freya, page)
      assertProblem(yield* odin.patch(`/nodes/${page.id}`, { name: "Freed" }), NodeDraftExists)
      yield* apply(odin, page, version)
      ok(yield* odin.patch(`/nodes/${page.id}`, { name: "Free" }))
      yield* draft(freya, page)
    })
  )

  it.effect("lets searches find what the page says now, and not before", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const page = yield* write(odin, "Searched", { content: "<p>xylophone</p>" })
      const found = (q: string) =>
        Effect.map(freya.get(`/datagraph?q=${q}&kind=node`), (answer) =>
          ok(answer).items.map(({ ref }: { readonly ref: { readonly id: string } }) => ref.id)
        )
      assert.deepStrictEqual(yield* found("xylophone"), [page.id])
      const version = yield* draft(freya, page, { name: "Quagga", content: "<p>zyzzyva</p>" })
      for (const q of ["quagga", "zyzzyva"]) assert.deepStrictEqual(yield* found(q), [])
      yield* apply(odin, page, version)
      for (const q of ["quagga", "zyzzyva"]) assert.deepStrictEqual(yield* found(q), [page.id])
      assert.deepStrictEqual(yield* found("xylophone"), [])
    })
  )

  it.effect("changes the validator of the page", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Staff
      const page = yield* write(odin, "Validated")
      const { headers } = yield* loki.get(`/nodes/${page.id}`)
      const unchanged = { headers: { "if-none-match": headers.etag ?? "" } }
      const version = yield* draft(freya, page)
      assert.strictEqual((yield* loki.get(`/nodes/${page.id}`, unchanged)).status, 304)
      yield* apply(odin, page, version)
      assert.strictEqual((yield* loki.get(`/nodes/${page.id}`, unchanged)).status, 200)
    })
  )
})

layer(LibraryPeople.layer)("the properties of a draft, when it is applied,", (it) => {
  it.effect("replace those of all siblings", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Table")
      const page = yield* write(odin, "Row", {
        parent: parent.id,
        properties: [field("a", "1"), field("b", "2")]
      })
      const sibling = yield* write(odin, "Other row", {
        parent: parent.id,
        properties: [field("a", "3"), field("b", "4")]
      })
      const fid = (yield* read(odin, page)).properties[0].fid
      const version = yield* draft(freya, page, {
        properties: [
          { fid, name: "renamed", value: "5" },
          { name: "c", type: "number", value: "6" }
        ]
      })
      assert.deepStrictEqual(valuesOf(yield* read(odin, sibling)), ["a: 3", "b: 4"])
      yield* apply(odin, page, version)
      assert.deepStrictEqual(valuesOf(yield* read(odin, page)).toSorted(), ["c: 6", "renamed: 5"])
      assert.deepStrictEqual(valuesOf(yield* read(odin, sibling)).toSorted(), ["c: ", "renamed: 3"])
    })
  )

  it.effect("stay as siblings have made them, if the draft does not change them", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Shared")
      const page = yield* write(odin, "Untouched", {
        parent: parent.id,
        properties: [field("a", "1"), field("b", "2")]
      })
      const sibling = yield* write(odin, "Busy", { parent: parent.id })
      const version = yield* draft(freya, page, { name: "Renamed" })
      const [a] = (yield* read(odin, page)).properties
      ok(
        yield* odin.patch(`/nodes/${sibling.id}/properties`, {
          properties: [
            { fid: a.fid, name: "renamed", value: "" },
            { name: "c", type: "text", value: "3", sort: "c" }
          ]
        })
      )
      yield* apply(odin, page, version)
      const after = yield* read(odin, page)
      assert.strictEqual(after.name, "Renamed")
      assert.deepStrictEqual(valuesOf(after), ["renamed: 1", "c: "])
      assert.deepStrictEqual(valuesOf(yield* read(odin, sibling)), ["renamed: ", "c: 3"])
    })
  )

  it.effect("leave alone the fields that siblings have been given since they were written", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Growing")
      const page = yield* write(odin, "Drafted", {
        parent: parent.id,
        properties: [field("a", "1"), field("b", "2")]
      })
      const sibling = yield* write(odin, "Grown", { parent: parent.id })
      const [a, b] = (yield* read(odin, page)).properties
      const version = yield* draft(freya, page, { properties: [{ fid: a.fid, name: "", value: "10" }] })
      const fields = [
        { fid: a.fid, name: "a", value: "" },
        { fid: b.fid, name: "b", value: "" },
        field("c", "3")
      ]
      ok(yield* odin.patch(`/nodes/${sibling.id}/properties`, { properties: fields }))
      yield* apply(odin, page, version)
      assert.deepStrictEqual(valuesOf(yield* read(odin, page)), ["a: 10", "c: "])
      assert.deepStrictEqual(valuesOf(yield* read(odin, sibling)), ["a: ", "c: 3"])
      // Saved once more, the draft knows the new field, and deletes it.
      const again = yield* draft(freya, page, { properties: [] })
      yield* apply(odin, page, again)
      assert.deepStrictEqual((yield* read(odin, sibling)).properties, [])
    })
  )

  it.effect("are a list of the fields that there were when they were written last", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Saved twice")
      const page = yield* write(odin, "Saving", { parent: parent.id, properties: [field("a", "1")] })
      const sibling = yield* write(odin, "Beside saving", { parent: parent.id })
      const [a] = (yield* read(odin, page)).properties
      const version = yield* draft(freya, page, { properties: [{ fid: a.fid, name: "", value: "2" }] })
      const add = (name: string) =>
        Effect.gen(function* () {
          const known = (yield* read(odin, sibling)).properties
          const properties = [...known, field(name, name)]
          ok(yield* odin.patch(`/nodes/${sibling.id}/properties`, { properties }))
        })
      yield* add("b")
      const save = (changes: object) => freya.patch(versionsPath(page, "/draft"), changes)
      ok(yield* save({ properties: [{ fid: a.fid, name: "", value: "3" }] }))
      yield* add("c")
      ok(yield* save({ name: "Saved" }))
      yield* apply(odin, page, version)
      assert.deepStrictEqual(valuesOf(yield* read(odin, page)), ["a: 3", "c: "])
      assert.deepStrictEqual(valuesOf(yield* read(odin, sibling)), ["a: ", "c: c"])
    })
  )

  it.effect("are refused as those of a page are, and nothing of the draft is applied", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Strict")
      const page = yield* write(odin, "Refusing", {
        parent: parent.id,
        properties: [field("a", "1"), field("b", "2")]
      })
      const before = yield* read(odin, page)
      const [a, b] = before.properties
      const refused: ReadonlyArray<readonly [ReadonlyArray<unknown>, ProblemClass<object>]> = [
        [[{ fid: nobody, name: "x", value: "" }], PropertyFieldUnknown],
        [[{ name: "x", value: "" }], PropertyTypeMissing],
        [[field("a", "")], PropertyFieldIdMissing],
        [
          [
            { fid: a.fid, name: "", value: "" },
            { fid: a.fid, name: "", value: "" }
          ],
          PropertyFieldTwice
        ],
        [
          [
            { fid: a.fid, name: "x", value: "" },
            { fid: b.fid, name: "x", value: "" }
          ],
          PropertyNameTaken
        ]
      ]
      const version = yield* draft(freya, page, { name: "Never" })
      for (const [properties, problem] of refused) {
        const saved = ok(yield* freya.patch(versionsPath(page, "/draft"), { properties }))
        assert.lengthOf(saved.properties, properties.length)
        assertProblem(yield* tryApply(odin, page, version), problem)
        assert.deepStrictEqual(yield* read(odin, page), before)
        assert.strictEqual(ok(yield* freya.get(versionsPath(page, "/draft"))).status, "draft")
      }
    })
  )

  it.effect(
    "are in the version what the page got, whatever became of its fields since they were drafted",
    () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Staff
        const parent = yield* write(odin, "Moving on")
        const [one, other] = [
          yield* write(odin, "Unsaid", { parent: parent.id, properties: [field("a", "1"), field("b", "2")] }),
          yield* write(odin, "Said", {
            parent: parent.id,
            properties: [
              { name: "a", value: "3" },
              { name: "b", value: "4" }
            ]
          })
        ]
        const [a, b] = (yield* read(odin, other)).properties
        const unsaid = yield* draft(freya, one, { name: "Unsaid by now" })
        // Freya sends what she was shown, with another value and a name of her own.
        const said = yield* draft(freya, other, {
          properties: [
            { ...a, value: "5" },
            { ...b, name: "mine" }
          ]
        })
        const fields = [
          { fid: a.fid, name: "renamed", type: "number", sort: "9" },
          { fid: b.fid, name: "b", type: "boolean", sort: "1" },
          { name: "late", type: "text", sort: "0" }
        ]
        ok(yield* odin.patch(`/nodes/${parent.id}/children/property-schema`, fields))
        // Drafts say what their authors knew.
        assert.deepStrictEqual(valuesOf(ok(yield* freya.get(versionsPath(one, "/draft")))), ["a: 1", "b: 2"])
        for (const [page, version, expected] of [
          [one, unsaid, ["late: ", "b: 2", "renamed: 1"]],
          [other, said, ["late: ", "mine: 4", "renamed: 5"]]
        ] as const) {
          const { properties } = yield* apply(odin, page, version)
          const after = yield* read(odin, page)
          assert.deepStrictEqual(properties, after.properties)
          assert.deepStrictEqual(valuesOf(after), [...expected])
          const types = after.properties.map(({ type }: { readonly type: string }) => type)
          assert.deepStrictEqual(types, ["text", "boolean", "number"])
        }
      })
  )

  it.effect("are refused if there would be too many fields", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const parent = yield* write(odin, "Wide")
      const page = yield* write(odin, "Widest", { parent: parent.id })
      const sibling = yield* write(odin, "Wider", { parent: parent.id })
      const properties = Array.from({ length: 100 }, (_, n) => field(`f${n}`, String(n)))
      const version = yield* draft(freya, page, { properties })
      ok(yield* odin.patch(`/nodes/${sibling.id}/properties`, { properties: [field("one", "1")] }))
      assertProblem(yield* tryApply(odin, page, version), TooManyPropertyFields, { maximum: 100 })
      ok(yield* freya.patch(versionsPath(page, "/draft"), { properties: properties.slice(1) }))
      yield* apply(odin, page, version)
      assert.lengthOf((yield* read(odin, page)).properties, 99)
    })
  )

  it.effect("are those of the group that the page is in by then", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const [from, to] = [yield* write(odin, "From"), yield* write(odin, "To")]
      const page = yield* write(odin, "Moved", { parent: from.id, properties: [field("a", "1")] })
      const version = yield* draft(freya, page, { name: "Moved on" })
      ok(yield* odin.patch(`/nodes/${page.id}`, { parent: to.id }))
      yield* apply(odin, page, version)
      assert.deepStrictEqual(valuesOf(yield* read(odin, page)), ["a: 1"])
      const again = yield* draft(freya, page, { properties: [field("b", "2")] })
      ok(yield* odin.patch(`/nodes/${page.id}`, { parent: from.id }))
      yield* apply(odin, page, again)
      // What came along is emptied, as its author has left it out; fields in the other group stay.
      assert.deepStrictEqual(valuesOf(yield* read(odin, page)), ["a: ", "b: 2"])
    })
  )

  it.effect("are kept as they were written", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Staff
      const sql = yield* SqlClient.SqlClient
      const page = yield* write(odin, "Verbatim")
      const value = "  “quoted” \\ \n\t' ; -- é 👩‍👩‍👧 "
      const version = yield* draft(freya, page, { properties: [field("odd", value)], meta: { odd: value } })
      assert.strictEqual(version.properties[0].value, value)
      yield* apply(odin, page, version)
      const after = yield* read(odin, page)
      assert.deepStrictEqual([after.properties[0].value, after.meta], [value, { odd: value }])
      const [row] = yield* sql<{ readonly n: number }>`select count(*)::int as n from node_versions
        where node_id = ${page.id} and ordinal = 1`
      assert.strictEqual(row?.n, 1)
      assert.strictEqual((yield* tryDraft(freya, page)).status, 200)
    })
  )
})
