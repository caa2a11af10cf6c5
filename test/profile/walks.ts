import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Cast, guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["ProfileList", "ProfileFollowersGet", "ProfileFollowingGet"]

export const walks: Walks = Effect.gen(function* () {
  const { freya } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form, bio)
    select 'm' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 microsecond',
      'epoch'::timestamptz + (n % 5) * interval '1 hour', 'fan' || n, 'fan' || n, 'Fan ' || n % 3, 'fan ' || n % 3,
      'fan' || n, case when n % 40 = 7 then '<body>' || repeat('x', 400000) || '</body>' else '<body></body>' end
    from generate_series(1, 160) n`
  yield* sql`insert into follows (id, follower_id, followed_id, created_at)
    select 'f' || substr(id, 2), id, ${freya.id}, 'epoch'::timestamptz + (substr(id, 2, 18)::int / 7) * interval '1 s'
    from accounts where handle like 'fan%'`
  yield* sql`insert into follows (id, follower_id, followed_id, created_at)
    select 'b' || substr(id, 2), ${freya.id}, id, 'epoch' from accounts where handle like 'fan%'`
  const remove = (id: string) => sql`delete from accounts where id = ${id} and handle like 'fan%'`
  const list = { operation: "ProfileList", viewer: guest, rows: "profiles", remove }
  const follows = { viewer: guest, narrowed: "/profiles/loki/followers" }
  return [
    { ...list, path: "/profiles", narrowed: "/profiles?sort=created_at" },
    { ...list, when: "oldest first", path: "/profiles?sort=created_at", narrowed: "/profiles" },
    { ...list, when: "by name", path: "/profiles?sort=name", narrowed: "/profiles" },
    { ...list, when: "by name, last first", path: "/profiles?sort=-name", narrowed: "/profiles" },
    { ...list, when: "with a text", path: "/profiles?q=fan", narrowed: "/profiles?q=fa" },
    { ...list, when: "with a text, by name", path: "/profiles?q=fan&sort=name", narrowed: "/profiles?q=fan" },
    {
      ...follows,
      operation: "ProfileFollowersGet",
      path: "/profiles/freya/followers",
      rows: "followers",
      remove: (id) => sql`delete from follows where follower_id = ${id}`
    },
    {
      ...follows,
      operation: "ProfileFollowingGet",
      path: "/profiles/freya/following",
      rows: "following",
      remove: (id) => sql`delete from follows where followed_id = ${id}`
    }
  ]
})
