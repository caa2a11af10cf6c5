import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { guest } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"

export const operations = ["TagList"]

export const walks: Walks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into tags (id, created_at, name, item_count)
    select 't' || lpad(n::text, 18, '0') || '0', now(), 'tag-' || md5(n::text), n / 60 from generate_series(1, 180) n`
  const remove = (name: string) => sql`delete from tags where name = ${name}`
  const list = {
    operation: "TagList",
    viewer: guest,
    rows: "tags",
    idOf: ({ name }: { readonly name: string }) => name,
    remove
  }
  return [
    { ...list, path: "/tags", narrowed: "/tags?q=tag" },
    { ...list, when: "with a text", path: "/tags?q=tag", narrowed: "/tags?q=tag-" }
  ]
})
