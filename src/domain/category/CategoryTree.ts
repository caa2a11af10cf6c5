/** What limits the tree of categories, and why it is not changed. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

/** What a forum has of categories at most: every list of them has all. */
export const limits = {
  categories: 2_000,
  /** How many levels of categories there are, counted from 1. */
  levels: 8,
  /** The bytes of all names, slugs, descriptions, colours and `meta` of categories together. */
  bytes: 1024 * 1024
}

export class CategoryCoverUnknown extends Problem<CategoryCoverUnknown>()("CategoryCoverUnknown", {
  status: 400,
  title: "The cover image does not exist",
  explanation: "`cover_image_asset_id` is an id that no uploaded file has.",
  metadata: { cover_image_asset_id: Schema.String }
}) {}

export class CategoryParentNotFound extends Problem<CategoryParentNotFound>()("CategoryParentNotFound", {
  status: 404,
  title: "There is no such parent category",
  explanation: "`parent` is an id that no category has.",
  metadata: { parent: Schema.String }
}) {}

/** Why a category cannot be where it should be. */
export const PlacementRule = Schema.Literals([
  "one-neighbour",
  "parent-is-itself",
  "parent-is-within",
  "neighbour-is-itself",
  "neighbour-elsewhere"
])
export type PlacementRule = typeof PlacementRule.Type

export class CategoryPlacementInvalid extends Problem<CategoryPlacementInvalid>()(
  "CategoryPlacementInvalid",
  {
    status: 400,
    title: "The category cannot be put there",
    explanation:
      "`rule` says why: `before` and `after` are both given (`one-neighbour`), the category would contain itself, directly (`parent-is-itself`) or by another category (`parent-is-within`), or the neighbour is the category itself (`neighbour-is-itself`) or not directly in the parent (`neighbour-elsewhere`).",
    metadata: { rule: PlacementRule }
  }
) {}

export class CategoryTooDeep extends Problem<CategoryTooDeep>()("CategoryTooDeep", {
  status: 400,
  title: "Categories cannot contain each other as deep as this",
  explanation: `Categories have ${limits.levels} levels at most, counted from those that are in no other.`,
  metadata: { maximum: Schema.Int }
}) {}

export class CategoriesFull extends Problem<CategoriesFull>()("CategoriesFull", {
  status: 409,
  title: "There are as many categories as there may be",
  explanation: `A forum has ${limits.categories.toLocaleString("en")} categories at most (\`categories\`), whose names, slugs, descriptions, colours and \`meta\` together have ${limits.bytes.toLocaleString("en")} bytes at most (\`bytes\`).`,
  metadata: { limit: Schema.Literals(["categories", "bytes"]), maximum: Schema.Int }
}) {}

export class CategoryMoveToSelf extends Problem<CategoryMoveToSelf>()("CategoryMoveToSelf", {
  status: 400,
  title: "The threads cannot move to the category that is deleted",
  explanation: "`move_to` is the id of the category itself. Name another one."
}) {}
