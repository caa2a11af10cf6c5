import { Schema } from "effect"
import { withExample } from "../shared/Example.ts"
import { CategoryId } from "../shared/Id.ts"
import { JsonObject, Meta } from "../shared/Json.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields } from "../shared/Resource.ts"
import { slugWithin } from "../shared/Slug.ts"
import * as Text from "../shared/Text.ts"
import { general } from "./CategoryExamples.ts"

const fields = {
  id: CategoryId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "The unique name" }),
  slug: Schema.String.annotate({ description: "The unique name in addresses" }),
  description: Schema.String.annotate({ description: "What belongs in it" }),
  colour: Schema.String.annotate({ description: "Any CSS colour, or empty" }),
  sort: Schema.Int.annotate({ description: "Position among its siblings, lowest first" }),
  parent: Schema.optionalKey(CategoryId).annotateKey({
    description: "The category that contains it, if any"
  }),
  meta: JsonObject,
  postCount: Schema.Int.annotate({ description: "The number of published threads in this category itself" })
}

/** A place for threads. */
export interface Category extends Schema.Struct.Type<typeof fields> {
  readonly children: ReadonlyArray<Category>
}
export const Category: Schema.Codec<Category, CategoryEncoded> = Schema.Struct({
  ...fields,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Category, CategoryEncoded> => Category)).annotate({
    description: "The categories directly in it, with empty `children`. Empty in the list of all categories."
  })
})
  .annotate({
    identifier: "Category",
    description: "A place for threads"
  })
  .pipe(withExample(general))
export interface CategoryEncoded extends Schema.Struct.Encoded<typeof fields> {
  readonly children: ReadonlyArray<CategoryEncoded>
}

// Short enough for the unique indexes that hold them.
const nameLength = 200

export const NewCategory = Schema.Struct({
  name: Text.visibleLine({ max: nameLength, description: "The unique name" }),
  description: Text.lines({ max: 10_000, description: "What belongs in it, or empty" }),
  colour: Text.line({ max: 100, description: "Any CSS colour, or empty" }),
  slug: Schema.optionalKey(
    Text.visibleLine({ max: nameLength, description: "Made from the name if absent" })
  ),
  parent: Schema.optionalKey(CategoryId).annotateKey({ description: "The category to put it in" }),
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "CategoryInitialProps",
    description: "A category to create"
  })
  .pipe(withExample({ name: general.name, description: general.description, colour: general.colour }))
export interface NewCategory extends Schema.Schema.Type<typeof NewCategory> {}

export class CategoryNotFound extends Problem<CategoryNotFound>()("CategoryNotFound", {
  status: 404,
  title: "There is no such category",
  explanation: "No category has this slug. A category is addressed by its current slug only.",
  metadata: { category_slug: Schema.String }
}) {}

export class CategoryTaken extends Problem<CategoryTaken>()("CategoryTaken", {
  status: 409,
  title: "Another category has this name or slug",
  explanation: "The names of categories are unique, and so are their slugs.",
  metadata: { name: Schema.String, slug: Schema.String }
}) {}

export class CategoryUnknown extends Problem<CategoryUnknown>()("CategoryUnknown", {
  status: 400,
  title: "The category does not exist",
  explanation: "A body field names a category by an id that no category has.",
  metadata: { field: Schema.String, id: Schema.String }
}) {}

/** The slug for a name. */
export const slugOfName = (name: string): string => slugWithin(name, nameLength)

export class CategorySlugEmpty extends Problem<CategorySlugEmpty>()("CategorySlugEmpty", {
  status: 400,
  title: "No slug can be made from this name; give one",
  explanation: "A name of punctuation or symbols only leaves nothing for an address.",
  metadata: { name: Schema.String }
}) {}
