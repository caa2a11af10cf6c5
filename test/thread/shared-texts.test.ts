import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

/** The same numbers in every run. */
const makeRandom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type World = HttpClient.HttpClient | SqlClient.SqlClient

const bodies = [
  "plain",
  "<p>with <b>markup</b> &amp; “quotes”</p>",
  '<p>see <a href="https://a.test/x">there</a></p>',
  '{"liked":false}],"replies":[] \\" \\u0000 😀 \u2028'
]

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "texts that are written once for all viewers",
  (it) => {
    it.effect(
      "are at every moment, for every viewer, what an instance answers that keeps none",
      () =>
        Effect.gen(function* () {
          const { freya, loki, odin, tyr } = yield* Cast
          const sql = yield* SqlClient.SqlClient
          const uncached = yield* TestApp.UncachedClient
          const random = makeRandom(7)
          const pick = <A>(list: ReadonlyArray<A>): A => {
            const found = list[random(list.length)]
            if (found === undefined) throw new Error("There is nothing to pick from")
            return found
          }
          const people: ReadonlyArray<Person> = [freya, loki, odin, tyr]
          const place = yield* category(odin, "Place")
          const threads: Array<string> = []
          const replies: Array<readonly [thread: string, reply: string]> = []
          /** By the id of their owner. */
          const collections = new Map<string, string>()
          const anyThread = () => pick(threads)

          const openOne = Effect.gen(function* () {
            const { id } = yield* open(pick(people), `Thread ${threads.length}`, {
              body: pick(bodies),
              tags: random(2) === 0 ? ["even"] : ["odd", "even"],
              ...(random(2) === 0 ? { category: place.id } : {}),
              ...(random(5) === 0 ? { url: "https://about.test/" } : {}),
              meta: { liked: false, nested: [{ likes: { liked: true } }] }
            })
            threads.push(id)
          })

          const replyOnce = Effect.gen(function* () {
            const thread = anyThread()
            const targets = replies.filter(([of]) => of === thread)
            const quotes = targets.length > 0 && random(2) === 0 ? { reply_to: pick(targets)[1] } : {}
            const answer = yield* pick(people).post(`/threads/${thread}/replies`, {
              body: pick(bodies),
              ...quotes
            })
            if (answer.status === 200) replies.push([thread, answer.json.id])
          })

          const like = Effect.gen(function* () {
            const [thread, post] = random(2) === 0 || replies.length === 0 ? [anyThread(), ""] : pick(replies)
            yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
            values (${`like${random(1e9)}`}, ${post || thread}, ${thread}, ${pick(people).id}, now())
            on conflict do nothing`
          })

          const collect = Effect.gen(function* () {
            const [person, thread] = [pick(people), anyThread()]
            if (!collections.has(person.id)) {
              collections.set(person.id, (yield* person.post("/collections", { name: "c" })).json.id)
            }
            const place = `/collections/${pick([...collections.values()])}/posts/${thread}`
            yield* random(3) === 0 ? person.delete(place) : person.put(place)
          })

          const changes: ReadonlyArray<Effect.Effect<unknown, unknown, World>> = [
            openOne,
            collect,
            collect,
            replyOnce,
            replyOnce,
            replyOnce,
            like,
            like,
            Effect.suspend(() => sql`delete from likes where account_id = ${pick(people).id}`),
            Effect.suspend(() =>
              pick(people).patch(`/threads/${anyThread()}`, { title: `Renamed ${random(100)}` })
            ),
            Effect.suspend(() =>
              tyr.patch(`/threads/${anyThread()}`, { visibility: pick(["published", "review", "draft"]) })
            ),
            Effect.suspend(() =>
              tyr.patch(`/threads/${anyThread()}`, { tags: [pick(["even", "odd", "new"])] })
            ),
            Effect.suspend(() => tyr.patch(`/threads/${anyThread()}`, { pinned: random(3) })),
            Effect.suspend(() =>
              tyr.patch(`/posts/${pick(replies)[1]}`, {
                visibility: pick(["published", "review", "unlisted"])
              })
            ),
            Effect.suspend(() => pick(people).patch(`/posts/${pick(replies)[1]}`, { body: pick(bodies) })),
            Effect.suspend(() => pick(people).delete(`/posts/${pick(replies)[1]}`)),
            Effect.suspend(() => pick(people).patch("/accounts", { name: `Name ${random(100)}` })),
            Effect.suspend(() => pick(people).patch("/accounts", { signature: `<p>${random(100)}</p>` })),
            Effect.suspend(() =>
              pick(people).post("/beacon", JSON.stringify({ k: "thread", id: anyThread() }), {
                "content-type": "text/plain"
              })
            ),
            Effect.suspend(() => sql`update categories set name = ${`Place ${random(100)}`}`),
            Effect.suspend(() => sql`update links set title = ${`Title ${random(100)}`}`),
            Effect.suspend(
              () => sql`update roles set colour = ${pick(["red", "blue", "green"])} where name = 'Member'`
            ),
            Effect.suspend(
              () => sql`insert into reacts (id, post_id, account_id, emoji, created_at)
            values (${`react${String(random(1e9)).padStart(15, "0")}`}, ${anyThread()}, ${pick(people).id}, '🎉', now())
            on conflict do nothing`
            ),
            TestClock.adjust("700 millis")
          ]

          const compare = (path: string, person: Person) =>
            Effect.gen(function* () {
              const ours = yield* person.get(path)
              const theirs = yield* Effect.provideService(person.get(path), HttpClient.HttpClient, uncached)
              const facts = ({ headers, json, status }: Answer) => ({
                status,
                json: status === 200 ? json : { ...json, trace_id: "" },
                etag: headers.etag
              })
              assert.deepStrictEqual(facts(ours), facts(theirs), `${path} for ${person.id}`)
              // Read again, the text comes from where it was kept.
              assert.deepStrictEqual(facts(yield* person.get(path)), facts(theirs), `${path} again`)
            })

          for (let n = 0; n < 4; n++) yield* openOne
          for (let n = 0; n < 60; n++) yield* replyOnce
          for (let step = 0; step < 80; step++) {
            yield* pick(changes)
            const person = pick([guest, ...people])
            yield* compare(`/threads/${anyThread()}`, person)
            yield* compare(
              `/threads${pick(["", "?page=2", "?ignore_pinned=true", "?visibility=review"])}`,
              person
            )
          }
          yield* grant(loki, "CREATE_INVITATION")
          yield* suspend(freya)
          for (const thread of threads) {
            for (const person of [guest, loki, odin, tyr]) yield* compare(`/threads/${thread}`, person)
          }
          for (const person of [guest, loki, odin, tyr]) yield* compare("/threads", person)
        }),
      60_000
    )
  }
)

layer(People.layer)("a thread's text", (it) => {
  it.effect("is the answer to a change too, with what its viewer likes", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Value", { tags: ["value"] })
      const first = yield* reply(loki, thread.id, "first")
      yield* reply(freya, thread.id, "second", { reply_to: first.id })
      yield* reply(freya, thread.id, "third", { reply_to: thread.id })
      for (const post of [thread.id, first.id]) {
        yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
          values (${`l${post.slice(1)}`}, ${post}, ${thread.id}, ${freya.id}, now())`
      }
      const read = ok(yield* freya.get(`/threads/${thread.id}`))
      const written = ok(yield* freya.patch(`/threads/${thread.id}`, {}))
      assert.deepStrictEqual({ ...written, updatedAt: "" }, { ...read, updatedAt: "" })
      assert.deepStrictEqual(
        read.replies.replies.map(({ likes }: typeof read) => likes.liked),
        [true, false, false]
      )
      assert.strictEqual(read.replies.replies[1].reply_to.likes.liked, true)
      assert.strictEqual(read.replies.replies[2].reply_to.id, thread.id)
      assert.deepStrictEqual(idsOf(ok(yield* loki.get("/threads")).threads).includes(thread.id), true)
    })
  )

  it.effect("shows a quoted reply of another page only to those who may read it", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Quoted")
      const quoted = yield* reply(loki, thread.id, "in review later")
      for (let n = 1; n <= 50; n++) yield* reply(freya, thread.id, `reply ${n}`)
      yield* reply(loki, thread.id, "on page 2", { reply_to: quoted.id })
      yield* tyr.patch(`/posts/${quoted.id}`, { visibility: "review" })
      const quotedFor = (person: typeof guest) =>
        Effect.map(
          person.get(`/threads/${thread.id}?page=2`),
          (answer) => ok(answer).replies.replies.at(-1).reply_to?.id
        )
      assert.strictEqual(yield* quotedFor(tyr), quoted.id)
      assert.isUndefined(yield* quotedFor(guest))
      assert.isUndefined(yield* quotedFor(freya))
      assert.strictEqual(yield* quotedFor(loki), quoted.id)
    })
  )

  it.effect("in a list follows its link, and shows each viewer their own likes", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Listed", { url: "https://listed.test/" })
      const listedFor = (person: typeof guest) =>
        Effect.map(person.get("/threads"), (answer) =>
          ok(answer).threads.find(({ id }: { readonly id: string }) => id === thread.id)
        )
      yield* listedFor(guest)
      yield* sql`update links set title = 'Another title'`
      assert.strictEqual((yield* listedFor(guest)).link.title, "Another title")
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        values ('listed', ${thread.id}, ${thread.id}, ${loki.id}, now())`
      assert.deepStrictEqual((yield* listedFor(loki)).likes, { likes: 1, liked: true })
      assert.deepStrictEqual((yield* listedFor(freya)).likes, { likes: 1, liked: false })
    })
  )
})
