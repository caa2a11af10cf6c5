/** Walks through lists of threads by cursors, while people write. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CursorMismatch } from "../../src/domain/shared/ListPlace.ts"
import { SearchTookTooLong, searchSeconds } from "../../src/domain/text/TextProblem.ts"
import { ThreadMoveRetention } from "../../src/persistence/thread/ThreadMoveRetentionSql.ts"
import { movedMax } from "../../src/persistence/thread/ThreadWalkSql.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { everyPage } from "../support/lists.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

/** Whole numbers below a limit, the same in every run with a seed. */
const numbersFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 48_271) % 0x7fffffff
    return state % below
  }
}

type Below = ReturnType<typeof numbersFrom>

const oneOf = <A>(below: Below, items: ReadonlyArray<A>): A | undefined => items[below(items.length)]

interface Post {
  readonly id: string
  readonly author: Person
}

/** A walk that somebody has begun. */
interface Walk {
  readonly parameters: string
  /** The list as it was when the walk began. */
  readonly before: ReadonlyArray<string>
  readonly shown: Array<string>
  next: string | undefined
}

const lists = ["", "&ignore_pinned=true", "&author=freya", "&q=common", "&categories=null&ignore_pinned=true"]

const begin = Effect.fnUntraced(function* (parameters: string) {
  const { found } = yield* everyPage(guest, `/threads?${parameters.slice(1)}`, "threads", 400 * 1024)
  const page = ok(yield* guest.get(`/threads?${parameters.slice(1)}`))
  const walk: Walk = { parameters, before: idsOf(found), shown: idsOf(page.threads), next: page.next_cursor }
  return walk
})

const goOn = Effect.fnUntraced(function* (walk: Walk) {
  const page = ok(yield* guest.get(`/threads?cursor=${walk.next}${walk.parameters}`))
  assert.isAtLeast(page.threads.length, 1)
  walk.shown.push(...idsOf(page.threads))
  walk.next = page.next_cursor
})

/** What people do to the threads of a forum, at random. */
const makeForum = (below: Below) =>
  Effect.gen(function* () {
    const { freya, loki, odin } = yield* Cast
    const threads: Array<Post> = []
    const replies: Array<Post> = []
    const gone = new Set<string>()

    const opens = Effect.gen(function* () {
      const author = below(3) === 0 ? odin : freya
      const body = below(12) === 0 ? `common ${'"'.repeat(55_000)}` : "common"
      const pinned = author === odin && below(2) === 0 ? { pinned: below(3) - 1 } : {}
      const { id } = yield* open(author, "t", { body, ...pinned })
      threads.push({ id, author })
    })

    const replies_ = Effect.gen(function* () {
      const thread = oneOf(below, threads)
      if (thread === undefined) return
      const { id } = yield* reply(below(2) === 0 ? loki : freya, thread.id, "r")
      replies.push({ id, author: odin })
    })

    /** Takes a reply out of the forum for good, or hides it or shows it again. */
    const changesReply = Effect.gen(function* () {
      const one = oneOf(below, replies)
      if (one === undefined || gone.has(one.id)) return
      const action = below(3)
      const answer =
        action === 0
          ? yield* odin.delete(`/posts/${one.id}`)
          : yield* odin.patch(`/posts/${one.id}`, { visibility: action === 1 ? "review" : "published" })
      if (action === 0) gone.add(one.id)
      assert.include([200, 204, 404], answer.status)
    })

    const pins = Effect.gen(function* () {
      const thread = oneOf(below, threads)
      if (thread === undefined) return
      ok(yield* odin.patch(`/threads/${thread.id}`, { pinned: below(3) - 1 }))
    })

    const deletes = Effect.gen(function* () {
      const [thread] = threads.splice(below(threads.length), 1)
      if (thread === undefined) return
      ok(yield* odin.delete(`/threads/${thread.id}`))
      gone.add(thread.id)
    })

    const passes = Effect.suspend(() =>
      TestClock.adjust(`${below(4) === 0 ? below(70_000) : below(3)} millis`)
    )

    const acts = Effect.suspend(() => {
      const kinds = [opens, replies_, replies_, replies_, replies_, changesReply, changesReply, pins, deletes]
      return Effect.andThen(passes, oneOf(below, kinds) ?? Effect.void)
    })

    return { opens, acts, gone } as const
  })

