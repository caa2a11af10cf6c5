/** What search shows is what single reads allow, of what is published, whatever happened to it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { firstPage } from "../../src/domain/shared/ListPlace.ts"
import { makeFound } from "../../src/persistence/search/FoundSql.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, query, signUp, suspend } from "../support/people.ts"

const visibilities = ["draft", "unlisted", "review", "published", "published", "published"] as const

const one = fc.constantFrom(...visibilities)

/** What happens to a thread: its visibility at first and then, its replies, and whether it or one of them is deleted. */
const fates = fc.array(
  fc.record({
    first: one,
    later: fc.option(one, { nil: undefined }),
    replies: fc.array(fc.record({ visibility: one, deleted: fc.boolean(), edited: fc.boolean() }), {
      maxLength: 3
    }),
    deleted: fc.integer({ min: 0, max: 4 }).map((n) => n === 0)
  }),
  { minLength: 10, maxLength: 10 }
)

interface Ref {
  readonly id: string
  readonly visibility: string
}

const allFound = Effect.fnUntraced(function* (who: Person, q: string | undefined) {
  const ids: Array<string> = []
  for (let page = 1; ; page++) {
    const answer = ok(
      yield* who.get(`/datagraph${query({ ...(q === undefined ? {} : { q }), page: String(page) })}`)
    )
    ids.push(...answer.items.map(({ ref }: { readonly ref: Ref }) => ref.id))
    if (answer.next_page === undefined) return ids
  }
})

layer(People.layer)("what search shows", (it) => {
  const live = Effect.fnUntraced(function* (
    fate: (typeof fates extends fc.Arbitrary<infer T> ? T : never)[number]
  ) {
    const { freya, loki, tyr } = yield* Cast
    const thread = yield* open(freya, "Fate", { visibility: fate.first, body: "fate" })
    for (const { deleted, edited, visibility } of fate.replies) {
      const path = `/posts/${(yield* reply(tyr, thread.id, "fate")).id}`
      if (visibility !== "published") ok(yield* tyr.patch(path, { visibility }))
      if (edited) ok(yield* tyr.patch(path, { body: "edited fate" }))
      if (deleted) ok(yield* tyr.delete(path))
    }
    if (fate.later !== undefined) ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: fate.later }))
    if (fate.deleted) ok(yield* freya.delete(`/threads/${thread.id}`))
    yield* loki.get(`/threads/${thread.id}`)
    return thread.id as string
  })

  const readable = Effect.fnUntraced(function* (who: Person, threads: ReadonlyArray<string>) {
    const ids: Array<string> = []
    for (const id of threads) {
      const answer = yield* who.get(`/threads/${id}`)
      if (answer.status !== 200 || answer.json.visibility !== "published") continue
      const published: ReadonlyArray<Ref> = answer.json.replies.replies.filter(
        ({ visibility }: Ref) => visibility === "published"
      )
      ids.push(id, ...published.map((ref) => ref.id))
    }
    return ids
  })

  it.effect("is what is published and may be read by itself, for every caller", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const idle = yield* signUp("idle")
      yield* suspend(idle)
      const threads: Array<string> = []
      for (const some of fc.sample(fates, { numRuns: 2, seed: 20_260_101 })) {
        for (const fate of some) threads.push(yield* live(fate))
        for (const who of [guest, freya, loki, tyr, odin, idle]) {
          const expected = yield* readable(who, threads)
          for (const q of ["ate", undefined]) {
            assert.sameMembers(yield* allFound(who, q), expected)
          }
        }
      }
      assert.isAbove((yield* readable(guest, threads)).length, 4)
    })
  )
})

