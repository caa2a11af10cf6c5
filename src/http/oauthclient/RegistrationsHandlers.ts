import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { type Presented, readPresented } from "../../domain/oauthclient/RegistrationRules.ts"
import type { ShownRegistration } from "../../domain/oauthclient/RegistrationSecrets.ts"
import { Registrations } from "../../domain/oauthclient/Registrations.ts"
import { ForumApi } from "../Api.ts"
import { oauthCaching } from "../contract/Headers.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"

const shown = ({ registration, secret, token }: ShownRegistration) =>
  HttpApiSchema.withHeaders({
    body: {
      ...registration,
      registration_access_token: Redacted.value(token),
      ...(secret === undefined ? {} : { client_secret: Redacted.value(secret) })
    },
    headers: oauthCaching
  })

/** Calls with the bearer token of the request. */
const presenting = <A, E, R>(use: (presented: Presented) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    use(readPresented(headers.authorization))
  )

export const layer = group(
  ForumApi,
  "oauthRegistrations",
  Effect.fnUntraced(function* (handlers) {
    const registrations = yield* Registrations
    return handlers.handleAll({
      register: ({ payload }) =>
        presenting((presented) =>
          Effect.map(
            fromNetwork((network) => registrations.register(payload, presented, network)),
            shown
          )
        ),
      get: ({ params }) =>
        presenting((presented) => Effect.map(registrations.get(params.client_id, presented), shown)),
      update: ({ params, payload }) =>
        presenting((presented) =>
          Effect.map(
            fromNetwork((network) => registrations.update(params.client_id, payload, presented, network)),
            shown
          )
        ),
      delete: ({ params }) =>
        presenting((presented) =>
          Effect.as(
            registrations.remove(params.client_id, presented),
            HttpApiSchema.withHeaders({ body: undefined, headers: oauthCaching })
          )
        )
    })
  })
)
