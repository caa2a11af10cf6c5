/** What tests of properties and of lists of children have in common. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { grant, type Person, signUp } from "../support/people.ts"

export interface Field {
  readonly fid: string
  readonly name: string
  readonly type: string
  readonly sort: string
}

/** Creates a page, a draft unless `more` says otherwise. */
export const page = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(by.post("/nodes", { name, ...more }), ok)

/** Someone who holds MANAGE_LIBRARY. */
export const manager = Effect.gen(function* () {
  const person = yield* signUp("manager")
  yield* grant(person, "MANAGE_LIBRARY")
  return person
})

export const setProperties = (by: Person, slug: string, properties: unknown) =>
  by.patch(`/nodes/${slug}/properties`, { properties })

export const setFields = (by: Person, slug: string, fields: unknown) =>
  by.patch(`/nodes/${slug}/property-schema`, fields)

export const setChildFields = (by: Person, slug: string, fields: unknown) =>
  by.patch(`/nodes/${slug}/children/property-schema`, fields)

/** The fields or properties of an answer. */
export const propertiesOf = (answer: Answer): ReadonlyArray<Field & { readonly value: string }> =>
  ok(answer).properties

/** The same as texts: `name=value`. */
export const valuesOf = (properties: ReadonlyArray<{ readonly name: string; readonly value: string }>) =>
  properties.map(({ name, value }) => `${name}=${value}`)

/** The properties of the children of a page, by their slugs. */
export const valuesOfChildren = (by: Person, slug: string) =>
  Effect.map(by.get(`/nodes/${slug}/children`), (answer) =>
    Object.fromEntries(ok(answer).nodes.map((node: Answer["json"]) => [node.slug, valuesOf(node.properties)]))
  )

export const childrenOf = (by: Person, slug: string, query = "") =>
  Effect.map(by.get(`/nodes/${slug}/children${query}`), (answer) =>
    ok(answer).nodes.map((node: { readonly slug: string }) => node.slug)
  )

/** Gives a page a draft version, which keeps it from being changed otherwise. */
export const draft = (of: { readonly id: string }, author: Person) =>
  Effect.map(author.post(`/nodes/${of.id}/versions`, {}), ok)

/** Makes a page what an applied version says. Answers the id of the version. */
export const applied = Effect.fnUntraced(function* (of: { readonly id: string }, author: Person) {
  const { id } = yield* draft(of, author)
  ok(yield* author.patch(`/nodes/${of.id}/versions/${id}/status`, { status: "applied" }))
  return id
})

export const currentVersionOf = ({ id }: { readonly id: string }) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{
        readonly current: string | null
      }>`select current_version_id as current from nodes where id = ${id}`,
      ([row]) => row?.current
    )
  )

export const atOnce = <A, E, R>(count: number, make: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => make(n)),
    { concurrency: "unbounded" }
  )

/** The names and the values that there are of a field. */
export const stored = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly fields: number; readonly values: number }>`
    select (select count(*)::int from property_fields) as fields, (select count(*)::int from property_values) as values`
)

/** The newest event. */
export const lastEvent = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{
      readonly event: unknown
    }>`select event - 'standing' as event from event_log order by id desc limit 1`,
    ([row]) => row?.event
  )
)
