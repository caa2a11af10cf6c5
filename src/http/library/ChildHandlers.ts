import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { NodeChildren } from "../../domain/library/NodeChildren.ts"
import { pageNumber } from "../../domain/shared/Page.ts"

interface Listing {
  readonly params: { readonly node_slug: string }
  readonly query: {
    readonly children_sort?: string
    readonly page?: string
    readonly q?: string
    readonly tags?: ReadonlyArray<string>
  }
}

/** Handlers of lists of children. */
export const makeChildHandlers = Effect.map(
  NodeChildren,
  (children) =>
    ({
      // Encoding a hundred nodes by schema would take longer than reading them. The tests hold every answer to its schema.
      listChildren: ({ params, query }: Listing) =>
        Effect.map(
          children.list(params.node_slug, {
            sort: query.children_sort,
            q: query.q,
            tags: query.tags ?? [],
            page: pageNumber(query.page)
          }),
          (found) => HttpServerResponse.jsonUnsafe(found)
        )
    }) as const
)
