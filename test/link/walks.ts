import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast, guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["LinkList"]

export const walks: Walks = Effect.gen(function* () {
  const { freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into links (id, created_at, updated_at, url, slug, domain, is_public, search_text)
    select 'far' || lpad(n::text, 16, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 microsecond', 'epoch',
      'https://far.test/' || n, 'far-' || n, 'far.test', true, 'far' from generate_series(1, 160) n`
  // Some that only their author sees, as they stand in drafts.
  yield* Effect.forEach(
    [1, 2, 3],
    (n) =>
      freya.post("/threads", { title: `Draft ${n}`, visibility: "draft", url: `https://hidden.test/${n}` }),
    { discard: true }
  )
  yield* sql`update links set created_at = 'epoch' where url like 'https://hidden.test/%'`
  const remove = (id: string) =>
    Effect.andThen(
      sql`update threads set link_id = null where link_id = ${id}`,
      sql`delete from links where id = ${id}`
    )
  const list = { operation: "LinkList", rows: "links", remove }
  return [
    { ...list, viewer: guest, path: "/links", narrowed: "/links?q=far" },
    { ...list, when: "with those of drafts", viewer: freya, path: "/links", narrowed: "/links?q=far" },
    { ...list, when: "with a text", viewer: guest, path: "/links?q=far", narrowed: "/links" }
  ]
})
