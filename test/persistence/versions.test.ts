import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, type Person } from "../support/people.ts"

interface Versions {
  readonly people: string
  readonly links: string
  readonly tags_and_categories: string
}

const nameOf = (person: Person) => Effect.map(person.get("/accounts"), (answer) => ok(answer).name)

layer(People.layer)("what the database keeps by itself", (it) => {
  it.effect("a thread's version rises with every change of what belongs to it, whoever makes it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Versions")
      const thread = yield* open(freya, "Versions", { category: place.id, tags: ["old"] })
      const answer = yield* reply(loki, thread.id, "<a href='https://a.test/'>a</a>")
      const collection = ok(yield* odin.post("/collections", { name: "Versions" }))
      const version = Effect.map(
        sql<{ readonly version: number }>`select version::int from threads where id = ${thread.id}`,
        ([row]) => row?.version ?? 0
      )
      let before = yield* version
      for (const [what, statement] of [
        ["pin", sql`update threads set pinned = 1 where id = ${thread.id}`],
        ["reply's text", sql`update posts set body = '<body>x</body>' where id = ${answer.id}`],
        ["opening's text", sql`update posts set title = 'x' where id = ${thread.id}`],
        [
          "like",
          sql`insert into likes (id, post_id, thread_id, account_id, created_at)
            values ('l', ${answer.id}, ${thread.id}, ${freya.id}, now())`
        ],
        ["unlike", sql`delete from likes where id = 'l'`],
        [
          "reaction",
          sql`insert into reacts (id, post_id, account_id, emoji, created_at)
            values ('r', ${answer.id}, ${freya.id}, '🎉', now())`
        ],
        ["reaction taken back", sql`delete from reacts where id = 'r'`],
        [
          "collected",
          sql`insert into collection_items
              (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id)
            values ('i', ${collection.id}, ${odin.id}, null, now(), 'normal', ${thread.id}, ${thread.id})`
        ],
        ["collection deleted", sql`delete from collections where id = ${collection.id}`],
        ["link removed", sql`delete from post_links where post_id = ${answer.id}`],
        ["tag removed", sql`delete from thread_tags where thread_id = ${thread.id}`],
        ["tag added", sql`insert into thread_tags select ${thread.id}, id from tags where name = 'old'`]
      ] as const) {
        yield* statement
        const after = yield* version
        assert.isAbove(after, before, what)
        before = after
      }
      yield* sql`update threads set pinned = pinned where id = ${thread.id}`
      yield* sql`update posts set body = body where thread_id = ${thread.id}`
      assert.strictEqual(yield* version, before, "a change of nothing")
    })
  )

  it.effect("the shared versions rise with profiles, links, tags and categories, once in a transaction", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Shared versions")
      const thread = yield* open(freya, "Shared versions", {
        category: place.id,
        tags: ["version"],
        url: "https://version.test/"
      })
      const versions = Effect.map(
        sql<Versions>`select sum(people)::text as people, sum(links)::text as links, sum(tags_and_categories)::text as tags_and_categories
          from change_versions`,
        ([row]) => row
      )
      for (const [version, statement] of [
        ["people", sql`update accounts set name = name || 'x' where id = ${freya.id}`],
        ["people", sql`update accounts set handle = handle || 'x' where id = ${loki.id}`],
        ["people", sql`update accounts set admin = not admin where id = ${loki.id}`],
        ["people", sql`update accounts set admin = not admin where id = ${loki.id}`],
        ["people", sql`update accounts set suspended_at = now() where id = ${loki.id}`],
        ["people", sql`update accounts set suspended_at = null where id = ${loki.id}`],
        ["people", sql`update accounts set signature = 'x'`],
        ["people", sql`insert into account_roles select ${freya.id}, id from roles where not built_in`],
        ["people", sql`delete from account_roles`],
        ["people", sql`update roles set meta = '{"a": 1}'`],
        ["links", sql`update links set title = 'x'`],
        ["tags_and_categories", sql`update categories set name = name || 'x'`],
        ["tags_and_categories", sql`update tags set item_count = item_count + 1`]
      ] as const) {
        const before = yield* versions
        yield* statement
        const after = yield* versions
        assert.strictEqual(Number(after?.[version]), Number(before?.[version]) + 1, version)
        assert.deepStrictEqual({ ...after, [version]: "" }, { ...before, [version]: "" })
      }
      const before = yield* versions
      for (const [what, unseen] of [
        ["what no profile reference shows", sql`update accounts set bio = 'x', updated_at = now()`],
        [
          "the same as before, as a change of a profile sets every column",
          sql`update accounts set handle = handle, name = name, signature = signature, admin = admin,
            suspended_at = suspended_at, bio = 'y'`
        ],
        ["a change of the bio", freya.patch("/accounts", { bio: "z" })],
        ["a name that is the same", freya.patch("/accounts", { name: yield* nameOf(freya) })],
        ["a reply", reply(loki, thread.id, "answer")],
        [
          "a draft with tags",
          open(loki, "Draft", { category: place.id, tags: ["version"], visibility: "draft" })
        ]
      ] as const) {
        yield* unseen
        assert.deepStrictEqual(yield* versions, before, what)
      }
    })
  )

  it.effect("likes, reactions and links are counted on their post", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const links = "<a href='https://a.test/'>a</a><a href='https://b.test/'>b</a>"
      const thread = yield* open(freya, "Counted", { body: links })
      const answer = yield* reply(loki, thread.id, links)
      const counts = sql`select like_count, react_count, link_count from posts
        where thread_id = ${thread.id} order by ordinal`
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        select 'c' || p.id || a.id, p.id, ${thread.id}, a.id, now()
        from accounts a, unnest(${[thread.id, answer.id]}::text[]) p (id) where a.id in (${freya.id}, ${loki.id})`
      yield* sql`insert into reacts (id, post_id, account_id, emoji, created_at)
        select lpad(e, 20, '0'), ${answer.id}, ${freya.id}, e, now() from unnest('{a,b,c}'::text[]) e`
      assert.deepStrictEqual(yield* counts, [
        { like_count: 2, react_count: 0, link_count: 2 },
        { like_count: 2, react_count: 3, link_count: 2 }
      ])
      yield* sql`delete from likes where post_id = ${thread.id}`
      yield* sql`delete from reacts where emoji = 'a'`
      ok(yield* loki.patch(`/posts/${answer.id}`, { body: "none" }))
      assert.deepStrictEqual(yield* counts, [
        { like_count: 0, react_count: 0, link_count: 2 },
        { like_count: 2, react_count: 2, link_count: 0 }
      ])
    })
  )

  it.effect("no two replies of a thread have the same number", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Numbers")
      yield* reply(loki, thread.id, "first")
      const second = yield* reply(loki, thread.id, "second")
      const error = yield* Effect.flip(sql`update posts set ordinal = 1 where id = ${second.id}`)
      assert.strictEqual(error.reason._tag, "UniqueViolation")
    })
  )
})
