import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { CollectionWithItems } from "../../domain/collection/Collection.ts"
import { CollectionItems } from "../../domain/collection/CollectionItems.ts"
import { Collections } from "../../domain/collection/Collections.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

// Encoding hundreds of items by schema would take longer than reading them. The tests hold every answer to its schema.
const written = (collection: CollectionWithItems) => HttpServerResponse.jsonUnsafe(collection)

export const layer = group(
  ForumApi,
  "collections",
  Effect.fnUntraced(function* (handlers) {
    const collections = yield* Collections
    const items = yield* CollectionItems
    return handlers.handleAll({
      list: (request) =>
        inPages(request, (place) =>
          collections.list({
            place,
            account: request.query.account_handle,
            item: request.query.has_item
          })
        ),
      create: ({ payload }) => collections.create(payload),
      get: ({ params }) => Effect.map(items.get(params.collection_mark), written),
      update: ({ params, payload }) => collections.update(params.collection_mark, payload),
      delete: ({ params }) => collections.remove(params.collection_mark),
      addPost: ({ params }) => Effect.map(items.addPost(params.collection_mark, params.post_id), written),
      removePost: ({ params }) =>
        Effect.map(items.removePost(params.collection_mark, params.post_id), written),
      addNode: ({ params }) => Effect.map(items.addNode(params.collection_mark, params.node_id), written),
      removeNode: ({ params }) =>
        Effect.map(items.removeNode(params.collection_mark, params.node_id), written)
    })
  })
)