layer(People.layer)("walks through the list of threads by cursors", (it) => {
  it.effect("show each thread that exists throughout once, where it was when they began", () =>
    Effect.gen(function* () {
      const below = numbersFrom(Number(process.env.WALKS_SEED ?? 20_260))
      const forum = yield* makeForum(below)
      for (let n = 0; n < 110; n++)
        yield* Effect.andThen(forum.opens, TestClock.adjust(`${below(2)} seconds`))
      for (let n = 0; n < 60; n++) yield* forum.acts
      const ended: Array<Walk> = []
      const walks: Array<Walk> = []
      for (let round = 0; round < Number(process.env.WALKS_ROUNDS ?? 40); round++) {
        if (walks.length < 4) walks.push(yield* begin(lists[round % lists.length] ?? ""))
        for (let n = below(6); n > 0; n--) yield* forum.acts
        const walk = oneOf(below, walks)
        if (walk?.next !== undefined) yield* goOn(walk)
        if (walk !== undefined && walk.next === undefined) ended.push(...walks.splice(walks.indexOf(walk), 1))
      }
      for (const walk of walks) {
        while (walk.next !== undefined) yield* Effect.andThen(forum.acts, goOn(walk))
        ended.push(walk)
      }
      for (const { before, parameters, shown } of ended) {
        assert.strictEqual(new Set(shown).size, shown.length, parameters)
        const there = new Set(before.filter((id) => !forum.gone.has(id)))
        const [walked, was] = [shown, before].map((ids) => ids.filter((id) => there.has(id)))
        assert.deepStrictEqual(walked, was, parameters)
      }
      assert.isAbove(ended.length, 10)
    })
  )

  it.effect("show a thread whose reply was on its way when they began once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const old = yield* open(freya, "replied to", { tags: ["slow"] })
      yield* TestClock.adjust("1 second")
      for (let n = 0; n < 60; n++) yield* open(freya, "t", { tags: ["slow"] })
      const tag = ok(yield* guest.get(`/threads/${old.id}`)).tags[0].name
      const sql = yield* SqlClient.SqlClient
      const list = `/threads?tags=${(yield* sql<{ id: string }>`select id from tags where name = ${tag}`)[0]?.id}`
      const first = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update threads set replies_made = 1, reply_count = 1, last_reply_at = active_at + interval '2 seconds',
            active_at = active_at + interval '2 seconds' where id = ${old.id}`
          yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
            select 'slowly', id, 1, author_id, active_at, active_at, 'published', '<body>r</body>', 'r'
            from threads where id = ${old.id}`
          return ok(yield* guest.get(list))
        })
      )
      assert.notInclude(idsOf(first.threads), old.id)
      const second = ok(yield* guest.get(`${list}&cursor=${first.next_cursor}`))
      assert.strictEqual(idsOf(second.threads).at(-1), old.id)
      assert.isUndefined(second.next_cursor)
      assert.strictEqual(idsOf(ok(yield* guest.get(list)).threads)[0], old.id)
    })
  )

  it.effect("refuse cursors of other lists, and what is none", () =>
    Effect.gen(function* () {
      const { next_cursor: cursor } = ok(yield* guest.get("/threads"))
      assertProblem(
        yield* guest.get(`/threads?ignore_pinned=true&cursor=${cursor}`),
        CursorMismatch,
        undefined
      )
      assertInvalid(yield* guest.get(`/threads?page=1&cursor=${cursor}`), "query page")
      const [version, list, page, key] = JSON.parse(Buffer.from(cursor, "base64url").toString())
      const forged = (values: ReadonlyArray<unknown>) =>
        guest.get(
          `/threads?cursor=${Buffer.from(JSON.stringify([version, list, page, values])).toString("base64url")}`
        )
      ok(yield* forged(key))
      const [pinned, active, id, since, snapshot] = key
      for (const values of [
        [],
        [...key, ""],
        [active, id, since, snapshot],
        ["x", active, id, since, snapshot],
        ["99999999999", active, id, since, snapshot],
        [pinned, "2026-02-30T00:00:00.000000Z", id, since, snapshot],
        [pinned, active, id, "yesterday", snapshot],
        [pinned, active, id, since, ""],
        [pinned, active, id, since, "1:2"],
        [pinned, active, id, since, "3:2:"],
        [pinned, active, id, since, "1:5:4,3"],
        [pinned, active, id, since, "1:99999999999999999999:"]
      ]) {
        assertInvalid(yield* forged(values), "query cursor")
      }
    })
  )

  it.effect("go on after a month, when it is forgotten where threads were", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const retention = yield* ThreadMoveRetention
      const first = yield* open(freya, "pinned and unpinned")
      for (let n = 0; n < 60; n++) yield* open(freya, "t")
      const { next_cursor: cursor } = ok(yield* guest.get("/threads?ignore_pinned=true"))
      const noted = Effect.map(
        sql<{
          readonly pinned: number
        }>`select pinned from thread_moves where thread_id = ${first.id} order by id`,
        (moves) => moves.map(({ pinned }) => pinned)
      )
      for (const pinned of [1, 2, 0]) ok(yield* odin.patch(`/threads/${first.id}`, { pinned }))
      assert.deepStrictEqual(yield* noted, [0, 1, 2])
      // More than are deleted at a time are old enough, and two are not.
      yield* sql`update thread_moves set moved_at = now() - interval '30 days 1 minute'`
      yield* sql`insert into thread_moves (thread_id, pinned, moved_at)
        select ${first.id}, 7, now() - interval '30 days 1 minute' from generate_series(1, 2500)`
      yield* sql`insert into thread_moves (thread_id, pinned, moved_at)
        values (${first.id}, 8, now() - interval '30 days' + interval '1 hour'), (${first.id}, 9, now())`
      yield* retention.apply
      assert.deepStrictEqual(yield* noted, [8, 9])
      ok(yield* guest.get(`/threads?ignore_pinned=true&cursor=${cursor}`))
    })
  )

  it.effect("end when very many threads have been active since they began", () =>
    Effect.gen(function* () {
      const { next_cursor: cursor } = ok(yield* guest.get("/threads"))
      const sql = yield* SqlClient.SqlClient
      ok(yield* guest.get(`/threads?cursor=${cursor}`))
      yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
        select 'busy' || n, active_at, author_id, 'published', active_at + interval '1 day'
        from generate_series(1, ${movedMax + 1}::int) n, (select * from threads limit 1) t`
      assertProblem(yield* guest.get(`/threads?cursor=${cursor}`), SearchTookTooLong, {
        maximum_seconds: searchSeconds,
        retry_after: searchSeconds
      })
    })
  )
})
