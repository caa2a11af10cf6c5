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
import { everyone, membersWith } from "../shared/Access.ts"
import { conditional, conditionalHeaders } from "../shared/Conditional.ts"
import { operation } from "../shared/Operation.ts"

const CategoryListResult = Schema.Struct({ categories: Schema.Array(Category) }).annotate({
  identifier: "CategoryListResult",
  description: "Every category"
})

export class CategoriesApi extends HttpApiGroup.make("categories")
  .add(
    HttpApiEndpoint.get("list", "/", { success: CategoryListResult }).pipe(
      operation({
        id: "CategoryList",
        summary: "List the categories",
        description: "All in one flat list by `sort`; `parent` tells where each belongs.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("get", "/:category_slug", {
      params: { category_slug: Schema.String.annotate({ description: "The category's slug" }) },
      headers: conditionalHeaders,
      success: conditional(Category),
      error: CategoryNotFound
    }).pipe(
      operation({
        id: "CategoryGet",
        summary: "Read a category and its children",
        description: "The whole tree below it.",
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
        summary: "Create a category",
        description: "It comes last among its siblings.",
        access: membersWith("MANAGE_CATEGORIES")
      })
    )
  )
  .prefix("/categories")
  .annotateMerge(OpenApi.annotations({ title: "categories", description: "Places for threads" })) {}
