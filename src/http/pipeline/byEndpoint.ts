import type { HttpApiEndpoint } from "effect/http-api"

/** What is derived from an endpoint, which never changes: derived once for each. */
export const byEndpoint = <A>(derive: (endpoint: HttpApiEndpoint.Top) => A) => {
  const known = new WeakMap<HttpApiEndpoint.Top, { readonly value: A }>()
  return (endpoint: HttpApiEndpoint.Top): A => {
    const found = known.get(endpoint) ?? { value: derive(endpoint) }
    known.set(endpoint, found)
    return found.value
  }
}
