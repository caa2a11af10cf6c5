import { Schema } from "effect"
import { Asset } from "../asset/Asset.ts"
import { withExample } from "../field/Example.ts"
import { JsonObject, metaWithin } from "../field/Json.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { AssetId, CategoryId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { slugBeside, slugWithin } from "../shared/Slug.ts"
import { general } from "./CategoryExamples.ts"

const fields = {
  id: CategoryId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "The unique name" }),
  slug: Schema.String.annotate({ description: "The unique name in addresses" }),
  description: Schema.String.annotate({ description: "What belongs in it" }),
  colour: Schema.String.annotate({ description: "How to show it: any text, mostly a CSS colour, or empty" }),
  sort: Schema.Int.annotate({ description: "Position among its siblings, lowest first" }),
  parent: Schema.optionalKey(CategoryId).annotateKey({
    description: "The category that contains it, if any"
  }),
  cover_image: Schema.optionalKey(Asset).annotateKey({ description: "The image that it is shown with" }),
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

// Lists of threads show the category with each thread.
const lengths = { description: 2_000, meta: 8 * 1024 }

const name = Text.visibleLine({ max: nameLength, description: "The unique name" })

const description = Text.lines({ max: lengths.description, description: "What belongs in it, or empty" })

const colour = Text.line({ max: 100, description: "How to show it: any text, mostly a CSS colour, or empty" })

// Clients resolve these in addresses, so that nobody could read, change or delete the category.
const isAddressable = Schema.makeFilter<string>((slug) => slug !== "." && slug !== "..", {
  expected: "text other than . and .., which stand for other addresses",
  toJsonSchema: () => [{}, true]
})

const slug = (description: string) => Text.visibleLine({ max: nameLength, description }).check(isAddressable)

const Meta = metaWithin(lengths.meta)

export const NewCategory = Schema.Struct({
  name,
  description,
  colour,
  slug: Schema.optionalKey(slug("Made from the name if absent; `null` gets a suffix")),
  parent: Schema.optionalKey(CategoryId).annotateKey({ description: "The category to put it in" }),
  cover_image_asset_id: Schema.optionalKey(AssetId).annotateKey({
    description: "The uploaded image to show it with"
  }),
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "CategoryInitialProps",
    description: "A category to create"
  })
  .pipe(withExample({ name: general.name, description: general.description, colour: general.colour }))
export interface NewCategory extends Schema.Schema.Type<typeof NewCategory> {}

/** A change of a category: absent keys stay as they are; `meta` is replaced. */
export const CategoryChanges = Schema.Struct({
  name: Schema.optionalKey(name),
  slug: Schema.optionalKey(
    slug("Does not follow the name; the former one leads nowhere; `null` gets a suffix")
  ),
  description: Schema.optionalKey(description),
  colour: Schema.optionalKey(colour),
  cover_image_asset_id: Schema.optionalKey(Schema.NullOr(AssetId)).annotateKey({
    description: "The uploaded image to show it with; null for none"
  }),
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "CategoryMutableProps",
    description: "What to change of a category; absent fields stay as they are"
  })
  .pipe(withExample({ description: general.description, colour: general.colour }))
export interface CategoryChanges extends Schema.Schema.Type<typeof CategoryChanges> {}

export const CategoryPosition = Schema.Struct({
  parent: Schema.optionalKey(Schema.NullOr(CategoryId)).annotateKey({
    description: "The category to put it in; null for none, absent for the one that it is in"
  }),
  before: Schema.optionalKey(CategoryId).annotateKey({ description: "The sibling to put it before" }),
  after: Schema.optionalKey(CategoryId).annotateKey({
    description: "The sibling to put it after. Without `before` and `after` it becomes the last one."
  })
})
  .annotate({
    identifier: "CategoryPositionMutableProps",
    description: "Where to put a category"
  })
  .pipe(withExample({ parent: null }))
export interface CategoryPosition extends Schema.Schema.Type<typeof CategoryPosition> {}

export const CategoryRemoval = Schema.Struct({
  move_to: CategoryId.annotateKey({ description: "The category that its threads move to" })
})
  .annotate({
    identifier: "CategoryDeleteProps",
    description: "What becomes of the threads of a category that is deleted"
  })
  .pipe(withExample({ move_to: general.id }))
export interface CategoryRemoval extends Schema.Schema.Type<typeof CategoryRemoval> {}

// Filters by category take it for none.
const reservedSlugs = ["null"]

/** The slug that a category gets: the one that is given or one made from the name. */
export const slugFor = ({ name, slug }: Pick<NewCategory, "name" | "slug">): string =>
  slugBeside(slug ?? slugWithin(name, nameLength), reservedSlugs)

/** The changes with the slug that the category gets. */
export const withSlug = (changes: CategoryChanges): CategoryChanges =>
  changes.slug === undefined ? changes : { ...changes, slug: slugBeside(changes.slug, reservedSlugs) }

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

export class CategorySlugEmpty extends Problem<CategorySlugEmpty>()("CategorySlugEmpty", {
  status: 400,
  title: "No slug can be made from this name; give one",
  explanation: "A name of punctuation or symbols only leaves nothing for an address.",
  metadata: { name: Schema.String }
}) {}
