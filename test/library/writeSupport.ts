/** What people do with nodes of the library. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { guest, type Person } from "../support/people.ts"

/** Creates a page. */
export const page = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/nodes", { name, ...more }), ok)

/** A published page of the administrator, which everybody sees. */
export const published = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  page(by, name, { visibility: "published", ...more })

export const place = (by: Person, mark: string, position: object) =>
  by.patch(`/nodes/${mark}/position`, position)

export const addChild = (by: Person, parent: string, child: string) =>
  by.put(`/nodes/${parent}/nodes/${child}`)

export const removeChild = (by: Person, parent: string, child: string) =>
  by.delete(`/nodes/${parent}/nodes/${child}`)

interface Named {
  readonly name: string
}

export const namesOf = (nodes: ReadonlyArray<Named>) => nodes.map(({ name }) => name)

/** The names of the children of a page, which are the same wherever they are listed. */
export const childrenOf = Effect.fnUntraced(function* (viewer: Person, mark: string) {
  const [read, listed, flat] = yield* Effect.all([
    viewer.get(`/nodes/${mark}`),
    viewer.get(`/nodes/${mark}/children`),
    viewer.get("/nodes?format=flat")
  ])
  const names = namesOf(ok(read).children)
  assert.deepStrictEqual(namesOf(ok(listed).nodes), names)
  const { id } = ok(read)
  const inList = ok(flat).nodes.filter(
    ({ parent }: { readonly parent?: { readonly id: string } }) => parent?.id === id
  )
  // That list shows what is published only.
  const shown = new Set(namesOf(inList))
  assert.deepStrictEqual(
    namesOf(inList),
    names.filter((name) => shown.has(name))
  )
  return names
})

/** The names of the published pages at the top level. */
export const topLevel = Effect.fnUntraced(function* (viewer: Person = guest) {
  const tree = namesOf(ok(yield* viewer.get("/nodes")).nodes)
  const flat = ok(yield* viewer.get("/nodes?format=flat")).nodes
  assert.deepStrictEqual(namesOf(flat.filter(({ parent }: Answer["json"]) => parent === undefined)), tree)
  return tree
})

/** Where the database says that pages are; no two siblings are at the same place. */
export const checkTree = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly all: number; readonly reached: number; readonly twice: number }>`
    with recursive reached as (
      select id, 1 as level from nodes where parent_id is null
      union all
      select n.id, r.level + 1 from reached r join nodes n on n.parent_id = r.id where r.level < 100
    )
    select (select count(*)::int from nodes) as all, (select count(*)::int from reached) as reached,
      (select count(*)::int from (
        select from nodes group by parent_id, position having count(*) > 1) same) as twice`
  assert.strictEqual(row?.reached, row?.all, "every page is reached from the top level, once")
  assert.strictEqual(row?.twice, 0, "no two siblings have one place")
})

/** The events since a number of them, oldest first. */
export const eventsSince = (count: number) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{
        readonly event: Record<string, unknown>
      }>`select event - 'standing' as event from event_log order by id offset ${count}`,
      (rows) => rows.map(({ event }) => event)
    )
  )

export const countEvents = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from event_log`, ([row]) => row?.n ?? 0)
)

/** The events that an effect adds. */
export const eventsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* countEvents
    yield* effect
    return (yield* eventsSince(before)).map(({ _tag, slug }) => `${_tag} ${slug}`)
  })

/** Gives a page a draft version. */
export const draft = (node: string, author: Person) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into node_versions
      (id, node_id, author_id, created_at, updated_at, status, name, slug, properties, meta)
      select ${`v${node.slice(1)}`}, ${node}, ${author.id}, 'epoch', 'epoch', 'draft', name, slug, '[]', '{}'
      from nodes where id = ${node}`
  )

/** Makes a page what an applied version says. */
export const applied = (node: string, author: Person) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.andThen(
      sql`insert into node_versions
        (id, node_id, author_id, created_at, updated_at, status, ordinal, name, slug, properties, meta)
        select ${`u${node.slice(1)}`}, ${node}, ${author.id}, 'epoch', 'epoch', 'applied', 1, name, slug, '[]', '{}'
        from nodes where id = ${node}`,
      sql`update nodes set current_version_id = ${`u${node.slice(1)}`} where id = ${node}`
    )
  )
