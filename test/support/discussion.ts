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

/** Stores what is known of an uploaded file, without its bytes. */
export const asset = (id: string, parent?: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into assets
      (id, created_at, filename, original_name, mime_type, size, width, height, parent_id, store)
      values (${id}, 'epoch', ${`${id}-cover-png`}, 'cover.png', 'image/png', 1, 4, 3, ${parent ?? null}, 'disk')`
  )
