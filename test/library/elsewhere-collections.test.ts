/** Pages of the library in collections: the rules of posts, for pages. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import {
  CollectionFull,
  CollectionNotFound,
  CollectionNotYours,
  itemsMax,
  submissionsByOneMax,
  TooManySubmissions
} from "../../src/domain/collection/Collection.ts"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { create, itemIds, membershipsOf, placeOf, seenBy } from "../collection/support.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, nobody, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { furnish, openLibrary, page, referenceOf, show } from "./elsewhere.ts"

const nodePlace = (collection: string, node: string) => `/collections/${collection}/nodes/${node}`

const add = (by: Person, collection: string, node: string) =>
  Effect.map(by.put(nodePlace(collection, node)), ok)

const remove = (by: Person, collection: string, node: string) =>
  Effect.map(by.delete(nodePlace(collection, node)), ok)

/** What a list of collections says of one: how many items it has, and whether it has this one. */
const counted = (by: Person, collection: { readonly id: string }, item: string) =>
  Effect.map(by.get(`/collections?has_item=${item}`), (answer) => {
    const one = ok(answer).collections.find(({ id }: { readonly id: string }) => id === collection.id)
    return [one.item_count, one.has_queried_item]
  })

layer(People.layer)("a page in a collection", (it) => {
  it.effect("is shown as it is elsewhere, among posts, what was added last first", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* create(freya, "Mixed")
      const thread = yield* open(freya, "Thread")
      const node = yield* page(odin, "Handbook", {
        content: "<p>How we work.</p>",
        tags: ["team"],
        meta: { a: [1] }
      })
      yield* furnish(odin, node)
      yield* add(freya, id, node.id)
      ok(yield* freya.put(placeOf(id, thread.id)))
      const collection = ok(yield* freya.get(`/collections/${id}`))
      assert.deepStrictEqual(itemIds(collection), [thread.id, node.id])
      const { added_at: _, ...item } = collection.items[1]
      const ref = referenceOf(ok(yield* freya.get(`/nodes/${node.id}`)))
      const { createdAt, updatedAt } = ref
      assert.deepStrictEqual(item, {
        ...{ id: node.id, createdAt, updatedAt, misc: {}, owner: node.owner },
        membership_type: "normal",
        item: { kind: "node", ref }
      })
      assert.deepStrictEqual(yield* counted(guest, { id }, node.id), [2, true])
      assert.deepStrictEqual(yield* counted(guest, { id }, thread.id), [2, true])
      assert.deepStrictEqual(itemIds(yield* remove(freya, id, node.id)), [thread.id])
      assert.deepStrictEqual(itemIds(yield* remove(freya, id, node.id)), [thread.id])
      assert.deepStrictEqual(yield* counted(guest, { id }, node.id), [1, false])
    })
  )

  it.effect("added again changes nothing, though others wrote it and others add it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = yield* create(freya, "Repeated")
      const node = yield* page(odin, "Repeated")
      const before = yield* add(freya, id, node.id)
      for (const by of [freya, odin, loki, freya]) {
        assert.deepStrictEqual(membershipsOf(yield* add(by, id, node.id)), [[node.id, "normal"]])
      }
      assert.deepStrictEqual(ok(yield* freya.get(`/collections/${id}`)), before)
    })
  )

  it.effect("that there is not is not found, and neither is one by its slug or a post", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = yield* create(freya, "Unknown")
      const node = yield* page(odin, "Known")
      // A slug that looks like an id is none.
      const disguised = yield* page(odin, "Disguised", { slug: "0123456789abcdefghi0" })
      const thread = yield* open(freya, "Thread")
      const gone = yield* page(odin, "Gone")
      ok(yield* odin.delete(`/nodes/${gone.id}`))
      for (const send of [freya.put, freya.delete, loki.put, loki.delete]) {
        for (const one of [nobody, "x", node.slug, `${node.id}-x`, disguised.slug, thread.id, gone.id]) {
          assertProblem(yield* send(nodePlace(id, encodeURIComponent(one))), NodeNotFound, { node_slug: one })
        }
        assertProblem(yield* send(nodePlace(nobody, node.id)), CollectionNotFound, {
          collection_mark: nobody
        })
        assertProblem(yield* send(placeOf(id, node.id)), PostNotFound, { post_id: node.id })
      }
      assert.deepStrictEqual(yield* seenBy(freya, id), [])
    })
  )

  it.effect("needs an account to be added or removed, and COLLECTION_SUBMIT to be submitted", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create(freya, "Guarded")
      const node = yield* page(odin, "Guarded")
      assertProblem(yield* guest.put(nodePlace(id, node.id)), Unauthenticated)
      assertProblem(yield* guest.delete(nodePlace(id, node.id)), Unauthenticated)
      yield* sql`update roles set permissions = array_remove(permissions, 'COLLECTION_SUBMIT') where name = 'Member'`
      assertProblem(yield* loki.put(nodePlace(id, node.id)), Forbidden, { permission: "COLLECTION_SUBMIT" })
      yield* add(freya, id, node.id)
      yield* sql`update roles set permissions = permissions || '{COLLECTION_SUBMIT}' where name = 'Member'`
    })
  )

  it.effect("that was submitted awaits the owner, who accepts it; others reject nothing", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_COLLECTIONS")
      const { id } = yield* create(freya, "Submissions")
      const node = yield* page(odin, "Submitted")
      const memberships = Effect.map(freya.get(`/collections/${id}`), (answer) => membershipsOf(ok(answer)))
      for (const by of [loki, loki, tyr, odin, keeper]) yield* add(by, id, node.id)
      assert.deepStrictEqual(yield* memberships, [[node.id, "submission_review"]])
      assert.deepStrictEqual(yield* counted(freya, { id }, node.id), [1, false])
      assert.deepStrictEqual(yield* counted(loki, { id }, node.id), [0, false])
      assertProblem(yield* tyr.delete(nodePlace(id, node.id)), CollectionNotYours)
      for (const by of [loki, keeper, freya]) {
        assert.deepStrictEqual(itemIds(yield* remove(by, id, node.id)), [])
        yield* add(loki, id, node.id)
      }
      yield* add(freya, id, node.id)
      yield* add(loki, id, node.id)
      assert.deepStrictEqual(yield* memberships, [[node.id, "submission_accepted"]])
      assert.deepStrictEqual(yield* counted(guest, { id }, node.id), [1, true])
      assertProblem(yield* loki.delete(nodePlace(id, node.id)), CollectionNotYours)
    })
  )
})

