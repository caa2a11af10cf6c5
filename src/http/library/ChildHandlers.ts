import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { NodeChildren } from "../../domain/library/NodeChildren.ts"
import { inPages, type ListRequest } from "../pipeline/ListPlaces.ts"

interface Listing extends ListRequest {
  readonly params: { readonly node_slug: string }
  readonly query: {
    readonly children_sort?: string
    readonly page?: string
    readonly cursor?: string
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
      listChildren: (request: Listing) => {
        const { children_sort: sort, q, tags = [] } = request.query
        return Effect.map(
          inPages(request, (place) => children.list(request.params.node_slug, { sort, q, tags, place })),
          (found) => HttpServerResponse.jsonUnsafe(found)
        )
      }
    }) as const
)
