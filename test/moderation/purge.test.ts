/** Removing all that an account made. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { CollectionStore } from "../../src/domain/collection/CollectionStore.ts"
import { Purges } from "../../src/domain/moderation/Purges.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { letPublish, page } from "../library/elsewhere.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, nobody, type Person, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem, issuesOf } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { purgeOf } from "./scenarios.ts"

const purge = (by: Person, account: { readonly id: string }, ...include: ReadonlyArray<string>) =>
  Effect.map(by.post("/admin/actions", purgeOf(account, ...include)), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.json
  })

/** Lets the worker do what is due. */
const drain = Effect.flatMap(Purges, ({ drain }) => drain)

/** What is still to be removed. */
const queued = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly content: string }>`select content from purges order by content`, (rows) =>
    rows.map(({ content }) => content)
  )
)

const entriesOf = (reader: Person, type: string) =>
  Effect.map(reader.get(`/admin/audit-events?types=${type}`), (answer) => ok(answer).events)

const repliesIn = (thread: Answer["json"]) =>
  Effect.map(guest.get(`/threads/${thread.slug}`), (answer) => ok(answer).replies.replies)

layer(People.layer)("removing what an account made", (it) => {
  it.effect("is for administrators, answered with the entry in the audit log", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const answer = yield* purge(odin, loki, "profile_bio", "threads", "threads")
      const { enacted_by, id, ...rest } = answer
      assert.deepStrictEqual(rest, { type: "account_content_purged", timestamp: "1970-01-01T00:00:00.000Z" })
      const entries = yield* entriesOf(odin, "account_content_purged")
      assert.deepStrictEqual(entries, [
        { ...answer, account_id: loki.id, included: ["threads", "profile_bio"] }
      ])
      assert.deepStrictEqual(ok(yield* odin.get(`/admin/audit-events/${id}`)), entries[0])
      assert.strictEqual(enacted_by.handle, "odin")
      const body = purgeOf(loki, "threads")
      assertProblem(yield* guest.post("/admin/actions", body), Unauthenticated)
      for (const person of [freya, tyr]) {
        assertProblem(yield* person.post("/admin/actions", { action: 1 }), Forbidden, {
          permission: "ADMINISTRATOR"
        })
      }
      assertProblem(yield* odin.post("/admin/actions", purgeOf({ id: nobody }, "likes")), AccountNotFound, {
        account: nobody
      })
      const nothing = yield* odin.post("/admin/actions", purgeOf(loki))
      assertInvalid(nothing, "body include")
      assert.strictEqual(issuesOf(nothing)[0]?.message, "Expected at least one kind of content")
      assertInvalid(yield* odin.post("/admin/actions", purgeOf(loki, "threads", "posts")), "body include.1")
      assertInvalid(yield* odin.post("/admin/actions", purgeOf({ id: "nope" }, "likes")), "body account_id")
      assertInvalid(yield* odin.post("/admin/actions", { ...body, action: "purge" }), "body action")
      assertInvalid(yield* odin.post("/admin/actions", {}), "body action")
      assertInvalid(
        yield* odin.post("/admin/actions", purgeOf(loki, ...Array(8).fill("likes"))),
        "body include"
      )
      assert.strictEqual((yield* entriesOf(odin, "account_content_purged")).length, 1)
    })
  )

  it.effect("is answered with the time that the entry has, however long it takes", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from accounts where id = ${loki.id} for update`
          const asked = yield* Effect.forkChild(purge(odin, loki, "profile_bio"))
          yield* untilWaiting(1)
          yield* TestClock.adjust("500 millis")
          return asked
        })
      )
      const answer = yield* Fiber.join(asked)
      const {
        account_id: _,
        included: __,
        ...entry
      } = ok(yield* odin.get(`/admin/audit-events/${answer.id}`))
      assert.deepStrictEqual(entry, answer)
    })
  )

  it.effect("empties the biography, and nothing else of the profile", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const before = ok(yield* freya.patch("/accounts", { bio: "<p>Spam</p>", name: "F", signature: "s" }))
      const tag = yield* etagOf(guest, "/profiles/freya")
      yield* TestClock.adjust("1 second")
      yield* purge(odin, freya, "profile_bio")
      assert.deepStrictEqual(yield* queued, ["threads"])
      const after = ok(yield* freya.get("/accounts"))
      assert.deepStrictEqual({ ...after, updatedAt: "" }, { ...before, bio: "<body></body>", updatedAt: "" })
      assert.strictEqual((yield* guest.get("/profiles/freya", ifNoneMatch(tag))).status, 200)
    })
  )

  it.effect("deletes threads with their replies, drafts too, as each deletion would", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Unwanted words", { body: "unwanted", tags: ["wares"] })
      const draft = yield* open(freya, "Draft", { visibility: "draft" })
      const others = yield* open(loki, "Wanted words", { tags: ["wares"] })
      yield* reply(loki, thread.id, "What?")
      const own = yield* reply(freya, others.id, "Mine")
      const collection = ok(yield* loki.post("/collections", { name: "Kept" }))
      ok(yield* loki.put(`/collections/${collection.slug}/posts/${thread.id}`))
      yield* drainEvents
      yield* purge(odin, freya, "threads")
      for (const { slug } of [thread, draft])
        assert.strictEqual((yield* freya.get(`/threads/${slug}`)).status, 404)
      assert.deepStrictEqual(idsOf(ok(yield* guest.get("/threads")).threads), [others.id])
      assert.deepStrictEqual(idsOf(yield* repliesIn(others)), [own.id])
      assert.strictEqual(ok(yield* guest.get("/tags/wares")).item_count, 1)
      assert.deepStrictEqual(ok(yield* guest.get("/datagraph?q=unwanted")).items, [])
      const deleted = yield* entriesOf(odin, "thread_deleted")
      assert.sameMembers(
        deleted.map(({ thread_id }: { readonly thread_id: string }) => thread_id),
        [thread.id, draft.id]
      )
      assert.strictEqual(deleted[0].enacted_by.handle, "odin")
      yield* drainEvents
      assert.deepStrictEqual(ok(yield* loki.get(`/collections/${collection.slug}`)).items, [])
      const [listed] = ok(yield* loki.get("/collections")).collections
      assert.deepStrictEqual([listed.id, listed.item_count], [collection.id, 0])
    })
  )

  it.effect("deletes replies, and those of others to them stay without what they answer", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(loki, "Replies")
      const spam = yield* reply(freya, thread.id, "Spam")
      const own = yield* open(freya, "Own")
      const answer = yield* reply(tyr, thread.id, "Stop", { reply_to: spam.id })
      const more = yield* reply(freya, thread.id, "More")
      yield* drainEvents
      const tag = yield* etagOf(guest, `/threads/${thread.slug}`)
      yield* purge(odin, freya, "replies")
      ok(yield* guest.get(`/threads/${own.slug}`))
      const replies = yield* repliesIn(thread)
      assert.deepStrictEqual(idsOf(replies), [answer.id])
      assert.notProperty(replies[0], "reply_to")
      assert.strictEqual((yield* guest.get(`/threads/${thread.slug}`, ifNoneMatch(tag))).status, 200)
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.slug}`)).reply_status.replies, 1)
      assert.strictEqual(ok(yield* freya.get(`/threads/${thread.slug}`)).reply_status.replied, 0)
      const deleted = (yield* entriesOf(odin, "thread_reply_deleted")).map(
        ({ reply_id }: { readonly reply_id: string }) => reply_id
      )
      assert.includeMembers(deleted, [spam.id, more.id])
      assert.notInclude(deleted, answer.id)
      const told = ok(yield* loki.get("/notifications")).notifications.filter(
        ({ source }: { source: { handle: string } }) => source.handle === "freya"
      )
      assert.deepStrictEqual(told, [])
    })
  )

  it.effect("takes back likes and reactions, also of what is deleted, and counts without them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(loki, "Liked")
      const gone = yield* open(loki, "Gone")
      for (const { id } of [thread, gone]) {
        ok(yield* freya.put(`/likes/posts/${id}`))
        ok(yield* tyr.put(`/likes/posts/${id}`))
        ok(yield* freya.put(`/posts/${id}/reacts`, { emoji: "🐈" }))
        ok(yield* freya.put(`/posts/${id}/reacts`, { emoji: "🐎" }))
      }
      ok(yield* loki.delete(`/threads/${gone.slug}`))
      const score = Effect.map(guest.get("/profiles/loki"), (answer) => ok(answer).like_score)
      assert.strictEqual(yield* score, 2)
      yield* purge(odin, freya, "reacts")
      const shown = Effect.map(guest.get(`/threads/${thread.slug}`), ok)
      assert.deepStrictEqual([(yield* shown).reacts, (yield* shown).likes.likes], [[], 2])
      const tag = yield* etagOf(guest, `/threads/${thread.slug}`)
      yield* purge(odin, freya, "likes")
      assert.strictEqual((yield* guest.get(`/threads/${thread.slug}`, ifNoneMatch(tag))).status, 200)
      assert.strictEqual((yield* shown).likes.likes, 1)
      assert.strictEqual(yield* score, 1)
      assert.deepStrictEqual(yield* sql`select from likes where account_id = ${freya.id}`, [])
      assert.deepStrictEqual(yield* sql`select from reacts where account_id = ${freya.id}`, [])
      const events = yield* sql`select event ->> '_tag' as tag, count(*)::int as n from event_log
        where actor_id = ${odin.id} and event ->> '_tag' in ('PostUnliked', 'PostUnreacted') group by 1 order by 1`
      assert.deepStrictEqual(events, [
        { tag: "PostUnliked", n: 2 },
        { tag: "PostUnreacted", n: 4 }
      ])
    })
  )

  it.effect("deletes pages and collections, not what others put into them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* letPublish(freya)
      yield* letPublish(loki)
      const parent = yield* page(freya, "Parent")
      const child = yield* page(loki, "Child", { parent: parent.slug })
      const grandchild = yield* page(freya, "Grandchild", { parent: child.slug, visibility: "draft" })
      const collection = ok(yield* freya.post("/collections", { name: "Mine" }))
      const others = ok(yield* loki.post("/collections", { name: "Others" }))
      ok(yield* freya.put(`/collections/${collection.slug}/nodes/${child.id}`))
      ok(yield* loki.put(`/collections/${others.slug}/nodes/${parent.id}`))
      const before = ok(yield* guest.get("/collections")).collections.length
      yield* purge(odin, freya, "nodes", "collections")
      for (const { slug } of [parent, grandchild]) {
        assert.strictEqual((yield* freya.get(`/nodes/${slug}`)).status, 404)
      }
      const left = ok(yield* guest.get(`/nodes/${child.slug}`))
      assert.notProperty(left, "parent")
      assert.strictEqual((yield* guest.get(`/collections/${collection.slug}`)).status, 404)
      assert.strictEqual(ok(yield* guest.get("/collections")).collections.length, before - 1)
      yield* drainEvents
      assert.deepStrictEqual(ok(yield* loki.get(`/collections/${others.slug}`)).items, [])
      const tags = yield* sql<{ readonly tag: string }>`select event ->> '_tag' as tag from event_log
        where actor_id = ${odin.id} and event ->> '_tag' in ('NodeDeleted', 'CollectionDeleted', 'NodeUpdated') order by id`
      assert.sameMembers(
        tags.map(({ tag }) => tag),
        ["CollectionDeleted", "NodeDeleted", "NodeDeleted", "NodeUpdated"]
      )
    })
  )

  it.effect("may be of an administrator, also of oneself", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const thread = yield* open(odin, "My own")
      yield* purge(odin, odin, "threads", "replies", "reacts", "likes", "nodes", "collections", "profile_bio")
      assert.strictEqual((yield* odin.get(`/threads/${thread.slug}`)).status, 404)
    })
  )
})

