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
import { Authentication, anyone, membersWith } from "../shared/Authentication.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

const CategoryListResult = Schema.Struct({ categories: Schema.Array(Category) }).annotate({
  identifier: "CategoryListResult",
  description: "Every category"
})

export class CategoriesApi extends HttpApiGroup.make("categories")
  .add(
    HttpApiEndpoint.get("list", "/", { success: CategoryListResult })
      .annotateMerge(
        operation(
          "CategoryList",
          "List the categories",
          "All in one flat list by `sort`; `parent` tells where each belongs."
        )
      )
      .annotateMerge(anyone),
    HttpApiEndpoint.get("get", "/:category_slug", {
      params: { category_slug: Schema.String.annotate({ description: "The category's slug" }) },
      headers: conditionalHeaders,
      success: conditional(Category),
      error: CategoryNotFound
    })
      .annotateMerge(operation("CategoryGet", "Read a category and its children", "The whole tree below it."))
      .annotateMerge(anyone),
    HttpApiEndpoint.post("create", "/", {
      payload: NewCategory,
      success: Category,
      error: [CategoryTaken, CategoryUnknown, CategorySlugEmpty]
    })
      .annotateMerge(operation("CategoryCreate", "Create a category", "It comes last among its siblings."))
      .annotateMerge(membersWith("MANAGE_CATEGORIES"))
  )
  .prefix("/categories")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "categories", description: "Places for threads" })) {}
