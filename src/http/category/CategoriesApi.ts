import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Category,
  CategoryNotFound,
  CategorySlugEmpty,
  CategoryTaken,
  CategoryUnknown,
  NewCategory
} from "../../domain/category/Category.ts"
import { general } from "../../domain/category/CategoryExamples.ts"
import { withExample } from "../../domain/shared/Example.ts"
import * as Text from "../../domain/shared/Text.ts"
import { everyone, membersWith } from "../shared/Access.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

const CategoryListResult = Schema.Struct({ categories: Schema.Array(Category) })
  .annotate({ identifier: "CategoryListResult", description: "All categories" })
  .pipe(withExample({ categories: [general] }))

export class CategoriesApi extends HttpApiGroup.make("categories")
  .add(
    HttpApiEndpoint.get("list", "/", { success: CategoryListResult }).pipe(
      operation({
        id: "CategoryList",
        cost: "quick",
        summary: "List the categories",
        description:
          "All categories in one flat list, ordered by `sort`. `parent` is the category that contains one; `children` are empty.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("get", "/:category_slug", {
      params: { category_slug: Text.mark({ description: "The slug of the category" }) },
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
      error: [CategoryTaken, CategoryUnknown, CategorySlugEmpty]
    }).pipe(
      operation({
        id: "CategoryCreate",
        cost: "write",
        summary: "Create a category",
        description: "The new category is the last one among its siblings.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    )
  )
  .prefix("/categories")
  .annotateMerge(OpenApi.annotations({ title: "categories", description: "Places for threads" })) {}
