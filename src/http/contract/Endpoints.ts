/** The endpoints of an API, with what a group gives them. Found once, as reflection collects every schema of each. */
import { Context } from "effect"
import {
  HttpApi,
  type HttpApiEndpoint,
  type HttpApiGroup,
  type HttpApiMiddleware,
  OpenApi
} from "effect/http-api"

/** An endpoint, its middleware, the name of its group, and the id of its operation. */
export interface DeclaredEndpoint {
  readonly id: string
  readonly group: string
  readonly endpoint: HttpApiEndpoint.Top
  readonly middleware: ReadonlySet<HttpApiMiddleware.AnyService>
}

const found = new WeakMap<object, ReadonlyArray<DeclaredEndpoint>>()

/** All endpoints of an API, in their order. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<DeclaredEndpoint> => {
  const known = found.get(api)
  if (known !== undefined) return known
  const endpoints: Array<DeclaredEndpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      const id = Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier)
      endpoints.push({ id, group: group.identifier, endpoint, middleware })
    }
  })
  found.set(api, endpoints)
  return endpoints
}

/** Makes a function that derives something from an endpoint, once for each, as endpoints never change. */
export const byEndpoint = <A>(derive: (endpoint: HttpApiEndpoint.Top) => A) => {
  const known = new WeakMap<HttpApiEndpoint.Top, { readonly value: A }>()
  return (endpoint: HttpApiEndpoint.Top): A => {
    const found = known.get(endpoint) ?? { value: derive(endpoint) }
    known.set(endpoint, found)
    return found.value
  }
}
