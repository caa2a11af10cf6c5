import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { toldAtOnceMax } from "../../src/domain/thread/MentionStore.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, nobody, type Person, signUp } from "../support/people.ts"

/** A text that mentions these people. */
const hello = (...people: ReadonlyArray<Pick<Person, "id">>) =>
  `<p>Hello</p>${people.map(({ id }) => `<p><a href="sdr:profile/${id}">you</a></p>`).join("")}`

/** Where a person was mentioned, and by whom, oldest first. */
const toldTo = (person: Person) =>
  Effect.gen(function* () {
    yield* drainEvents
    const { notifications } = ok(yield* person.get("/notifications"))
    const unread = ok(yield* person.get("/accounts")).notifications
    const mentions = notifications.filter(({ event }: { event: string }) => event === "profile_mention")
    assert.strictEqual(unread, notifications.length)
    return mentions
      .toReversed()
      .map((one: { source: { handle: string }; item: { ref: { id: string } } }) => [
        one.source.handle,
        one.item.ref.id
      ])
  })

/** Events in the log, also those that lead to nothing that shows. */
const logged = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly mentioned: string }>`
    select event->>'mentioned' as mentioned from event_log where tag = 'MemberMentioned' order by id`
  return rows.map(({ mentioned }) => mentioned)
})

const cast = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* drainEvents
  yield* sql`delete from notifications`
  yield* sql`delete from event_log where tag = 'MemberMentioned'`
  return yield* Cast
})

layer(People.layer)("a mention in a thread", (it) => {
  it.effect("is told when the thread is published, as it is then", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* cast
      const draft = yield* open(freya, "Draft", { body: hello(loki, odin), visibility: "draft" })
      const edit = (changes: object) => Effect.map(freya.patch(`/threads/${draft.id}`, changes), ok)
      yield* edit({ body: hello(odin, tyr) })
      yield* edit({ visibility: "review" })
      yield* edit({ visibility: "unlisted" })
      assert.deepStrictEqual(yield* logged, [])
      yield* edit({ visibility: "published" })
      assert.deepStrictEqual(yield* logged, [odin.id, tyr.id].toSorted())
      assert.deepStrictEqual(yield* toldTo(odin), [["freya", draft.id]])
      assert.deepStrictEqual(yield* toldTo(tyr), [["freya", draft.id]])
      assert.deepStrictEqual(yield* toldTo(loki), [])
    })
  )

  it.effect("is told with the request that adds it and publishes, and not if that removes it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* cast
      for (const path of ["threads", "posts"]) {
        const draft = yield* open(freya, "Both", { body: hello(loki), visibility: "draft" })
        const by = path === "threads" ? freya : odin
        ok(yield* by.patch(`/${path}/${draft.id}`, { body: hello(odin), visibility: "published" }))
        assert.deepStrictEqual((yield* toldTo(odin)).at(-1), ["freya", draft.id])
      }
      assert.lengthOf(yield* logged, 2)
    })
  )

  it.effect("is not told with the request that adds it and hides the thread", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* cast
      const thread = yield* open(freya, "Hides")
      ok(yield* freya.patch(`/threads/${thread.id}`, { body: hello(odin), visibility: "unlisted" }))
      assert.deepStrictEqual(yield* logged, [])
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* toldTo(odin), [["freya", thread.id]])
    })
  )

  it.effect("is told with the edit that adds it, and once, however often it is removed or hidden", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* cast
      const thread = yield* open(freya, "Public", { body: hello(loki, loki, freya, { id: nobody }) })
      const told = [["freya", thread.id]]
      assert.deepStrictEqual(yield* toldTo(loki), told)
      for (const [by, path, changes] of [
        [freya, "threads", { title: "Public 2" }],
        [freya, "threads", { body: hello(loki, odin) }],
        [freya, "posts", { body: hello() }],
        [freya, "threads", { body: hello(loki, odin) }],
        [freya, "threads", { visibility: "draft" }],
        [freya, "threads", { visibility: "published" }],
        [tyr, "posts", { visibility: "review" }],
        [freya, "posts", { body: hello(loki) }],
        [freya, "posts", { body: hello(odin, loki) }],
        [tyr, "posts", { visibility: "published" }]
      ] as const) {
        ok(yield* by.patch(`/${path}/${thread.id}`, changes))
      }
      assert.deepStrictEqual(yield* logged, [loki.id, odin.id])
      assert.deepStrictEqual(yield* toldTo(loki), told)
      assert.deepStrictEqual(yield* toldTo(odin), told)
      assert.deepStrictEqual(yield* toldTo(freya), [])
      // Whoever adds it: the text is its author's.
      ok(yield* tyr.patch(`/posts/${thread.id}`, { body: hello(tyr, freya) }))
      assert.deepStrictEqual(yield* toldTo(tyr), told)
      assert.deepStrictEqual(yield* toldTo(freya), [])
    })
  )

  it.effect("is told once when several edits add it at the same time", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* cast
      const thread = yield* open(freya, "Race")
      const edits = [freya, odin, tyr].map((by) => by.patch(`/posts/${thread.id}`, { body: hello(odin) }))
      for (const answer of yield* Effect.all([...edits, ...edits], { concurrency: "unbounded" })) ok(answer)
      assert.deepStrictEqual(yield* logged, [odin.id])
    })
  )
})

