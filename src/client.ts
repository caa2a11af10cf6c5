/**
 * The typed client of the service: every operation as an Effect whose failures
 * are the problems that the operation declares.
 */
import { Effect, flow, Ref } from "effect"
import { type Cookies, FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ForumApi } from "./http/Api.ts"

export { ForumApi }

export interface Options {
  /** Where the service is, without `/api`. */
  readonly baseUrl: string | URL
  /** An access key. Without one the client keeps the cookie of whoever signs up or in with it. */
  readonly accessKey?: string
}

const credentials = (
  options: Options
): Effect.Effect<(client: HttpClient.HttpClient) => HttpClient.HttpClient> =>
  options.accessKey === undefined
    ? Effect.map(Ref.make<ReadonlyArray<Cookies.Cookie>>([]), (jar) => HttpClient.withCookiesRef(jar))
    : Effect.succeed(HttpClient.mapRequest(HttpClientRequest.bearerToken(options.accessKey)))

/** A client with credentials of its own, on whatever `HttpClient` there is. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const authenticated = yield* credentials(options)
  return yield* HttpApiClient.make(ForumApi, {
    // The whole address first: whether a cookie goes with a request depends on it.
    transformClient: flow(
      HttpClient.mapRequest(HttpClientRequest.prependUrl(String(options.baseUrl))),
      authenticated
    )
  })
})

/** The same by the platform's `fetch`. */
export const fetching = (options: Options) => Effect.provide(make(options), FetchHttpClient.layer)
