/** `ETag` and `If-None-Match` of a page (RFC 9110, 13). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { asset, open } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person, reinstate } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { counting, statementsOf } from "../support/statements.ts"
import { page, setChildFields, setFields, setProperties, valuesOf } from "./propertySupport.ts"
import { many, namesOf, shown } from "./readSupport.ts"

const image = "as000000000000000010"

const published = { visibility: "published" }

/** Asserts what a person gets who asks whether a page has changed. */
const assertUnchanged = Effect.fnUntraced(function* (
  person: Person,
  path: string,
  tag: string,
  about: string
) {
  const answer = yield* person.get(path, ifNoneMatch(tag))
  assert.strictEqual(answer.status, 304, about)
  assert.strictEqual(answer.text, "", about)
  assert.strictEqual(answer.headers.etag, tag, about)
  const caching = person === guest ? "public, no-cache" : "private, no-cache"
  assert.strictEqual(answer.headers["cache-control"], caching, about)
  assert.isUndefined(answer.headers["last-modified"], about)
})

layer(People.layer)("If-None-Match for a page", (it) => {
  it.effect("matches as long as nothing has changed, under all addresses", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* page(odin, "Kept", published)
      const tag = yield* etagOf(guest, "/nodes/kept")
      for (const person of [guest, freya, odin]) {
        for (const mark of ["kept", id, `${id}-anything`]) {
          const path = `/nodes/${mark}`
          assert.strictEqual(yield* etagOf(person, path), tag)
          yield* assertUnchanged(person, path, tag, mark)
          for (const other of ['"other"', `W/${tag}`, tag.slice(1, -1), `${tag}, "other"`, "*", ""]) {
            assert.strictEqual(ok(yield* person.get(path, ifNoneMatch(other))).id, id, other)
          }
        }
        const answer = yield* person.get("/nodes/kept", {
          headers: { "if-modified-since": "Fri, 31 Dec 2199 23:59:59 GMT" }
        })
        assert.strictEqual(ok(answer).id, id)
        assert.isUndefined(answer.headers["last-modified"])
        const caching = person === guest ? "public, no-cache" : "private, no-cache"
        assert.strictEqual(answer.headers["cache-control"], caching)
      }
    })
  )

  it.effect("stops matching with every change of what the page shows", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* asset(image)
      const above = yield* page(odin, "Above", published)
      const node = yield* page(odin, "Watched", { ...published, parent: "above" })
      const first = yield* page(freya, "First", { parent: "watched" })
      const second = yield* page(odin, "Second", { ...published, parent: "watched" })
      yield* page(odin, "Low", { ...published, parent: "second" })
      yield* page(odin, "Elsewhere", published)
      yield* page(loki, "Beside", { parent: "above" })
      const show = (id: string, visibility: string) => odin.patch(`/nodes/${id}/visibility`, { visibility })
      const edit = (mark: string, changes: object) => odin.patch(`/nodes/${mark}`, changes)
      const field = { name: "Field", type: "text", sort: "1" }
      let fid = ""
      let own = ""
      const changes: ReadonlyArray<
        readonly [string, Effect.Effect<unknown, unknown, HttpClient.HttpClient>]
      > = [
        ["the name", edit(node.id, { name: "Seen" })],
        ["the content", edit(node.id, { content: "<p>Text</p>" })],
        ["metadata", edit(node.id, { meta: { a: 1 } })],
        ["tags", edit(node.id, { tags: ["tagged"] })],
        ["a link", edit(node.id, { url: "https://example.org/about" })],
        ["no link", edit(node.id, { url: null })],
        ["a link again", edit(node.id, { url: "https://example.org/about" })],
        ["what is known of the link", sql`update links set title = 'Read'`],
        ["a file", odin.put(`/nodes/${node.id}/assets/${image}`)],
        ["no file", odin.delete(`/nodes/${node.id}/assets/${image}`)],
        ["an image", edit(node.id, { primary_image_asset_id: image })],
        ["hiding its children", edit(node.id, { hide_child_tree: true })],
        ["the owner's name", odin.patch("/accounts", { name: "Wotan" })],
        ["a thread with its tag", open(freya, "Tagged", { tags: ["tagged"] })],
        ["the page above", edit(above.id, { name: "Over" })],
        ["an unseen child that is published", show(first.id, "published")],
        ["the name of a child", edit(first.id, { name: "Erste" })],
        ["the owner of a child", freya.patch("/accounts", { name: "Freyja" })],
        ["tags of a child", edit(first.id, { tags: ["low"] })],
        ["a thread with the tag of a child", open(freya, "Low", { tags: ["low"] })],
        ["no link of its own", edit(node.id, { url: null })],
        ["a link of a child", edit(first.id, { url: "https://example.org/child" })],
        [
          "what is known of the link of a child",
          sql`update links set title = 'Child' where url = 'https://example.org/child'`
        ],
        ["a file of a child", odin.put(`/nodes/${first.id}/assets/${image}`)],
        ["fields of the children", setChildFields(odin, node.id, [field])],
        ["fields of the children of a child", setChildFields(odin, second.id, [field])],
        [
          "the value of a child",
          Effect.gen(function* () {
            fid = ok(yield* guest.get(`/nodes/${node.id}`)).child_property_schema[0].fid
            ok(yield* setProperties(odin, first.id, [{ fid, name: "", value: "x" }]))
          })
        ],
        [
          "the same length of the value of a child",
          Effect.suspend(() => setProperties(odin, first.id, [{ fid, name: "", value: "y" }]))
        ],
        [
          "the name of a field",
          Effect.suspend(() => setChildFields(odin, node.id, [{ ...field, fid, name: "Other" }]))
        ],
        [
          "the type of a field",
          Effect.suspend(() => setFields(odin, first.id, [{ ...field, fid, type: "number" }]))
        ],
        ["no fields", setChildFields(odin, node.id, [])],
        ["fields that it shares with its siblings", setChildFields(odin, above.id, [field])],
        ["fields of the page above, at the top level", setFields(odin, above.id, [field])],
        ["no fields of the page above", setFields(odin, above.id, [])],
        [
          "fields that a sibling has changed",
          Effect.gen(function* () {
            own = ok(yield* guest.get(`/nodes/${node.id}`)).properties[0].fid
            ok(yield* setFields(odin, "beside", [{ ...field, fid: own, sort: "2" }]))
          })
        ],
        [
          "its own value",
          Effect.suspend(() => setProperties(odin, node.id, [{ fid: own, name: "", value: "mine" }]))
        ],
        ["the order of children", odin.patch(`/nodes/${second.id}/position`, { before: first.id })],
        ["a child that is added", page(odin, "Third", { ...published, parent: node.id })],
        ["a child that is moved away", odin.patch("/nodes/third/position", { parent: null })],
        ["a child that comes back", odin.put(`/nodes/${node.id}/nodes/third`)],
        ["a child that is hidden", show("third", "draft")],
        ["a child that is seen again", show("third", "published")],
        ["a child that is deleted", odin.delete("/nodes/third")],
        ["the page above, which is hidden", show(above.id, "draft")],
        ["the page above, which is seen again", show(above.id, "published")],
        ["the slug", edit(node.id, { slug: "unwatched" })],
        ["its place", odin.patch(`/nodes/${node.id}/position`, { parent: null })],
        ["fields of its own", setFields(odin, node.id, [field])],
        ["no fields of its own", setFields(odin, node.id, [])],
        [
          "its owner, who is suspended",
          Effect.asVoid(sql`update accounts set suspended_at = 'epoch' where id = ${freya.id}`)
        ]
      ]
      const path = `/nodes/${node.id}`
      const sorted = `${path}?children_sort=-name`
      let tag = yield* etagOf(guest, path)
      let sortedTag = yield* etagOf(guest, sorted)
      const texts = new Map<string, string>()
      for (const [what, change] of changes) {
        yield* assertUnchanged(guest, path, tag, what)
        yield* assertUnchanged(guest, sorted, sortedTag, what)
        const answer = yield* change
        if (typeof answer === "object" && answer !== null && "status" in answer) {
          assert.strictEqual(answer.status, 200, what)
        }
        yield* drainEvents
        const now = yield* guest.get(path, ifNoneMatch(tag))
        assert.strictEqual(now.status, 200, what)
        assert.strictEqual(now.text, (yield* guest.get(path)).text)
        tag = now.headers.etag ?? ""
        // What is as it was before may have the tag that it had.
        assert.strictEqual(texts.get(tag) ?? now.text, now.text, what)
        texts.set(tag, now.text)
        const nowSorted = yield* guest.get(sorted, ifNoneMatch(sortedTag))
        assert.strictEqual(nowSorted.status, 200, what)
        sortedTag = nowSorted.headers.etag ?? ""
      }
      yield* reinstate(freya)
    })
  )

  it.effect("stops matching when the page that contains it gets other fields, which it shows as well", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const outer = yield* page(odin, "Outer", published)
      const middle = yield* page(odin, "Middle", { ...published, parent: outer.id })
      const inner = yield* page(odin, "Inner", { ...published, parent: middle.id })
      const path = `/nodes/${inner.id}`
      const field = { name: "Field", type: "text", sort: "1" }
      let tag = yield* etagOf(guest, path)
      for (const [fields, shown] of [
        [[field], ["Field="]],
        [[{ ...field, name: "Other" }], ["Other="]],
        [[], []]
      ] as const) {
        yield* assertUnchanged(guest, path, tag, shown.join())
        ok(yield* setChildFields(odin, outer.id, fields))
        const answer = yield* guest.get(path, ifNoneMatch(tag))
        const { parent, properties } = ok(answer)
        assert.deepStrictEqual(valuesOf(parent.properties), [...shown])
        assert.deepStrictEqual([parent.children, parent.child_property_schema, properties], [[], [], []])
        tag = answer.headers.etag ?? ""
      }
    })
  )

  it.effect("goes on matching when other pages change, and children that the viewer does not see", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const node = yield* page(odin, "Calm", published)
      const hidden = yield* shown(freya, "Hidden", "draft", { parent: "calm" })
      yield* page(odin, "Loud", published)
      const path = `/nodes/${node.id}`
      const tag = yield* etagOf(guest, path)
      ok(yield* odin.patch("/nodes/loud", { name: "Louder" }))
      ok(yield* freya.patch(`/nodes/${hidden.id}`, { name: "Still hidden" }))
      yield* page(odin, "Below loud", { ...published, parent: "loud" })
      yield* assertUnchanged(guest, path, tag, "others")
      const own = yield* etagOf(freya, path)
      assert.notStrictEqual(own, tag)
      ok(yield* freya.patch(`/nodes/${hidden.id}`, { name: "Hidden again" }))
      assert.strictEqual((yield* freya.get(path, ifNoneMatch(own))).status, 200)
    })
  )

  it.effect("never matches for a viewer who is shown something else", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const node = yield* page(odin, "Seen by all", published)
      yield* shown(freya, "Of Freya", "draft", { parent: node.id })
      yield* shown(loki, "Of Loki", "draft", { parent: node.id })
      yield* shown(loki, "In review", "review", { parent: node.id })
      yield* many(odin, node.id, 150)
      yield* shown(freya, "Late", "draft", { parent: node.id })
      // Of this one, all viewers see the same first children.
      const long = yield* page(odin, "Long", published)
      yield* many(odin, long.id, 100)
      yield* shown(freya, "Last", "draft", { parent: long.id })
      const late = "children_sort=-name&page=2"
      for (const path of [`/nodes/${node.id}`, `/nodes/${node.id}?${late}`, `/nodes/${long.id}?${late}`]) {
        const tags = new Map<string, string>()
        for (const viewer of [guest, freya, loki, odin, guest, freya, loki, odin]) {
          const answer = yield* viewer.get(path)
          const names = namesOf(ok(answer).children).join()
          const { etag = "" } = answer.headers
          assert.strictEqual(tags.get(etag) ?? names, names, viewer.id)
          tags.set(etag, names)
          for (const other of [guest, freya, loki, odin]) {
            const asked = yield* other.get(path, ifNoneMatch(etag))
            if (asked.status === 304)
              assert.strictEqual(namesOf(ok(yield* other.get(path)).children).join(), names)
          }
        }
      }
      const [first, second, other] = yield* Effect.all([
        etagOf(guest, `/nodes/${node.id}?children_sort=name`),
        etagOf(guest, `/nodes/${node.id}?children_sort=name&page=2`),
        etagOf(guest, `/nodes/${node.id}?children_sort=${encodeURIComponent('-"é ☃')}`)
      ])
      assert.lengthOf(new Set([first, second, other, yield* etagOf(guest, `/nodes/${node.id}`)]), 4)
    })
  )

  it.effect("does not help those who may not see the page, nor under a slug that it had", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* page(freya, "Secret")
      const tag = yield* etagOf(freya, "/nodes/secret")
      for (const person of [guest, loki, odin]) {
        assertProblem(yield* person.get("/nodes/secret", ifNoneMatch(tag)), NodeNotFound)
      }
      const restrict = (change: string) =>
        sql.unsafe(`update roles
        set permissions = ${change}(permissions, 'READ_PUBLISHED_LIBRARY') where name = 'Member'`)
      yield* restrict("array_remove")
      assertProblem(yield* freya.get("/nodes/secret", ifNoneMatch(tag)), Forbidden)
      yield* restrict("array_append")
      yield* assertUnchanged(freya, "/nodes/secret", yield* etagOf(freya, "/nodes/secret"), "again")
      ok(yield* odin.patch(`/nodes/${id}`, { slug: "secrets" }))
      assertProblem(yield* freya.get("/nodes/secret", ifNoneMatch(tag)), NodeNotFound)
      const now = yield* etagOf(freya, "/nodes/secrets")
      ok(yield* freya.delete(`/nodes/${id}`))
      for (const mark of ["secrets", id]) {
        assertProblem(yield* freya.get(`/nodes/${mark}`, ifNoneMatch(now)), NodeNotFound)
      }
    })
  )
})

layer(counting(People.layer))("a node that has not changed", (it) => {
  it.effect("is answered by who asks and its summary, with the tag or without", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* page(odin, "Known", published)
      yield* page(odin, "Child", { ...published, parent: id })
      for (const viewer of [guest, freya]) {
        const tag = yield* etagOf(viewer, "/nodes/known")
        for (const call of [viewer.get("/nodes/known"), viewer.get(`/nodes/${id}`, ifNoneMatch(tag))]) {
          const { statements } = yield* statementsOf(call)
          assert.lengthOf(statements, 2)
        }
      }
    })
  )
})
