/** What people do with nodes of the library, for tests of what shows nodes elsewhere. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { grant, type Person } from "../support/people.ts"

/** Creates a page: published, if its owner is one who may. */
export const page = (owner: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(owner.post("/nodes", { name, visibility: "published", ...more }), ok)

export const show = (by: Person, node: Answer["json"], visibility: string) =>
  Effect.map(by.patch(`/nodes/${node.id}/visibility`, { visibility }), ok)

/** Lets a member publish pages at once. */
export const letPublish = (person: Person) => grant(person, "MANAGE_LIBRARY")

/** Whether guests and members may read the library. */
export const openLibrary = (isOpen: boolean) =>
  SqlClient.SqlClient.use((sql) =>
    isOpen
      ? sql`update roles set permissions = permissions || '{READ_PUBLISHED_LIBRARY}'
          where name in ('Guest', 'Member')`
      : sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_LIBRARY')
          where name in ('Guest', 'Member')`
  )

/** A page as other resources refer to it: without what contains it and what it contains. */
export const referenceOf = ({ parent: _, ...node }: Answer["json"]): Answer["json"] => ({
  ...node,
  children: []
})

/** Gives a page a property, and a child that has one as well. */
export const furnish = Effect.fnUntraced(function* (owner: Person, node: Answer["json"]) {
  const property = { name: `Field of ${node.name}`, type: "number", sort: "1", value: "4" }
  ok(yield* owner.patch(`/nodes/${node.id}/properties`, { properties: [property] }))
  yield* page(owner, `In ${node.name}`, { visibility: "draft", parent: node.id, properties: [property] })
})
