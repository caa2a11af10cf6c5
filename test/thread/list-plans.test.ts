/** By which indexes PostgreSQL reads the pages of lists of threads, and what is about a link. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../support/database.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { counting, statementsOf } from "../support/statements.ts"

const listed = "from threads t where t.deleted_at is null and t.visibility = 'published'"
const inCategory = "t.category_id = (select id from categories where slug = 'x')"
const byPin = "t.pinned desc, t.active_at desc, t.id desc"
const byActivity = "t.active_at desc, t.id desc"
const backwards = (order: string) => order.replaceAll(" desc", "")

/** What follows a thread in a walk. */
const after = "and t.active_at <= now()"
const afterByPin = `${after} and (t.pinned, t.active_at, t.id) < (0, now(), 'x')`
const afterByActivity = `${after} and (t.active_at, t.id) < (now(), 'x')`

const plans = [
  ["threads_by_pin", `select t.id ${listed} ${afterByPin} order by ${byPin}`],
  ["threads_by_activity", `select t.id ${listed} ${afterByActivity} order by ${byActivity}`],
  ["threads_of_category", `select t.id ${listed} and ${inCategory} ${afterByPin} order by ${byPin}`],
  [
    "threads_of_category",
    `select t.id ${listed} and t.category_id is null ${afterByPin} order by t.category_id, ${byPin}`
  ],
  ["threads_of_author", `select t.id ${listed} and t.author_id = 'x' ${afterByPin} order by ${byPin}`],
  [
    "threads_of_author_by_activity",
    `select t.id ${listed} and t.author_id = 'x' ${afterByActivity} order by ${byActivity}`
  ],
  // And where threads were that have moved since a walk began.
  ["threads_by_activity", `select t.id ${listed} and t.active_at > now()`],
  ["thread_moves_moved_in", "select id from thread_moves where moved_in >= pg_snapshot_xmin('10:20:')"],
  [
    "posts_of_thread",
    `select p.created_at from posts p where p.thread_id = 'x' and p.id <> p.thread_id and p.deleted_at is null
      and p.visibility = 'published' and p.created_at < now() order by p.created_at desc, p.id desc`
  ],
  ["threads_by_pin", `select * ${listed} order by ${byPin}`],
  ["threads_by_activity", `select * ${listed} order by ${byActivity}`],
  ["threads_of_category", `select * ${listed} and ${inCategory} order by ${byPin}`],
  ["threads_of_category", `select * ${listed} and t.category_id is null order by t.category_id, ${byPin}`],
  ["threads_of_category_by_activity", `select * ${listed} and ${inCategory} order by ${byActivity}`],
  [
    "threads_of_category_by_activity",
    `select * ${listed} and ${inCategory} order by ${backwards(byActivity)}`
  ],
  [
    "threads_of_category_by_activity",
    `select * ${listed} and t.category_id is null order by t.category_id, ${byActivity}`
  ],
  [
    "threads_of_category_by_activity",
    `select * ${listed} and t.category_id is null order by t.category_id desc, ${backwards(byActivity)}`
  ],
  ["threads_of_author", `select * ${listed} and t.author_id = 'x' order by ${byPin}`],
  ["threads_of_author_by_activity", `select * ${listed} and t.author_id = 'x' order by ${byActivity}`],
  [
    "threads_link_id",
    "select id from threads where link_id = 'x' and visibility = 'published' and deleted_at is null order by id desc"
  ],
  ["nodes_link_id", "select id from nodes where link_id = 'x' and visibility = 'published' order by id desc"]
] as const

