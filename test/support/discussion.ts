/** What people usually do in a discussion. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "./answers.ts"
import type { Person } from "./people.ts"

/** Opens a thread, published unless `more` says otherwise. */
export const open = (author: Person, title: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(author.post("/threads", { title, visibility: "published", ...more }), ok)

export const reply = (
  author: Person,
  thread: string,
  body: string,
  more: Readonly<Record<string, unknown>> = {}
) => Effect.map(author.post(`/threads/${thread}/replies`, { body, ...more }), ok)

export const category = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/categories", { name, description: "", colour: "", ...more }), ok)

/** Authors with another number of published threads in a category than is kept of them. */
export const miscountedAuthors = SqlClient.SqlClient.use(
  (
    sql
  ) => sql`select coalesce(a.author_id, t.author_id) as author, a.published as kept, t.published as counted
    from (select author_id, coalesce(category_id, '') as place, published from author_totals where published > 0) a
    full join (select author_id, coalesce(category_id, '') as place, count(*) as published from threads
      where visibility = 'published' and deleted_at is null group by 1, 2) t using (author_id, place)
    where t.published is distinct from a.published`
)

/** Stores what is known of an uploaded file, without its bytes. */
export const asset = (id: string, parent?: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into assets
      (id, created_at, filename, original_name, mime_type, size, width, height, parent_id, store)
      values (${id}, 'epoch', ${`${id}-cover-png`}, 'cover.png', 'image/png', 1, 4, 3, ${parent ?? null}, 'disk')`
  )
