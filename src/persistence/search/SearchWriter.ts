/** Keeps what is searched, for the stores of what can be found: parts of the statements that write the items. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { beginningsOf, piecesOf } from "../../domain/search/Terms.ts"
import type { RichText } from "../../domain/shared/RichText.ts"
import { searchForm, searchFormOf, searchKey } from "../../domain/thread/SearchText.ts"

/** What people see of an item; a reply has no title of its own. */
interface Shown {
  readonly heading?: { readonly title: string; readonly slug: string }
  readonly body: RichText
}

interface Changed {
  readonly title?: string | undefined
  readonly body?: RichText | undefined
}

/** Values without line breaks as one, which is a shorter parameter than an array. */
const joined = (values: ReadonlyArray<string>) => values.join("\n")

const titleForms = (title: string | undefined) => {
  if (title === undefined) return { title: null, beginnings: null }
  const form = searchForm(title).trim()
  return { title: searchKey(form), beginnings: joined(beginningsOf(form)) }
}

const bodyForms = (document: RichText | undefined) => {
  if (document === undefined) return { body: null, pieces: null }
  const body = searchFormOf(document)
  return { body: searchKey(body), pieces: joined(piecesOf(body)) }
}

export const makeSearchWriter = Effect.map(PgClient.PgClient, (sql) => {
  const beginningsFrom = (lines: string | null) => sql`string_to_array(${lines}::text, e'\n')`
  const piecesFrom = (lines: string | null) =>
    sql`array_to_tsvector(string_to_array(nullif(${lines}::text, ''), e'\n'))`

  const headingFrom = (heading: Shown["heading"]) => {
    if (heading === undefined) return sql.literal("null, null, null")
    const { beginnings, title } = titleForms(heading.title)
    return sql`${title}::text, ${searchKey(searchForm(heading.slug))}::text, ${beginningsFrom(beginnings)}`
  }

  /**
   * Inserts what is searched of an item. `source` names rows that the statement writes, one with its `id`,
   * `thread_id`, `author_id`, `created_at` and `visibility`. The visibility follows that of the post by itself,
   * and what is searched of it goes with the post.
   */
  const insertFrom = (source: string, kind: "thread" | "reply", { body: document, heading }: Shown) => {
    const { body, pieces } = bodyForms(document)
    // What most items do not have is part of the text: each parameter takes time, too.
    return sql`insert into search_texts
        (kind, id, thread_id, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
      select ${sql.literal(`'${kind}'`)}, id, thread_id, author_id, created_at, visibility,
        ${headingFrom(heading)}, ${body}::text, ${pieces === "" ? sql.literal("null") : piecesFrom(pieces)}
      from ${sql.literal(source)}`
  }

  /** Changes what is searched of an item to what it shows from now on. */
  const update = (id: string, changed: Changed) => {
    const { beginnings, title } = titleForms(changed.title)
    const { body, pieces } = bodyForms(changed.body)
    return sql`update search_texts set title = coalesce(${title}::text, title),
        beginnings = coalesce(${beginningsFrom(beginnings)}, beginnings), body = coalesce(${body}::text, body),
        pieces = case when ${body}::text is null then pieces else ${piecesFrom(pieces)} end
      where id = ${id} and (${title}::text is not null or ${body}::text is not null)`
  }

  return { insertFrom, update } as const
})