layer(People.layer)("what is more than a request can remove", (it) => {
  it.effect("is removed by the worker, and what is made later stays", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(loki, "Full")
      yield* Effect.forEach(Array.from({ length: 230 }), (_, n) => reply(freya, thread.id, `Spam ${n}`), {
        concurrency: 8
      })
      ok(yield* freya.put(`/likes/posts/${thread.id}`))
      const left = Effect.map(
        sql<{ readonly n: number }>`select count(*)::int as n from posts
          where author_id = ${freya.id} and deleted_at is null`,
        ([row]) => row?.n
      )
      yield* purge(odin, freya, "replies", "likes")
      // What is seen most goes first.
      assert.strictEqual(yield* left, 30)
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.slug}`)).likes.likes, 1)
      yield* TestClock.adjust("1 second")
      const later = yield* reply(freya, thread.id, "Sorry")
      yield* drain
      assert.deepStrictEqual(idsOf(yield* repliesIn(thread)), [later.id])
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.slug}`)).reply_status.replies, 1)
      // Until all requests from before have ended, there is one more look to take.
      assert.deepStrictEqual(yield* queued, ["likes", "replies"])
      yield* sql`update posts set created_at = 'epoch' where id = ${later.id}`
      const kept = yield* reply(freya, thread.id, "Really")
      yield* drain
      assert.strictEqual(yield* left, 2)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.deepStrictEqual(idsOf(yield* repliesIn(thread)), [kept.id])
      assert.deepStrictEqual(yield* queued, [])
      yield* drain
    })
  )

  it.effect("is asked for again without another entry in the queue", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const first = yield* open(loki, "First")
      yield* purge(odin, loki, "threads")
      yield* TestClock.adjust("1 second")
      const second = yield* open(loki, "Second")
      const third = yield* open(loki, "Third")
      yield* purge(odin, loki, "threads", "likes")
      for (const { slug } of [first, second, third]) {
        assert.strictEqual((yield* loki.get(`/threads/${slug}`)).status, 404)
      }
      assert.deepStrictEqual(yield* queued, ["likes", "threads"])
      assert.strictEqual((yield* entriesOf(odin, "account_content_purged")).length, 3)
      yield* TestClock.adjust("59 seconds")
      yield* drain
      assert.deepStrictEqual(yield* queued, ["likes", "threads"])
      yield* TestClock.adjust("1 seconds")
      yield* drain
      assert.deepStrictEqual(yield* queued, [])
    })
  )

  it.effect("goes on if whoever began it has ended", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Left over")
      yield* sql`insert into purges (account_id, content, enacted_by, requested_at, due_at, turn)
        select ${freya.id}, 'threads', ${odin.id}, created_at, created_at + interval '1 minute', 3
        from threads where id = ${thread.id}`
      yield* drain
      assert.strictEqual((yield* freya.get(`/threads/${thread.slug}`)).status, 200)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.strictEqual((yield* freya.get(`/threads/${thread.slug}`)).status, 404)
      assert.deepStrictEqual(yield* queued, [])
    })
  )

  it.effect("is one page of many pages after the other", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* letPublish(tyr)
      const parent = yield* page(tyr, "Crowded")
      const crowd = yield* page(odin, "Member of the crowd", { parent: parent.slug })
      yield* sql`insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, name_form, slug,
          description, hide_child_tree, visibility, meta)
        select 'crod' || lpad(n::text, 15, '0') || '0', created_at, created_at, owner_id, parent_id,
          position || '1' || lpad(n::text, 4, '0') || '1', name, name_form, 'crowd-' || n, '', false, visibility, '{}'
        from nodes, generate_series(1, 1100) n where id = ${crowd.id}`
      yield* purge(odin, tyr, "nodes")
      assert.strictEqual((yield* guest.get(`/nodes/${parent.slug}`)).status, 404)
      const [row] =
        yield* sql`select count(*)::int as n from nodes where owner_id = ${odin.id} and parent_id is null`
      assert.strictEqual(row?.n, 1101)
    })
  )

  it.effect("is removed while the account goes on and others ask for it too", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const spammer = yield* signUp("spammer")
      const thread = yield* open(loki, "Busy")
      yield* Effect.forEach(Array.from({ length: 20 }), () => reply(spammer, thread.id, "Before"))
      const answers = yield* Effect.all(
        [
          ...Array.from({ length: 4 }, () =>
            odin.post("/admin/actions", purgeOf(spammer, "replies", "threads", "likes", "reacts"))
          ),
          ...Array.from({ length: 20 }, (_, n) =>
            spammer.post(`/threads/${thread.id}/replies`, { body: `${n}` })
          ),
          ...Array.from({ length: 10 }, (_, n) =>
            spammer.post("/threads", { title: `Thread ${n}`, visibility: "published" })
          ),
          ...Array.from({ length: 10 }, () => spammer.put(`/likes/posts/${thread.id}`)),
          ...Array.from({ length: 10 }, () => spammer.delete(`/likes/posts/${thread.id}`)),
          ...["🐈", "🐎", "🐦"].map((emoji) => spammer.put(`/posts/${thread.id}/reacts`, { emoji })),
          drain
        ],
        { concurrency: "unbounded" }
      )
      for (const answer of answers) if (answer !== undefined) assert.isBelow(answer.status, 300, answer.text)
      // Whatever a request wrote that began before the last purge is found in the end.
      yield* TestClock.adjust("2 minutes")
      yield* drain
      assert.deepStrictEqual(yield* queued, [])
      const counts = yield* sql`select
        (select count(*)::int from posts p join threads t on t.id = p.thread_id
          where p.author_id = ${spammer.id} and p.deleted_at is null and t.deleted_at is null) as posts,
        (select count(*)::int from likes where account_id = ${spammer.id}) as likes,
        (select count(*)::int from reacts where account_id = ${spammer.id}) as reacts,
        (select reply_count from threads where id = ${thread.id}) as replies,
        (select like_count + react_count from posts where id = ${thread.id}) as others`
      assert.deepStrictEqual(counts, [{ posts: 0, likes: 0, reacts: 0, replies: 0, others: 0 }])
    })
  )
})

