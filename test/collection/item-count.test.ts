/** The number of items that a collection says it has: what its viewer finds in it, wherever it is shown. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { page } from "../library/elsewhere.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, signUp } from "../support/people.ts"
import { create, seenBy } from "./support.ts"

const visibilities = ["draft", "unlisted", "review", "published"] as const
const memberships = ["normal", "submission_accepted", "submission_review"] as const

/** The collection as lists show it to somebody. */
const listed = (viewer: Person, id: string, search = "") =>
  Effect.map(viewer.get(`/collections?page=1${search}`), (answer) =>
    ok(answer).collections.find((one: Answer["json"]) => one.id === id)
  )

layer(People.layer)("the number of items", (it) => {
  it.effect("is what each viewer finds, whatever the items are, who made them and who added them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const librarian = yield* signUp("librarian")
      yield* grant(librarian, "MANAGE_LIBRARY")
      const curator = yield* signUp("curator")
      yield* grant(curator, "MANAGE_COLLECTIONS")
      const { id } = yield* create(freya, "All kinds")
      const posts: Array<readonly [string, string]> = []
      const nodes: Array<string> = []
      for (const author of [freya, loki]) {
        for (const visibility of visibilities) {
          for (let n = 0; n < memberships.length; n++) {
            const thread = yield* open(author, `${visibility} ${n}`)
            const answer = yield* reply(loki, thread.id, "answer")
            yield* sql`update posts set visibility = ${visibility} where id = ${answer.id}`
            yield* sql`update threads set visibility = ${n === 0 ? visibility : "published"} where id = ${thread.id}`
            yield* sql`update posts set visibility = ${n === 0 ? visibility : "published"} where id = ${thread.id}`
            posts.push([thread.id, thread.id], [answer.id, thread.id])
            const node = yield* page(odin, `${author.id} ${visibility} ${n}`)
            yield* sql`update nodes set owner_id = ${author.id} where id = ${node.id}`
            yield* sql`update nodes set visibility = ${visibility} where id = ${node.id}`
            nodes.push(node.id)
          }
        }
      }
      const deleted = yield* open(loki, "Deleted")
      yield* sql`update posts set deleted_at = now() where id = ${deleted.id}`
      yield* sql`update threads set deleted_at = now() where id = ${deleted.id}`
      posts.push([deleted.id, deleted.id])
      let made = 0
      const adders = [freya.id, loki.id, tyr.id, null]
      const add = (post: string | null, thread: string | null, node: string | null) => {
        const membership = memberships[made % memberships.length]
        const adder = adders[made % adders.length]
        made++
        return sql`insert into collection_items
            (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id, node_id)
          values (${String(made).padStart(20, "0")}, ${id}, ${freya.id}, ${adder}, now(), ${membership}, ${post},
            ${thread}, ${node})`
      }
      for (const [post, thread] of posts) yield* add(post, thread, null)
      for (const node of nodes) yield* add(null, null, node)

      const counts = new Map<string, number>()
      const assertSame = Effect.fnUntraced(function* (when: string) {
        for (const [name, viewer] of Object.entries({ freya, loki, odin, tyr, librarian, curator, guest })) {
          const { length } = yield* seenBy(viewer, id)
          for (const search of ["", "&account_handle=freya", `&has_item=${posts[0]?.[0]}`]) {
            const { item_count } = yield* listed(viewer, id, search)
            assert.strictEqual(item_count, length, `${name} ${when} ${search}`)
          }
          counts.set(name, length)
        }
      })
      yield* assertSame("as it is")
      // They differ, so that one number for all would be wrong.
      assert.isAtLeast(new Set(counts.values()).size, 4)
      assert.isAbove(counts.get("guest") ?? 0, 0)
      const changed = ok(yield* freya.patch(`/collections/${id}`, { description: "d" }))
      assert.strictEqual(changed.item_count, counts.get("freya"))
      const byStaff = ok(yield* curator.patch(`/collections/${id}`, { description: "e" }))
      assert.strictEqual(byStaff.item_count, counts.get("curator"))
      for (const permission of ["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"]) {
        yield* sql`update roles set permissions = array_remove(permissions, ${permission})`
        yield* assertSame(`without ${permission}`)
        yield* sql`update roles set permissions = permissions || array[${permission}] where name in ('Guest', 'Member')`
      }
    })
  )

  it.effect("changes with what becomes of an item", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* create(freya, "Changing")
      const thread = yield* open(loki, "Changing")
      const countFor = (viewer: Person) => Effect.map(listed(viewer, id), ({ item_count }) => item_count)
      assert.strictEqual(yield* countFor(guest), 0)
      ok(yield* freya.put(`/collections/${id}/posts/${thread.id}`))
      for (const viewer of [guest, freya, loki]) assert.strictEqual(yield* countFor(viewer), 1)
      ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      assert.deepStrictEqual(yield* Effect.forEach([guest, freya, loki], countFor), [0, 0, 1])
      ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "published" }))
      ok(yield* loki.delete(`/threads/${thread.id}`))
      for (const viewer of [guest, freya, loki]) assert.strictEqual(yield* countFor(viewer), 0)
    })
  )
})
