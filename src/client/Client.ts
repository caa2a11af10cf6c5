/**
 * The typed client: every operation of the service as a method that answers an
 * Effect. What an operation can fail with is in its type, as the classes of the
 * problems that it declares, beside what can go wrong on the way
 * (`HttpClientError`, `SchemaError`).
 */
import { Effect, flow, Record, Ref } from "effect"
import { type Cookies, FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { type HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { ForumApi } from "../http/Api.ts"
import { CurrentIdempotencyKey, fromRaw, type MethodOf, type Raw } from "./Method.ts"

export { type ChangeOptions, type ChangesFailure, changes } from "./Changes.ts"
export { iterate, pages, walk } from "./Lists.ts"
export type { ConditionalMethod, Method, Modified, NotModified } from "./Method.ts"
export { ForumApi }

export interface Options {
  /** Where the service is, without `/api`. */
  readonly baseUrl: string | URL
  /**
   * An access key. Without one the client keeps the session cookie of the
   * account that signs up or in with it; in a browser, the browser keeps it.
   */
  readonly accessKey?: string
}

type Groups = typeof ForumApi extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

type MethodsOf<Group extends HttpApiGroup.Constraint> = {
  readonly [Endpoint in Extract<
    HttpApiGroup.Endpoints<Group>,
    HttpApiEndpoint.ConstraintRequest
  > as Endpoint["identifier"]]: MethodOf<Endpoint>
}

/**
 * The operations by group: `client.threads.get({ params: { thread_mark } })`.
 * A request has the parts that the operation declares: `params`, `query`,
 * `headers`, `payload`; `query` may be left out if all its parameters may. Where an operation takes keys, with
 * `idempotencyKey` a request may be sent again until it is answered, and is done once.
 */
export type Client = {
  readonly [Group in Groups as HttpApiGroup.Identifier<Group>]: MethodsOf<Group>
}

const withCredentials = (
  accessKey: string | undefined
): Effect.Effect<(client: HttpClient.HttpClient) => HttpClient.HttpClient> =>
  accessKey === undefined
    ? Effect.map(Ref.make<ReadonlyArray<Cookies.Cookie>>([]), (jar) => HttpClient.withCookiesRef(jar))
    : Effect.succeed(HttpClient.mapRequest(HttpClientRequest.bearerToken(accessKey)))

const withIdempotencyKey = HttpClient.mapRequestEffect((request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(CurrentIdempotencyKey, (key) =>
    key === undefined ? request : HttpClientRequest.setHeader(request, "idempotency-key", key)
  )
)

/** The methods of `HttpApiClient` in the form that callers use. Both derive their names and types from `ForumApi`. */
const methodsOf = (raw: HttpApiClient.ForApi<typeof ForumApi>): Client => {
  // What is done to a method does not depend on which it is, so it is written without their types.
  const groups = raw as unknown as Record<string, Record<string, Raw<unknown>>>
  return Record.map(groups, (group) => Record.map(group, fromRaw)) as unknown as Client
}

/** A client with credentials of its own, on the `HttpClient` in the context. */
export const make = ({ accessKey, baseUrl }: Options): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.flatMap(withCredentials(accessKey), (authenticated) =>
    HttpApiClient.make(ForumApi, {
      // The whole address first: whether a cookie goes with a request depends on it.
      transformClient: flow(
        HttpClient.mapRequest(HttpClientRequest.prependUrl(String(baseUrl))),
        withIdempotencyKey,
        authenticated
      )
    })
  ).pipe(Effect.map(methodsOf))

/**
 * A client on the platform's `fetch`. Redirects are not followed: the one that
 * answers a sign-out leads to a page for people. In a browser the session
 * cookie is sent unless there is an access key, over which it would prevail.
 */
export const makeFetch = (options: Options): Effect.Effect<Client> => {
  const init: RequestInit = {
    redirect: "manual",
    credentials: options.accessKey === undefined ? "include" : "omit"
  }
  return make(options).pipe(
    Effect.updateService(
      HttpClient.HttpClient,
      HttpClient.transform((response) => Effect.provideService(response, FetchHttpClient.RequestInit, init))
    ),
    Effect.provide(FetchHttpClient.layer)
  )
}
