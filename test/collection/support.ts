/** What people do with collections. */
import { Effect } from "effect"
import { type Answer, ok } from "../support/answers.ts"
import type { Person } from "../support/people.ts"

export const create = (owner: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(owner.post("/collections", { name, ...more }), ok)

export const placeOf = (collection: string, post: string) => `/collections/${collection}/posts/${post}`

export const add = (by: Person, collection: string, post: string) =>
  Effect.map(by.put(placeOf(collection, post)), ok)

export const remove = (by: Person, collection: string, post: string) =>
  Effect.map(by.delete(placeOf(collection, post)), ok)

/** The ids of the items that somebody sees in a collection, in their order. */
export const seenBy = (viewer: Person, collection: string) =>
  Effect.map(viewer.get(`/collections/${collection}`), (answer) => itemIds(ok(answer)))

export const itemIds = (collection: Answer["json"]): ReadonlyArray<string> =>
  collection.items.map(({ id }: { readonly id: string }) => id)

/** The ids of items with their membership types. */
export const membershipsOf = (collection: Answer["json"]): ReadonlyArray<readonly [string, string]> =>
  collection.items.map((item: { readonly id: string; readonly membership_type: string }) => [
    item.id,
    item.membership_type
  ])
