/** What tests of reading pages have in common. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Answer } from "../support/answers.ts"
import { guest, type Person } from "../support/people.ts"
import { manager, page } from "./propertySupport.ts"

export type Found = Answer["json"]

export const namesOf = (nodes: ReadonlyArray<Found>): ReadonlyArray<string> => nodes.map(({ name }) => name)

/** A list of pages with what each contains, as a text. */
export const outline = (nodes: ReadonlyArray<Found>): string =>
  nodes
    .map(({ children, name }) => (children.length === 0 ? name : `${name}(${outline(children)})`))
    .join(" ")

export const visibilities = ["draft", "unlisted", "review", "published"] as const

/** Creates a page whoever its owner is, with any visibility. */
export const shown = Effect.fnUntraced(function* (
  owner: Person,
  name: string,
  visibility: string,
  more: Readonly<Record<string, unknown>> = {}
) {
  const made = yield* page(owner, name, more)
  yield* SqlClient.SqlClient.use(
    (sql) => sql`update nodes set visibility = ${visibility} where id = ${made.id}`
  )
  return made
})

/** Those of the visibilities in which a viewer sees a page: of their own, and of others. */
export const readers = (owner: Person, stranger: Person) =>
  Effect.map(
    manager,
    (staff) =>
      [
        [guest, ["published"]],
        [stranger, ["published"]],
        [owner, ["draft", "unlisted", "review", "published"]],
        [staff, ["review", "published"]]
      ] as const
  )

/** Inserts pages below one, or at the top level, faster than they could be created. */
export const many = (
  owner: Person,
  parent: string | null,
  count: number,
  { content = null, visibility = "published" }: { content?: string | null; visibility?: string } = {}
) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`insert into nodes (id, created_at, updated_at, owner_id, parent_id, position, name, name_form, slug,
        description, content, visibility)
      select 'node' || lpad(next.n::text, 15, '0') || '0', 'epoch', 'epoch', ${owner.id}, ${parent},
        'z' || lpad(next.n::text, 9, '0') || '1', 'Page ' || next.n, 'page ' || next.n, 'many-' || next.n,
        'About ' || next.n, ${content}, ${visibility}
      from (select (select count(*) from nodes) + n as n from generate_series(1, ${count}::int) n) next`
  )

/** Asserts that an answer has no key of these. */
export const assertWithout = (node: Found, ...keys: ReadonlyArray<string>) => {
  for (const key of keys) assert.notProperty(node, key)
}