layer(People.layer)("a mention in a reply", (it) => {
  it.effect("is told about the reply, when it is written or with the edit that adds it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* cast
      const thread = yield* open(freya, "Replies")
      const first = yield* reply(loki, thread.id, hello(odin, loki))
      const second = yield* reply(odin, thread.id, hello(loki), { reply_to: first.id })
      assert.deepStrictEqual(yield* toldTo(odin), [["loki", first.id]])
      assert.deepStrictEqual(yield* toldTo(loki), [["odin", second.id]])
      ok(yield* loki.patch(`/posts/${first.id}`, { body: hello(odin, freya) }))
      ok(yield* loki.patch(`/posts/${first.id}`, { body: hello(freya), meta: {} }))
      assert.deepStrictEqual(yield* toldTo(freya), [["loki", first.id]])
      assert.deepStrictEqual(yield* logged, [odin.id, loki.id, freya.id])
      ok(yield* loki.delete(`/posts/${first.id}`))
      assert.deepStrictEqual(yield* toldTo(freya), [])
      assert.deepStrictEqual(yield* toldTo(odin), [])
    })
  )

  it.effect("that is hidden for review is told when it is published, if nobody was told before", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* cast
      const thread = yield* open(freya, "Review")
      const held = yield* reply(loki, thread.id, hello(freya))
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" }))
      ok(yield* loki.patch(`/posts/${held.id}`, { body: hello(freya, odin, tyr) }))
      ok(yield* loki.patch(`/posts/${held.id}`, { body: hello(freya, odin) }))
      assert.deepStrictEqual(yield* logged, [freya.id])
      assert.deepStrictEqual(yield* toldTo(freya), [])
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* logged, [freya.id, odin.id])
      assert.deepStrictEqual(yield* toldTo(odin), [["loki", held.id]])
      assert.deepStrictEqual(yield* toldTo(freya), [["loki", held.id]])
    })
  )

  it.effect("in a thread that others may not read is told when that is published", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* cast
      const draft = yield* open(freya, "Hidden", { visibility: "draft" })
      const [kept, , deleted, held, edited] = yield* Effect.forEach(
        [loki, odin, tyr, tyr, tyr],
        (mentioned) => reply(freya, draft.id, hello(mentioned))
      )
      ok(yield* freya.delete(`/posts/${deleted.id}`))
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" }))
      ok(yield* freya.patch(`/posts/${edited.id}`, { body: hello(loki) }))
      assert.deepStrictEqual(yield* logged, [])
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      assert.deepStrictEqual((yield* logged).toSorted(), [loki.id, loki.id, odin.id].toSorted())
      assert.sameDeepMembers(yield* toldTo(loki), [
        ["freya", kept.id],
        ["freya", edited.id]
      ])
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* toldTo(tyr), [["freya", held.id]])
    })
  )

  it.effect("is told with others up to a bound when their thread is published", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* cast
      const last = yield* signUp("last")
      const draft = yield* open(freya, "Many", { visibility: "draft" })
      const first = yield* reply(freya, draft.id, hello(loki))
      yield* reply(freya, draft.id, hello(last))
      const sql = yield* SqlClient.SqlClient
      // Accounts that there never were, which no text brings into the table.
      yield* sql`insert into post_mentions (post_id, thread_id, account_id, told)
        select ${first.id}, ${draft.id}, 'a' || lpad(n::text, 18, '0') || '0', false from generate_series(2, ${toldAtOnceMax}::int) n`
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      const told = yield* logged
      assert.lengthOf(told, toldAtOnceMax)
      assert.include(told, loki.id)
      assert.notInclude(told, last.id)
    })
  )
})
