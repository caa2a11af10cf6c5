import { Effect, Layer } from "effect"
import { Erasures } from "../../domain/erasure/Erasures.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"

const own = group(
  ForumApi,
  "erasures",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* Erasures
    return handlers.handleAll({
      request: ({ payload }) => fromNetwork((from) => erasures.request(payload, from)),
      get: () => erasures.getOwn(),
      cancel: () => erasures.cancelOwn()
    })
  })
)

const administrative = group(
  ForumApi,
  "adminErasures",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* Erasures
    return handlers.handleAll({
      order: ({ params, payload }) => fromNetwork((from) => erasures.order(params.account_id, payload, from)),
      get: ({ params }) => erasures.getOf(params.account_id),
      cancel: ({ params }) => erasures.cancelOf(params.account_id)
    })
  })
)

export const layer = Layer.merge(own, administrative)