layer(People.layer)("who sees pages in a collection", (it) => {
  it.effect("are its owner and administrators, and others those of what is published and accepted", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { id } = yield* create(freya, "Four")
      const own = yield* page(odin, "Published")
      const pending = yield* page(odin, "Pending")
      const unlisted = yield* page(loki, "Unlisted", { visibility: "unlisted" })
      const review = yield* page(loki, "Review", { visibility: "review" })
      yield* add(freya, id, own.id)
      yield* add(tyr, id, pending.id)
      for (const { id: node } of [unlisted, review]) yield* add(loki, id, node)
      yield* add(freya, id, unlisted.id)
      const all = [review.id, unlisted.id, pending.id, own.id]
      for (const person of [freya, odin]) assert.deepStrictEqual(yield* seenBy(person, id), all)
      assert.deepStrictEqual(yield* seenBy(loki, id), [review.id, unlisted.id, own.id])
      const stranger = yield* signUp("stranger")
      for (const person of [guest, stranger, tyr]) assert.deepStrictEqual(yield* seenBy(person, id), [own.id])
      // What its owner hides is no longer shown to the owner of the collection, nor to administrators.
      yield* show(odin, own, "draft")
      yield* show(loki, unlisted, "draft")
      assert.deepStrictEqual(yield* seenBy(guest, id), [])
      assert.notInclude(yield* seenBy(freya, id), own.id)
      assert.include(yield* seenBy(odin, id), own.id)
      yield* show(odin, own, "published")
      assert.deepStrictEqual(yield* seenBy(guest, id), [own.id])
    })
  )

  it.effect("are not those who may not read them, who cannot add them either", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = yield* create(freya, "No way in")
      for (const visibility of ["draft", "unlisted", "review"]) {
        const node = yield* page(loki, `Loki's ${visibility}`, { visibility })
        assertProblem(yield* freya.put(nodePlace(id, node.id)), NodeNotFound, { node_slug: node.id })
        assertProblem(yield* freya.delete(nodePlace(id, node.id)), NodeNotFound, { node_slug: node.id })
        assert.deepStrictEqual(yield* counted(freya, { id }, node.id), [0, false])
      }
      const node = yield* page(odin, "Open")
      yield* add(freya, id, node.id)
      yield* openLibrary(false)
      for (const person of [guest, freya]) {
        assert.deepStrictEqual(yield* seenBy(person, id), [])
        assert.deepStrictEqual(yield* counted(person, { id }, node.id), [0, false])
      }
      assertProblem(yield* loki.put(nodePlace(id, node.id)), NodeNotFound)
      yield* openLibrary(true)
      assert.deepStrictEqual(yield* seenBy(guest, id), [node.id])
    })
  )

  it.effect("are nobody once they are deleted, and then they no longer count", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create(freya, "Deleted")
      const [gone, kept] = [yield* page(odin, "Gone"), yield* page(odin, "Kept")]
      for (const node of [gone, kept]) yield* add(freya, id, node.id)
      ok(yield* odin.delete(`/nodes/${gone.id}`))
      for (const person of [freya, odin, guest]) assert.deepStrictEqual(yield* seenBy(person, id), [kept.id])
      yield* drainEvents
      assert.deepStrictEqual(yield* counted(guest, { id }, gone.id), [1, false])
      assert.deepStrictEqual(yield* sql`select node_id from collection_items where collection_id = ${id}`, [
        { node_id: kept.id }
      ])
    })
  )
})