/** What is passed over on the way to a far page, and what is counted. */
const indexOnly = [
  ["threads_by_pin", `select t.id ${listed} order by ${byPin}`],
  ["threads_by_activity", `select t.id ${listed} and t.author_id = any('{a,b}') order by ${byActivity}`],
  ["threads_of_category", `select t.id ${listed} and ${inCategory} order by ${byPin}`],
  ["threads_of_category_by_activity", `select t.id ${listed} and ${inCategory} order by ${byActivity}`],
  ["threads_of_author_by_activity", `select t.id ${listed} and t.author_id = 'x' order by ${byActivity}`],
  ["thread_tags_listed", "select count(*) from thread_tags where tag_id = 'x' and listed"],
  [
    "threads_unpublished",
    `select count(*) from threads t where t.deleted_at is null and t.visibility <> 'published'
      and t.author_id = 'x' and t.category_id is null`
  ]
] as const

layer(Database.fresh)("pages of threads", (it) => {
  const withoutOtherWays = <A, E, R>(reading: Effect.Effect<A, E, R>) =>
    SqlClient.SqlClient.use((sql) =>
      sql.withTransaction(
        Effect.andThen(
          Effect.forEach(["seqscan", "bitmapscan", "sort", "incremental_sort"], (way) =>
            sql.unsafe(`set local enable_${way} = off`)
          ),
          reading
        )
      )
    )

  const assertPlans = (expected: ReadonlyArray<readonly [string, string]>, scan: string) =>
    withoutOtherWays(
      SqlClient.SqlClient.use((sql) =>
        Effect.forEach(expected, ([index, statement]) =>
          Effect.map(sql.unsafe<{ "QUERY PLAN": string }>(`explain ${statement} limit 50`), (rows) => {
            const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
            assert.match(plan, new RegExp(`${scan}( Backward)? using ${index} `), statement)
            assert.notInclude(plan, "Sort", statement)
          })
        )
      )
    )

  it.effect("are read in the order of an index, and passed over in an index alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select n, 'epoch', 'epoch', n, n, n from generate_series(1, 20) n`
      yield* sql`insert into categories (id, created_at, updated_at, name, slug, description, colour)
        select n, 'epoch', 'epoch', n, n, '', '' from generate_series(1, 20) n`
      yield* sql`insert into threads (id, created_at, author_id, category_id, visibility, active_at)
        select 't' || n, 'epoch', 1 + n % 20, nullif(1 + n % 21, 21), 'published', 'epoch' from generate_series(1, 5000) n`
      yield* sql`vacuum (analyze) threads`
      yield* assertPlans(plans, "Index( Only)? Scan")
      yield* assertPlans(indexOnly, "Index Only Scan")
    })
  )
})

layer(counting(People.layer))("the statements of lists of threads", (it) => {
  it.effect("have the orders of these plans, and read no more than ids of what they pass over", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const place = yield* category(odin, "Place")
      // Lists that are empty are not read.
      yield* SqlClient.SqlClient.use((sql) =>
        Effect.all([
          sql`update thread_totals set published = 300 where shard = 0`,
          sql`update categories set post_count = 100`,
          sql`insert into author_totals values (${odin.id}, ${place.id}, 100)`
        ])
      )
      const whole = "select * from threads t where"
      const ids = "select t.id from threads t where"
      for (const [query, selected, order] of [
        ["", whole, byPin],
        ["ignore_pinned=true", whole, byActivity],
        ["page=2", ids, byPin],
        ["page=2&ignore_pinned=true", ids, byActivity],
        ["categories=place&ignore_pinned=true", whole, byActivity],
        ["categories=null", whole, `t.category_id, ${byPin}`],
        ["categories=null&ignore_pinned=true", whole, `t.category_id, ${byActivity}`],
        ["author=odin&ignore_pinned=true", whole, byActivity],
        ["author=odin&categories=place", ids, byPin]
      ] as const) {
        const { statements } = yield* statementsOf(guest.get(`/threads?${query}`))
        const texts = statements.map((text) => text.replace(/\s+/g, " "))
        assert.isTrue(
          texts.some((text) => text.includes(selected) && text.includes(` order by ${order} `)),
          `${query}: ${texts.join("\n")}`
        )
      }
    })
  )
})
