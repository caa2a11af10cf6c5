import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast, guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["LikeProfileGet"]

export const walks: Walks = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
    select 'th' || lpad(n::text, 17, '0') || '0', now(), ${freya.id}, 'published', now()
    from generate_series(1, 160) n`
  yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title, slug, body,
      description)
    select id, id, 0, author_id, now(), now(), visibility, 'liked', id, '<body></body>', '' from threads`
  yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
    select 'li' || substr(id, 3), id, id, ${loki.id}, 'epoch'::timestamptz + (substr(id, 3, 17)::int / 7) * interval '1 us'
    from threads`
  return [
    {
      operation: "LikeProfileGet",
      viewer: guest,
      path: "/likes/profiles/loki",
      rows: "likes",
      narrowed: "/likes/profiles/freya",
      remove: (id) => sql`delete from likes where id = ${id}`
    }
  ]
})
