/** What people do with pages of the library, for tests of what shows pages elsewhere. */
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

/** A page as other resources refer to it: without what only its own reading shows. */
export const referenceOf = ({
  child_property_schema: _,
  children: __,
  parent: ___,
  properties: ____,
  recomentations: _____,
  ...node
}: Answer["json"]): Answer["json"] => node
