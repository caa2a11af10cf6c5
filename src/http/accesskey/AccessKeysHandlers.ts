import { Effect, Layer, Redacted } from "effect"
import { AccessKeys } from "../../domain/accesskey/AccessKeys.ts"
import type { IssuedKey } from "../../domain/accesskey/KeyWriting.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const issued = ({ key, secret }: IssuedKey) => ({ ...key, secret: Redacted.value(secret) })

const own = group(
  ForumApi,
  "accessKeys",
  Effect.fnUntraced(function* (handlers) {
    const accessKeys = yield* AccessKeys
    return handlers.handleAll({
      list: () => Effect.map(accessKeys.list(), (keys) => ({ keys })),
      create: ({ payload }) => Effect.map(accessKeys.create(payload), issued),
      delete: ({ params }) => accessKeys.revoke(params.access_key_id)
    })
  })
)

const administrative = group(
  ForumApi,
  "adminAccessKeys",
  Effect.fnUntraced(function* (handlers) {
    const accessKeys = yield* AccessKeys
    return handlers.handleAll({
      list: ({ query }) => Effect.map(accessKeys.listAll(query.before), (keys) => ({ keys })),
      delete: ({ params }) => accessKeys.revokeAny(params.access_key_id)
    })
  })
)

export const layer = Layer.merge(own, administrative)