layer(People.layer)("pages in a collection", (it) => {
  /** Fills a collection with pages, straight in the database. */
  const fill = Effect.fnUntraced(function* (
    collection: { readonly id: string; readonly owner: { readonly id: string } },
    by: string,
    count: number,
    type: string
  ) {
    const sql = yield* SqlClient.SqlClient
    const prefix = `${collection.id.slice(-6)}${type.slice(0, 1)}`
    yield* sql`insert into nodes (id, created_at, updated_at, owner_id, position, name, name_form, slug, visibility)
      select ${prefix} || lpad(n::text, 12, '0') || '0', now(), now(), ${by}, ${prefix} || lpad(n::text, 12, '0'),
        repeat('n', 255), 'n', ${prefix} || n, 'published' from generate_series(1, ${count}::int) n`
    yield* sql`insert into collection_items
        (id, collection_id, owner_id, added_by, added_at, membership_type, node_id)
      select id, ${collection.id}, ${collection.owner.id}, ${by}, '1969-12-31Z', ${type}, id
      from nodes where id like ${`${prefix}%`}`
  })

  it.effect("count towards the same limits as posts, which hold in parallel", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const collection = yield* create(freya, "Full")
      yield* fill(collection, odin.id, itemsMax - 2, "normal")
      const nodes = yield* Effect.forEach([1, 2, 3], (n) => page(odin, `Last ${n}`))
      const threads = yield* Effect.forEach([1, 2], (n) => open(odin, `Last ${n}`))
      const answers = yield* Effect.all(
        [
          ...nodes.map(({ id }) => freya.put(nodePlace(collection.id, id))),
          ...threads.map(({ id }) => freya.put(placeOf(collection.id, id)))
        ],
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 3)
      for (const answer of refused) assertProblem(answer, CollectionFull, { maximum: itemsMax })

      const other = yield* create(freya, "Submissions")
      yield* fill(other, loki.id, submissionsByOneMax - 1, "submission_review")
      const submitted = yield* Effect.all(
        nodes.map(({ id }) => loki.put(nodePlace(other.id, id))),
        { concurrency: "unbounded" }
      )
      const beyond = submitted.filter(({ status }) => status !== 200)
      assert.lengthOf(beyond, 2)
      for (const answer of beyond) assertProblem(answer, TooManySubmissions, { maximum: submissionsByOneMax })
    })
  )

  it.effect("are shown within the bytes of a list, without their texts where these do not fit", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const collection = yield* create(freya, "Long")
      const content = `<p>${"words ".repeat(40_000)}</p>`
      const long = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) =>
        page(odin, `Long ${n}`, { content, meta: { a: "m".repeat(60_000) }, tags: [`tag-${n}`] })
      )
      yield* fill(collection, odin.id, itemsMax - long.length, "normal")
      for (const { id } of long) yield* add(freya, collection.id, id)
      const answer = yield* guest.get(`/collections/${collection.id}`)
      assert.isBelow(answer.text.length, 1.25 * room)
      const { items } = ok(answer)
      assert.lengthOf(items, itemsMax)
      const shown = items.slice(0, long.length).map(({ item }: (typeof items)[0]) => item.ref)
      // Beside so many others there is room for what they say in brief, and for none of the texts.
      for (const ref of shown) {
        assert.deepStrictEqual(ref.misc, { omitted: ["content"] })
        assert.notProperty(ref, "content")
        assert.strictEqual(ref.meta.a.length, 60_000)
        assert.lengthOf(ref.tags, 1)
        assert.match(ref.description, /^words/)
      }
    })
  )
})
