import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { Cast, guest, query } from "../support/people.ts"
import type { Walks } from "../support/walks.ts"
import { setChildFields } from "./propertySupport.ts"
import { many } from "./readSupport.ts"
import { draft, versionsPath, write } from "./versionSupport.ts"

export const operations = ["NodeListChildren", "NodeVersionList", "NodeDraftList"]

/** What the children of a page are sorted by, and how the values of the others are made of their numbers. */
const fields = [
  ["Text", "text", "'t' || n % 40"],
  ["Number", "number", "(n % 40 - 20) || '.5e' || n % 3"],
  ["Instant", "timestamp", "'2026-01-' || lpad((n % 28 + 1)::text, 2, '0')"],
  ["Boolean", "boolean", "(n % 2 = 0)::text"]
] as const

/** A page with many children, of which most have values. */
const family = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { odin } = yield* Cast
  const parent = yield* write(odin, "Parent")
  yield* many(odin, parent.id, 210)
  yield* sql`update nodes set description = '' where parent_id = ${parent.id} and right(slug, 1) = '3'`
  yield* sql`update nodes set name = 'Same' where parent_id = ${parent.id} and right(slug, 1) = '4'`
  ok(
    yield* setChildFields(
      odin,
      parent.slug,
      fields.map(([name, type]) => ({ name, type, sort: name }))
    )
  )
  for (const [name, , value] of fields) {
    yield* sql`insert into property_values (node_id, fid, value, search)
      select c.id, f.fid, ${sql.literal(value)}, '' from property_fields f,
        (select id, (row_number() over (order by id))::int as n from nodes where parent_id = ${parent.id}) c
      where f.parent_id = ${parent.id} and f.name = ${name} and n % 5 <> 0 on conflict do nothing`
  }
  return parent
})

export const walks: Walks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { odin } = yield* Cast
  const parent = yield* family
  const path = `/nodes/${parent.slug}/children`
  const children = {
    operation: "NodeListChildren",
    viewer: guest,
    rows: "nodes",
    remove: (id: string) => sql`delete from nodes where id = ${id}`
  }
  const sorted = (children_sort: string) => ({
    ...children,
    when: `by ${children_sort}`,
    path: `${path}${query({ children_sort })}`,
    narrowed: path
  })
  const page = yield* write(odin, "Long history")
  yield* sql`insert into node_versions
      (id, node_id, author_id, created_at, updated_at, status, name, slug, properties, meta, ordinal)
    select lpad(n::text, 20, '0'), ${page.id}, ${odin.id}, 'epoch', 'epoch'::timestamptz + n * interval '1 second',
      'applied', n::text, 'x', '[]', '{}', n from generate_series(1, 130) n`
  yield* draft(odin, page)
  const drafted = yield* sql<{
    id: string
  }>`select id from nodes where parent_id = ${parent.id} order by id limit 120`
  for (const { id } of drafted) yield* draft(odin, { id, slug: id })
  return [
    { ...children, when: "in their order", path, narrowed: `${path}?q=page` },
    ...["name", "-description", "link", "Text", "-Number", "Instant", "-Boolean"].map(sorted),
    {
      ...children,
      when: "with a text",
      path: `${path}?q=page&children_sort=-Number`,
      narrowed: `${path}?q=page`
    },
    {
      operation: "NodeVersionList",
      viewer: odin,
      path: versionsPath(page),
      rows: "versions",
      narrowed: versionsPath(parent),
      // What was applied stays.
      remove: () => Effect.void
    },
    {
      operation: "NodeDraftList",
      viewer: odin,
      path: "/nodes/drafts",
      rows: "drafts",
      narrowed: versionsPath(parent),
      remove: (id: string) => sql`delete from node_versions where id = ${id}`
    }
  ]
})
