import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  EmojiInvalid,
  ReactionNotYours,
  reactionsMax,
  TooManyReactions
} from "../../src/domain/reaction/Reaction.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, reinstate, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

interface Post {
  readonly id: string
}

const reactsOf = (post: Post) => `/posts/${post.id}/reacts`

const react = (who: Person, post: Post, emoji: string) => who.put(reactsOf(post), { emoji })

const reacted = (who: Person, post: Post, emoji: string) => Effect.map(react(who, post, emoji), ok)

/** The reactions that a reader sees: at the opening post of a thread, then at its replies. */
const seen = (who: Person, thread: Post) =>
  Effect.map(who.get(`/threads/${thread.id}`), (answer) => {
    const read = ok(answer)
    return [read, ...read.replies.replies].map((post) =>
      post.reacts.map((one: Answer["json"]) => `${one.emoji} ${one.author.handle}`)
    )
  })

/** Reactions of one account to a post, as no request could add them so fast. */
const fill = (post: Post, who: Person, emoji: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into reacts (id, post_id, account_id, emoji, created_at)
      select lpad(((select count(*) from reacts) + n)::text, 20, '0'), ${post.id}, ${who.id}, emoji, now()
      from unnest(${emoji}::text[]) with ordinality e (emoji, n)`
  )

/** Different texts, which only storage takes for emoji. */
const different = (count: number, prefix = "e") => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

layer(People.layer)("a reaction", (it) => {
  it.effect("is shown at its post, in the order in which reactions were added", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Reacted to")
      const answer = yield* reply(loki, thread.id, "reply")
      const added = yield* reacted(loki, thread, "🎉")
      assert.deepStrictEqual(Object.keys(added).sort(), ["author", "emoji", "id"])
      assert.strictEqual(added.emoji, "🎉")
      assert.strictEqual(added.author.handle, "loki")
      assert.deepStrictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).reacts, [added])

      yield* reacted(odin, thread, "🦋")
      yield* reacted(loki, thread, "👍")
      yield* reacted(freya, answer, "🎉")
      assert.deepStrictEqual(yield* seen(guest, thread), [["🎉 loki", "🦋 odin", "👍 loki"], ["🎉 freya"]])
      const listed = ok(yield* guest.get("/threads?author=freya")).threads.find(
        ({ id }: Post) => id === thread.id
      )
      assert.strictEqual(listed.reacts.length, 3)
    })
  )

  it.effect("that is repeated is the one that there is", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Repeated")
      const first = yield* reacted(loki, thread, "❤️")
      assert.deepStrictEqual(yield* reacted(loki, thread, "❤️"), first)
      // Keyboards differ in whether they send the character that asks for the emoji.
      assert.deepStrictEqual(yield* reacted(loki, thread, "❤"), first)
      assert.deepStrictEqual(yield* reacted(loki, thread, " ❤️\n"), first)
      assert.deepStrictEqual(yield* seen(loki, thread), [["❤️ loki"]])
    })
  )

  it.effect("is added once, however many equal requests arrive at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "At once")
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => react(loki, thread, "🎉")),
        { concurrency: "unbounded" }
      )
      const ids = new Set(idsOf(answers.map(ok)))
      assert.strictEqual(ids.size, 1)
      assert.deepStrictEqual(yield* seen(guest, thread), [["🎉 loki"]])
      const sql = yield* SqlClient.SqlClient
      const events =
        yield* sql`select from event_log where event->>'post_id' = ${thread.id} and tag = 'PostReacted'`
      assert.strictEqual(events.length, 1)
    })
  )

  it.effect("finds its post by the id or the slug of a thread", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "By its slug")
      const { id } = yield* reacted(loki, { id: thread.slug }, "🎉")
      ok(yield* loki.delete(`${reactsOf({ id: `${thread.id}-anything` })}/${id}`))
      assert.deepStrictEqual(yield* seen(guest, thread), [[]])
    })
  )

  it.effect("is one emoji and nothing else", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Emoji")
      for (const emoji of ["", " ", "a", "7", ":smile:", "😊😊", "😊a", "\u200d", "\u{1f1f3}"]) {
        assertProblem(yield* react(loki, thread, emoji), EmojiInvalid, { field: "emoji" })
      }
      for (const emoji of ["😊".repeat(17), "x".repeat(100), "\ud83d", 7, null, ["😊"]]) {
        assertInvalid(yield* loki.put(reactsOf(thread), { emoji }), "body emoji")
      }
      assertInvalid(yield* loki.put(reactsOf(thread), {}), "body emoji")
      const sequences = ["👩🏻‍❤️‍💋‍👩🏿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "🇳🇴", "👁️‍🗨️"]
      for (const emoji of sequences) {
        assert.strictEqual((yield* reacted(loki, thread, emoji)).emoji, emoji)
      }
      assert.deepStrictEqual(yield* seen(guest, thread), [sequences.map((emoji) => `${emoji} loki`)])
    })
  )

  it.effect("does not show the signature of its author", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      ok(yield* loki.patch("/accounts", { signature: "<p>long</p>" }))
      const thread = yield* open(freya, "Signatures")
      const added = yield* reacted(loki, thread, "🎉")
      assert.notProperty(added.author, "signature")
      const answer = yield* reply(loki, thread.id, "reply")
      assert.property(answer.author, "signature")
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.reacts, [added])
      assert.strictEqual(read.replies.replies[0].author.signature, "<body><p>long</p></body>")
    })
  )

  it.effect("changes the ETag of its thread when it comes and goes, and not when nothing changes", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Tagged")
      const answer = yield* reply(freya, thread.id, "reply")
      const path = `/threads/${thread.id}`
      for (const post of [thread, answer]) {
        const before = yield* etagOf(guest, path)
        const { id } = yield* reacted(loki, post, "🎉")
        const added = yield* etagOf(guest, path)
        assert.notStrictEqual(added, before)
        yield* reacted(loki, post, "🎉")
        ok(yield* loki.delete(`${reactsOf(post)}/${nobody}`))
        assert.strictEqual((yield* guest.get(path, ifNoneMatch(added))).status, 304)
        ok(yield* loki.delete(`${reactsOf(post)}/${id}`))
        const removed = yield* guest.get(path, ifNoneMatch(added))
        assert.strictEqual(removed.status, 200)
        assert.strictEqual(removed.headers.etag === before, false)
      }
      const { updatedAt } = ok(yield* guest.get(path))
      assert.strictEqual(updatedAt, thread.updatedAt)
    })
  )
})

layer(People.layer)("a reaction is removed", (it) => {
  it.effect("by its account and by administrators, not by moderators and others", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Removed")
      const [first, second] = [yield* reacted(loki, thread, "🎉"), yield* reacted(loki, thread, "👍")]
      const path = `${reactsOf(thread)}/${first.id}`
      // The author of the post is one of the others.
      for (const other of [freya, tyr]) assertProblem(yield* other.delete(path), ReactionNotYours)
      assertProblem(yield* guest.delete(path), Unauthenticated)
      assert.deepStrictEqual(yield* seen(guest, thread), [["🎉 loki", "👍 loki"]])
      const removed = yield* loki.delete(path)
      assert.strictEqual(removed.text, "")
      assert.strictEqual(removed.headers["content-length"], "0")
      ok(yield* odin.delete(`${reactsOf(thread)}/${second.id}`))
      assert.deepStrictEqual(yield* seen(guest, thread), [[]])
      assert.notStrictEqual((yield* reacted(loki, thread, "🎉")).id, first.id)
    })
  )

  it.effect("only from its post; one that the post does not have changes nothing", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Elsewhere")
      const answer = yield* reply(freya, thread.id, "reply")
      const { id } = yield* reacted(loki, answer, "🎉")
      for (const unknown of [id, nobody, "x", "%20", encodeURIComponent("🎉")]) {
        ok(yield* loki.delete(`${reactsOf(thread)}/${unknown}`))
      }
      // Others learn nothing either.
      ok(yield* freya.delete(`${reactsOf(thread)}/${id}`))
      assert.deepStrictEqual(yield* seen(guest, thread), [[], ["🎉 loki"]])
      assertProblem(yield* loki.delete(`${reactsOf({ id: nobody })}/${id}`), PostNotFound, {
        post_id: nobody
      })
      assertProblem(yield* loki.delete(`${reactsOf({ id: "x" })}/${id}`), PostNotFound)
    })
  )

  it.effect("once, however many requests ask for it, with one event", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Once")
      const { id } = yield* reacted(loki, thread, "🎉")
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => loki.delete(`${reactsOf(thread)}/${id}`)),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) ok(answer)
      const events = yield* sql`select event - 'standing' as event from event_log
        where event->>'post_id' = ${thread.id} and tag in ('PostReacted', 'PostUnreacted') order by id`
      assert.deepStrictEqual(events, [
        { event: { _tag: "PostReacted", post_id: thread.id, root_post_id: thread.id } },
        { event: { _tag: "PostUnreacted", post_id: thread.id, root_post_id: thread.id } }
      ])
    })
  )
})

layer(People.layer)("reactions to what the caller may not read", (it) => {
  const assertRefused = Effect.fnUntraced(function* (
    who: Person,
    post: Post,
    refused: (answer: Answer) => void
  ) {
    refused(yield* react(who, post, "🎉"))
    refused(yield* who.delete(`${reactsOf(post)}/${nobody}`))
  })

  it.effect("are refused as reading it is", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      for (const visibility of ["draft", "unlisted", "review"]) {
        const thread = yield* open(freya, visibility, { visibility: "published" })
        const answer = yield* reply(loki, thread.id, "reply")
        ok(yield* freya.patch(`/threads/${thread.id}`, { visibility }))
        for (const post of [thread, answer]) {
          yield* assertRefused(loki, post, (refused) => assertProblem(refused, ThreadHidden))
        }
        yield* reacted(freya, thread, "🎉")
        yield* reacted(tyr, answer, "🎉")
      }
    })
  )

  it.effect("are refused of a reply that only some may read", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Held")
      const answer = yield* reply(loki, thread.id, "reply")
      const { id } = yield* reacted(freya, answer, "👍")
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "review" }))
      // The author of the thread does not read it either.
      yield* assertRefused(freya, answer, (refused) => assertProblem(refused, PostNotFound))
      // Only who reacted finds that there is a reaction.
      assertProblem(yield* loki.delete(`${reactsOf(answer)}/${id}`), ReactionNotYours)
      ok(yield* freya.delete(`${reactsOf(answer)}/${id}`))
      assertProblem(yield* freya.delete(`${reactsOf(answer)}/${id}`), PostNotFound)
      yield* reacted(loki, answer, "🎉")
      yield* reacted(odin, answer, "🎉")
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "draft" }))
      yield* assertRefused(loki, answer, (refused) => assertProblem(refused, PostNotFound))
    })
  )

  it.effect("are refused of what is deleted, or in a deleted thread", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Deleted")
      const [answer, other] = [yield* reply(loki, thread.id, "one"), yield* reply(loki, thread.id, "two")]
      ok(yield* loki.delete(`/posts/${answer.id}`))
      yield* assertRefused(freya, answer, (refused) => assertProblem(refused, PostNotFound))
      ok(yield* freya.delete(`/threads/${thread.id}`))
      for (const post of [thread, other, { id: nobody }, { id: "none" }, { id: "🎉" }]) {
        yield* assertRefused(freya, post, (refused) => assertProblem(refused, PostNotFound))
      }
    })
  )

  it.effect("are taken back also of what was hidden or deleted since, and show nothing", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Withdrawn")
      const [deleted, other] = [yield* reply(freya, thread.id, "one"), yield* reply(freya, thread.id, "two")]
      const placeOf = Effect.fnUntraced(function* (who: Person, post: Post) {
        const { id } = yield* reacted(who, post, "🎉")
        return `${reactsOf(post)}/${id}`
      })
      const own = yield* Effect.forEach([deleted, thread, other], (post) => placeOf(loki, post))
      const foreign = yield* placeOf(freya, deleted)
      const [ofDeleted = "", ofHidden = "", ofGone = ""] = own
      const takeBack = Effect.fnUntraced(function* (place: string) {
        const answer = yield* loki.delete(place)
        assert.deepStrictEqual([answer.status, answer.text], [200, ""], place)
      })
      ok(yield* freya.delete(`/posts/${deleted.id}`))
      for (const who of [loki, odin]) assertProblem(yield* who.delete(foreign), PostNotFound)
      yield* takeBack(ofDeleted)
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      yield* takeBack(ofHidden)
      assertProblem(yield* loki.delete(ofHidden), ThreadHidden)
      ok(yield* freya.delete(`/threads/${thread.id}`))
      yield* takeBack(ofGone)
      const left = yield* sql`select r.account_id from reacts r join posts p on p.id = r.post_id
        where p.thread_id = ${thread.id}`
      assert.deepStrictEqual(left, [{ account_id: freya.id }])
      const told = yield* sql`select event->>'root_post_id' as thread from event_log
        where tag = 'PostUnreacted' and event->>'root_post_id' = ${thread.id}`
      assert.strictEqual(told.length, 3)
    })
  )

  it.effect("are refused of callers who may not react, or not read threads", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Forbidden")
      yield* assertRefused(guest, thread, (refused) => assertProblem(refused, Unauthenticated))
      yield* suspend(loki)
      yield* assertRefused(loki, thread, (refused) => assertProblem(refused, AccountSuspended))
      yield* reinstate(loki)
      for (const permission of ["CREATE_REACTION", "READ_PUBLISHED_THREADS"] as const) {
        yield* sql`update roles set permissions = array_remove(permissions, ${permission}) where name = 'Member'`
        yield* assertRefused(loki, thread, (refused) =>
          permission === "READ_PUBLISHED_THREADS" && refused.request.startsWith("DELETE")
            ? assertProblem(refused, PostNotFound)
            : assertProblem(refused, Forbidden, { permission })
        )
        yield* sql`update roles set permissions = permissions || ${[permission]}::text[] where name = 'Member'`
      }
      yield* reacted(loki, thread, "🎉")
    })
  )
})

layer(People.layer)("reactions are limited", (it) => {
  const full = (limit: keyof typeof reactionsMax) => ({ limit, maximum: reactionsMax[limit] })

  it.effect("in how many a post has, which storage holds as well", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Full")
      const people = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => `crowd${n}`),
        People.signUp
      )
      for (const person of people) yield* fill(thread, person, different(reactionsMax.post / 10 - 1, "🎉"))
      yield* fill(thread, odin, different(9, "🎉"))
      yield* reacted(loki, thread, "👍")
      assertProblem(yield* react(tyr, thread, "👍"), TooManyReactions, full("post"))
      // What is there is answered, and removing one makes room.
      const { id } = yield* reacted(loki, thread, "👍")
      const { reacts } = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.strictEqual(reacts.length, reactionsMax.post)
      assert.isTrue(yield* Effect.isFailure(fill(thread, tyr, ["👍"])))
      ok(yield* loki.delete(`${reactsOf(thread)}/${id}`))
      yield* reacted(tyr, thread, "👍")
    })
  )

  it.effect("in how many one account adds to a post, also at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "One account")
      yield* fill(thread, loki, different(reactionsMax.account - 2))
      const answers = yield* Effect.all(
        ["😀", "😁", "😂", "😃", "😄", "😅"].map((emoji) => react(loki, thread, emoji)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 2)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyReactions, full("account"))
      }
      yield* reacted(odin, thread, "😀")
    })
  )

  it.effect("in how many different emoji a post has, also at the same time", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Different ones")
      yield* fill(thread, freya, different(20, "a"))
      yield* fill(thread, yield* People.signUp("filler"), different(reactionsMax.emoji - 21, "b"))
      const answers = yield* Effect.all(
        [loki, tyr, loki, tyr].map((who, n) => react(who, thread, ["😀", "😁", "😂", "😃"][n] ?? "")),
        { concurrency: "unbounded" }
      )
      const added = answers.filter(({ status }) => status === 200)
      assert.strictEqual(added.length, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyReactions, full("emoji"))
      }
      yield* reacted(odin, thread, added[0]?.json.emoji)
    })
  )

  it.effect("to emoji that storage takes for such", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Constraints")
      assert.isTrue(yield* Effect.isFailure(fill(thread, loki, [""])))
      assert.isTrue(yield* Effect.isFailure(fill(thread, loki, ["x".repeat(17)])))
      assert.isTrue(yield* Effect.isFailure(fill(thread, loki, ["🎉", "🎉"])))
    })
  )
})