layer(People.layer)("the ways to look for a term", (it) => {
  it.effect("find the same", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const parts = makeFound(sql)
      const words = ["alpha", "beta", "学习编程", "日本", "ф", "a b", "100%", "x_y", "c++", "한국어"]
      const texts = fc
        .array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 })
        .map((some) => some.join(" "))
      const thread = yield* open(freya, "Alpha", { body: "beta 学习" })
      for (const text of fc.sample(texts, { numRuns: 60, seed: 1 })) yield* reply(freya, thread.id, text)
      const terms = fc
        .sample(texts, { numRuns: 40, seed: 2 })
        .flatMap((text) => [text, text.slice(1, 3), text.slice(0, 1)])
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // So that indexes are used where they can be.
          yield* sql`set local enable_seqscan = off`
          for (const term of new Set([...terms, "学", "日本", "本", "beta 学", "没有"])) {
            for (const kinds of [["thread", "reply"], ["thread"], ["reply"]] as const) {
              const filter = { kinds, text: term, place: firstPage, authors: [], categories: [], tags: [] }
              const byWay = (way: "newest" | "indexed") =>
                sql`select * from (${parts.byBody("posts", filter, term, way)}) f order by id`
              assert.deepStrictEqual(yield* byWay("indexed"), yield* byWay("newest"), term)
              const titles = (way: "newest" | "indexed") =>
                sql`select * from (${parts.byTitle("posts", filter, term, way)}) f order by id`
              assert.deepStrictEqual(yield* titles("indexed"), yield* titles("newest"), term)
            }
          }
        })
      )
    })
  )

  it.effect("use an index each", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Among many")
      yield* sql`insert into search_texts
          (id, kind, thread_id, author_id, created_at, visibility, title, slug, beginnings, body)
        select lpad(n::text, 19, '0') || '0', case when shown.title is null then 'reply' else 'thread' end,
          ${thread.id}, ${freya.id}, 'epoch', 'published', shown.title, shown.title,
          case when shown.title is not null then '{}'::text[] end, repeat(md5(n::text), 20)
        from generate_series(1, 6000) n,
          lateral (select case when n % 2 = 0 then md5((n + 1)::text) end as title) shown`
      yield* sql`insert into search_texts
          (id, kind, author_id, created_at, visibility, title, slug, beginnings, body)
        select 'n' || lpad(n::text, 18, '0') || '0', 'node', ${freya.id}, 'epoch', 'published', md5((n + 1)::text), '',
          '{}'::text[], repeat(md5(n::text), 20) from generate_series(1, 3000) n`
      yield* sql`vacuum analyze search_texts`
      const parts = makeFound(sql)
      const filter = { text: undefined, place: firstPage, authors: [], categories: [], tags: [] }
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set local enable_seqscan = off`
          yield* sql`set local enable_nestloop = off`
          const plan = (part: ReturnType<typeof parts.byBody>) =>
            Effect.map(sql`explain ${part}`, (rows) => JSON.stringify(rows))
          const all = { ...filter, kinds: ["thread", "reply"] } as const
          const indexed = yield* plan(parts.byBody("posts", all, "needle", "indexed"))
          for (const index of ["search_texts_replies", "search_texts_titled"]) assert.include(indexed, index)
          assert.include(yield* plan(parts.byBody("posts", all, "学习", "indexed")), "search_texts_pieces")
          assert.include(yield* plan(parts.byTitle("posts", all, "needle", "indexed")), "search_texts_titled")
          const nodes = { ...filter, kinds: ["node"] } as const
          assert.include(yield* plan(parts.byBody("nodes", nodes, "needle", "indexed")), "search_texts_nodes")
          assert.include(
            yield* plan(parts.byTitle("nodes", nodes, "needle", "indexed")),
            "search_texts_nodes"
          )
          const byPieces = yield* plan(parts.byBody("nodes", nodes, "学习", "indexed"))
          for (const index of ["search_texts_node_pieces", "property_values_pieces"]) {
            assert.include(byPieces, index)
          }
          yield* sql`set local enable_nestloop = on`
          yield* sql`set local enable_sort = off`
          assert.include(yield* plan(parts.all(nodes)), "search_texts_newest_nodes")
          assert.include(
            yield* plan(parts.byBody("nodes", nodes, "needle", "newest")),
            "search_texts_newest_nodes"
          )
          assert.include(yield* plan(parts.byBody("posts", all, "needle", "newest")), "search_texts_newest")
          assert.include(
            yield* plan(parts.byTitle("posts", all, "needle", "newest")),
            "search_texts_newest_titled"
          )
          assert.include(yield* plan(parts.all(all)), "search_texts_newest")
        })
      )
    })
  )
})
