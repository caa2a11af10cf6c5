/** A change of nothing writes nothing: no time moves, nothing is logged, whatever is changed. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { announce } from "../support/calendar.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents } from "../support/people.ts"

/** A digest of every table but that of consumers, which read by themselves. */
const contents = SqlClient.SqlClient.use((sql) =>
  Effect.flatMap(
    sql<{ readonly name: string }>`select tablename as name from pg_tables
      where schemaname = 'public' and tablename <> 'event_consumers'`,
    (tables) =>
      sql`${sql.literal(
        tables
          .map(
            ({ name }) =>
              `select '${name}' as name, md5(string_agg(t::text, ',' order by t::text)) from "${name}" t`
          )
          .join(" union all ")
      )} order by name`
  )
)

layer(People.layer)("a change of nothing", (it) => {
  it.effect("writes nothing, and answers what is there", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Place")
      const thread = yield* open(freya, "Thread", { category: place.id, tags: ["tag"] })
      const answer = yield* reply(loki, thread.id, `<a href="sdr:profile/${freya.id}">you</a>`)
      const event = yield* announce(odin, place.id, "Event")
      const collection = ok(yield* freya.post("/collections", { name: "Mine" }))
      const node = ok(yield* odin.post("/nodes", { name: "Page", content: "<p>text</p>" }))
      ok(yield* odin.post(`/nodes/${node.slug}/versions`, { name: "Draft" }))
      const role = ok(yield* odin.post("/roles", { name: "Role", colour: "red", permissions: [] }))
      const report = ok(
        yield* loki.post("/reports", { target_id: thread.id, target_kind: "thread", comment: "Look" })
      )
      yield* drainEvents
      const [notice] = ok(yield* freya.get("/notifications")).notifications
      yield* TestClock.adjust("1 hour")
      for (const [person, path] of [
        [freya, `/threads/${thread.id}`],
        [tyr, `/threads/${thread.id}`],
        [freya, `/posts/${thread.id}`],
        [loki, `/posts/${answer.id}`],
        [odin, "/categories/place"],
        [odin, `/events/${event.id}`],
        [freya, `/collections/${collection.id}`],
        [odin, `/nodes/${node.slug}`],
        [odin, `/nodes/${node.slug}/versions/draft`],
        [odin, `/roles/${role.id}`],
        [odin, `/reports/${report.id}`],
        [freya, `/notifications/${notice.id}`],
        [freya, "/accounts"],
        [odin, `/accounts/${loki.id}`],
        [odin, "/admin"]
      ] as const) {
        const before = yield* contents
        for (const body of [{}, { unknown: 1 }]) ok(yield* person.patch(path, body))
        assert.deepStrictEqual(yield* contents, before, path)
      }
    })
  )
})
