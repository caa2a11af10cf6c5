import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { TokenStatus } from "../../domain/oauthtoken/TokenStatus.ts"
import { ForumApi } from "../Api.ts"
import { oauthCaching } from "../contract/Headers.ts"
import { givenSecret } from "../contract/OAuthForm.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { presentedBy } from "./ClientCredentials.ts"

interface Asked {
  readonly payload: { readonly token?: string; readonly client_id?: string; readonly client_secret?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const statusRequest = ({ payload, request }: Asked) =>
  Effect.map(presentedBy(request, payload), (client) => ({ client, token: givenSecret(payload.token) }))

export const layer = group(
  ForumApi,
  "tokenStatus",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* TokenStatus
    return handlers.handleAll({
      revoke: Effect.fnUntraced(function* (asked) {
        const request = yield* statusRequest(asked)
        yield* fromNetwork((from) => status.revoke(request, from))
        return HttpApiSchema.withHeaders({ body: undefined, headers: oauthCaching })
      }),
      introspect: Effect.fnUntraced(function* (asked) {
        const request = yield* statusRequest(asked)
        const body = yield* fromNetwork((from) => status.introspect(request, from))
        return HttpApiSchema.withHeaders({ body, headers: oauthCaching })
      })
    })
  })
)
