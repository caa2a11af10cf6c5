import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Category,
  CategoryChanges,
  CategoryNotFound,
  CategoryPosition,
  CategoryRemoval,
  CategorySlugEmpty,
  CategoryTaken,
  CategoryUnknown,
  NewCategory
} from "../../domain/category/Category.ts"
import { general } from "../../domain/category/CategoryExamples.ts"
import {
  CategoriesFull,
  CategoryCoverUnknown,
  CategoryMoveToSelf,
  CategoryParentNotFound,
  CategoryPlacementInvalid,
  CategoryTooDeep
} from "../../domain/category/CategoryTree.ts"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import { everyone, membersWith } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { operation } from "../contract/Operation.ts"

const CategoryListResult = Schema.Struct({ categories: Schema.Array(Category) })
  .annotate({ identifier: "CategoryListResult", description: "All categories" })
  .pipe(withExample({ categories: [general] }))

const params = { category_slug: Text.mark({ description: "The slug of the category" }) }

export class CategoriesApi extends HttpApiGroup.make("categories")
  .add(
    HttpApiEndpoint.get("list", "/", { success: CategoryListResult }).pipe(
      operation({
        id: "CategoryList",
        cost: "quick",
        summary: "List the categories",
        description:
          "All categories in one flat list, ordered by `sort`. `parent` is the category that contains one; `children` are empty.",
        access: everyone,
        tools: [{ name: "category_list" }]
      })
    ),
    HttpApiEndpoint.get("get", "/:category_slug", {
      params,
      headers: conditionalHeaders,
      success: conditional(Category),
      error: CategoryNotFound
    }).pipe(
      operation({
        id: "CategoryGet",
        cost: "quick",
        summary: "Read a category and its children",
        description: "With the categories directly in it.",
        access: everyone
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewCategory,
      success: Category,
      error: [
        CategoryTaken,
        CategoryUnknown,
        CategorySlugEmpty,
        CategoryCoverUnknown,
        CategoryTooDeep,
        CategoriesFull,
        CategoryNotFound
      ]
    }).pipe(
      operation({
        id: "CategoryCreate",
        cost: "write",
        summary: "Create a category",
        description:
          "Its `sort` is 0, so that it comes after those siblings that have 0 as well. It can be moved.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    ),
    HttpApiEndpoint.patch("update", "/:category_slug", {
      params,
      payload: CategoryChanges,
      success: Category,
      error: [CategoryNotFound, CategoryTaken, CategoryCoverUnknown, CategoriesFull]
    }).pipe(
      operation({
        id: "CategoryUpdate",
        cost: "write",
        summary: "Change a category",
        description: "A new name leaves the slug as it is. To move a category, change its position.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    ),
    HttpApiEndpoint.patch("move", "/:category_slug/position", {
      params,
      payload: CategoryPosition,
      success: CategoryListResult,
      error: [CategoryNotFound, CategoryParentNotFound, CategoryPlacementInvalid, CategoryTooDeep]
    }).pipe(
      operation({
        id: "CategoryUpdatePosition",
        cost: "write",
        summary: "Move a category",
        description:
          "Into another category or out of all, and among its siblings, which are numbered anew by `sort`. Answers all categories.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:category_slug", {
      params,
      payload: CategoryRemoval,
      success: Category,
      error: [CategoryNotFound, CategoryUnknown, CategoryMoveToSelf]
    }).pipe(
      operation({
        id: "CategoryDelete",
        cost: "write",
        summary: "Delete a category",
        description:
          "Its threads move to another category, and the categories in it are in none afterwards. Answers the category as it was, without them.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    )
  )
  .prefix("/categories")
  .annotateMerge(OpenApi.annotations({ title: "categories", description: "Places for threads" })) {}
