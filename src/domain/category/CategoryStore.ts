/** What the category rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AssetId, CategoryId } from "../shared/Id.ts"
import type { Category, CategoryTaken, CategoryUnknown } from "./Category.ts"
import type { NumberedCategory, Tree, TreeNode } from "./CategoryRules.ts"
import type { CategoriesFull } from "./CategoryTree.ts"

export interface CategoryInsert {
  readonly id: CategoryId
  readonly at: DateTime.Utc
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly colour: string
  readonly parent: CategoryId | undefined
  readonly coverId: AssetId | undefined
  readonly meta: JsonObject
}

/** A change of a category: what is absent stays as it is. */
export interface CategoryUpdate {
  readonly name?: string
  readonly slug?: string
  readonly description?: string
  readonly colour?: string
  readonly coverId?: AssetId | null
  readonly meta?: JsonObject
}

export class CategoryStore extends Context.Service<
  CategoryStore,
  {
    /** All categories in one flat list, by `sort`, then age; `children` are empty. */
    readonly list: Effect.Effect<ReadonlyArray<Category>>
    /** The category with this slug, with its direct children. */
    readonly findBySlug: (slug: string) => Effect.Effect<Option.Option<Category>>
    readonly findById: (id: CategoryId) => Effect.Effect<Option.Option<Category>>
    /**
     * Fails unless the category in this field exists, and keeps it from being deleted until the transaction
     * ends. Before the transaction locks a thread that is to be in it.
     */
    readonly checkForUse: (field: string, id: CategoryId) => Effect.Effect<void, CategoryUnknown>
    /** All categories, none of which anyone else creates, changes, moves or deletes until the transaction ends. */
    readonly lockTree: Effect.Effect<Tree>
    /** Creates a category. For this method and all that follow, the tree must be locked. */
    readonly insert: (category: CategoryInsert) => Effect.Effect<void, CategoryTaken | CategoriesFull>
    readonly update: (
      node: TreeNode,
      changes: CategoryUpdate,
      at: DateTime.Utc
    ) => Effect.Effect<void, CategoryTaken | CategoriesFull>
    readonly place: (places: ReadonlyArray<NumberedCategory>, at: DateTime.Utc) => Effect.Effect<void>
    /** Moves the threads of a category to another one and deletes it; its children have these places. */
    readonly delete: (
      id: CategoryId,
      moveTo: CategoryId,
      orphans: ReadonlyArray<NumberedCategory>,
      at: DateTime.Utc
    ) => Effect.Effect<Category>
  }
>()("forum/domain/CategoryStore") {}
