import { Effect } from "effect"
import { Categories } from "../../domain/category/Categories.ts"
import { Category } from "../../domain/category/Category.ts"
import { ForumApi } from "../Api.ts"
import { makeConditional } from "../bytes/ConditionalResponse.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const listed = (categories: ReadonlyArray<Category>) => ({ categories })

export const layer = group(
  ForumApi,
  "categories",
  Effect.fnUntraced(function* (handlers) {
    const categories = yield* Categories
    const answerCategory = yield* makeConditional(Category)
    return handlers.handleAll({
      list: () => Effect.map(categories.list, listed),
      get: ({ headers, params }) =>
        Effect.flatMap(categories.get(params.category_slug), (category) =>
          answerCategory(category, headers["if-none-match"], "public, no-cache")
        ),
      create: ({ payload }) => categories.create(payload),
      update: ({ params, payload }) => categories.update(params.category_slug, payload),
      move: ({ params, payload }) => Effect.map(categories.move(params.category_slug, payload), listed),
      delete: ({ params, payload }) => categories.remove(params.category_slug, payload)
    })
  })
)