/** Which collection cannot be deleted, and how often that was tried. */
const stuck = { id: "", tries: 0 }

const withStuckCollection = People.withCast(
  TestApp.layerWhere(
    {},
    TestApp.storesBut(CollectionStore, (usual) => ({
      ...usual,
      delete: (id) => {
        if (id !== stuck.id) return usual.delete(id)
        stuck.tries += 1
        return Effect.die(new Error("stuck"))
      }
    }))
  )
)

layer(withStuckCollection)("what cannot be removed", (it) => {
  it.effect("keeps nothing else, is tried again after growing pauses, and given up in the end", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [
        ok(yield* freya.post("/collections", { name: "One" })),
        ok(yield* freya.post("/collections", { name: "Two" }))
      ]
      const thread = yield* open(freya, "Thread")
      stuck.id = one.id
      yield* purge(odin, freya, "collections", "threads")
      assert.strictEqual((yield* guest.get(`/collections/${two.slug}`)).status, 404)
      assert.strictEqual((yield* guest.get(`/threads/${thread.slug}`)).status, 404)
      assert.strictEqual((yield* guest.get(`/collections/${one.slug}`)).status, 200)
      assert.strictEqual(stuck.tries, 1)
      yield* TestClock.adjust("1 minute")
      yield* drain
      assert.strictEqual(stuck.tries, 2)
      assert.deepStrictEqual(yield* queued, ["collections"])
      const wait = sql`select extract(epoch from due_at - ${new Date(60_000)})::int as seconds from purges`
      assert.deepStrictEqual(yield* wait, [{ seconds: 60 }])
      for (let tries = 1; tries < 9; tries += 1) {
        yield* TestClock.adjust("1 hour")
        yield* drain
      }
      assert.deepStrictEqual(yield* queued, ["collections"])
      yield* TestClock.adjust("1 hour")
      yield* drain
      assert.deepStrictEqual(yield* queued, [])
      assert.strictEqual((yield* guest.get(`/collections/${one.slug}`)).status, 200)
      stuck.id = ""
      yield* purge(odin, freya, "collections")
      assert.strictEqual((yield* guest.get(`/collections/${one.slug}`)).status, 404)
    })
  )
})
