import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { oauthDisabled, toJsonWebKey } from "../../domain/signing/SigningKey.ts"
import { SigningKeys } from "../../domain/signing/SigningKeys.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

// Much less than the hour for which a key is known before it signs.
const headers = { "cache-control": "public, max-age=900" }

export const layer = group(
  ForumApi,
  "signing",
  Effect.fnUntraced(function* (handlers) {
    const { published } = yield* SigningKeys
    const { oauthEnabled } = yield* Deployment
    const keySet = Effect.map(published, (keys) =>
      HttpApiSchema.withHeaders({ body: { keys: keys.map(toJsonWebKey) }, headers })
    )
    return handlers.handleAll({
      keys: () => (oauthEnabled ? keySet : Effect.fail(oauthDisabled()))
    })
  })
)
