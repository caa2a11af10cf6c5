/** What the category rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { CategoryId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Category, CategoryTaken, CategoryUnknown } from "./Category.ts"

export interface CategoryInsert {
  readonly id: CategoryId
  readonly at: DateTime.Utc
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly colour: string
  readonly parent: CategoryId | undefined
  readonly meta: JsonObject
}

export class CategoryStore extends Context.Service<
  CategoryStore,
  {
    /** All categories in one flat list, by `sort`, then age; `children` are empty. */
    readonly list: Effect.Effect<ReadonlyArray<Category>>
    /** With its direct children. */
    readonly findBySlug: (slug: string) => Effect.Effect<Option.Option<Category>>
    /** Fails unless the category in this field exists, and keeps it from being deleted until the transaction ends. */
    readonly checkForUse: (field: string, id: CategoryId) => Effect.Effect<void, CategoryUnknown>
    readonly insert: (category: CategoryInsert) => Effect.Effect<Category, CategoryTaken>
  }
>()("forum/domain/CategoryStore") {}
