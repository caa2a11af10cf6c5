import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["EventList"]

export const walks: Walks = Effect.gen(function* () {
  const { odin, freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
    select 'e' || lpad(n::text, 18, '0') || '0', 'epoch', ${odin.id}, 'unlisted', 'epoch' from generate_series(1, 170) n`
  yield* sql`insert into calendar_events (id, created_at, updated_at, thread_id, name, slug, description, starts_at,
      ends_at, policy, visibility, meta, search)
    select id, 'epoch', 'epoch', id, 'Event ' || id, id, '', timestamptz 'epoch' + (n / 7) * interval '1 microsecond',
      '9999-01-01Z', 'open', case when n % 20 = 0 then 'draft' else 'published' end,
      case when n % 30 = 3 then jsonb_build_object('text', repeat('m', 60000)) else '{}' end, 'event'
    from threads cross join lateral (select substr(id, 2, 18)::int as n) number`
  const remove = (id: string) => sql`delete from calendar_events where id = ${id}`
  const list = { operation: "EventList", rows: "events", remove }
  return [
    { ...list, viewer: freya, path: "/events", narrowed: "/events?q=event" },
    { ...list, when: "with a text", viewer: odin, path: "/events?q=event", narrowed: "/events" }
  ]
})
