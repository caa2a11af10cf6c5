/** Keeps the texts that searches look into. The stores of posts and nodes make these statements parts of their own. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { RichText } from "../../domain/text/RichText.ts"
import { bodyForms, type NodeTexts, nodeForms, slugForm, titleForms } from "./SearchForms.ts"

interface Heading {
  readonly title: string
  readonly slug: string
}

/** What is searched of a thread or a reply; a reply has no heading of its own. */
interface Shown {
  readonly heading?: Heading
  readonly body: RichText
}

interface Changed {
  readonly title?: string | undefined
  /** The slug of a thread that gets its first title; otherwise it does not change. */
  readonly slug?: string | undefined
  readonly body?: RichText | undefined
}

interface ShownNode extends NodeTexts {
  readonly name: string
  readonly slug: string
}

interface ChangedNode {
  readonly name?: string | undefined
  readonly slug?: string | undefined
  /** Content and description, if one of them has changed. */
  readonly texts?: NodeTexts | undefined
}

type Forms = ReturnType<typeof bodyForms>

export const makeSearchWriter = Effect.map(PgClient.PgClient, (sql) => {
  const beginningsFrom = (lines: string | null) => sql`string_to_array(${lines}::text, e'\n')`
  const piecesFrom = (lines: string | null) =>
    sql`array_to_tsvector(string_to_array(nullif(${lines}::text, ''), e'\n'))`

  const headingFrom = (heading: Heading | undefined) => {
    if (heading === undefined) return sql.literal("null, null, null")
    const { beginnings, title } = titleForms(heading.title)
    return sql`${title}::text, ${slugForm(heading.slug)}::text, ${beginningsFrom(beginnings)}`
  }

  const insert = (
    source: string,
    kind: "thread" | "reply" | "node",
    heading: Heading | undefined,
    { body, pieces }: Forms
  ) =>
    // What most items do not have is part of the text: each parameter takes time, too.
    sql`insert into search_texts
        (kind, id, thread_id, author_id, created_at, visibility, title, slug, beginnings, body, pieces)
      select ${sql.literal(`'${kind}'`)}, id, thread_id, author_id, created_at, visibility,
        ${headingFrom(heading)}, ${body}::text, ${pieces === "" ? sql.literal("null") : piecesFrom(pieces)}
      from ${sql.literal(source)}`

  /**
   * Inserts what is searched of a thread or a reply. `source` names rows that the statement writes, among them one with
   * the `id`, `thread_id`, `author_id`, `created_at` and `visibility` of the post. The database keeps the visibility
   * equal to that of the post, and deletes what is searched together with the post.
   */
  const insertFrom = (source: string, kind: "thread" | "reply", { body, heading }: Shown) =>
    insert(source, kind, heading, bodyForms(body))

  /**
   * Inserts what is searched of a node, whose row in `source` has null as `thread_id`. The database adds the values of
   * its properties.
   */
  const insertNodeFrom = (source: string, { name, slug, ...texts }: ShownNode) =>
    insert(source, "node", { title: name, slug }, nodeForms(texts))

  /** Changes what is searched of a thread or a reply to what it shows from now on. */
  const update = (id: string, changed: Changed) => {
    const { beginnings, title } = titleForms(changed.title)
    const { body, pieces } = bodyForms(changed.body)
    return sql`update search_texts set title = coalesce(${title}::text, title),
        slug = coalesce(${slugForm(changed.slug)}::text, slug),
        beginnings = coalesce(${beginningsFrom(beginnings)}, beginnings), body = coalesce(${body}::text, body),
        pieces = case when ${body}::text is null then pieces else ${piecesFrom(pieces)} end
      where id = ${id} and (${title}::text is not null or ${body}::text is not null)`
  }

  /** Changes what is searched of a node to what it shows from now on. */
  const updateNode = (id: string, changed: ChangedNode) => {
    const { beginnings, title } = titleForms(changed.name)
    const { body, pieces } = nodeForms(changed.texts)
    const slug = slugForm(changed.slug)
    return sql`update search_texts set title = coalesce(${title}::text, title),
        beginnings = coalesce(${beginningsFrom(beginnings)}, beginnings), slug = coalesce(${slug}::text, slug),
        body = coalesce(${body}::text || searched_values(id), body),
        pieces = case when ${body}::text is null then pieces else ${piecesFrom(pieces)} end
      where id = ${id} and num_nonnulls(${title}::text, ${slug}::text, ${body}::text) > 0`
  }

  return { insertFrom, insertNodeFrom, update, updateNode } as const
})
