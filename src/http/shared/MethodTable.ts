import type { HttpMethod } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

interface Entry {
  readonly matches: RegExp
  readonly methods: Set<string>
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/]+")}/?$`)

const order: ReadonlyArray<HttpMethod.HttpMethod> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

/** The methods of each path: HEAD where there is GET, and OPTIONS for all. `others` are the paths outside of the API. */
export const methodTable = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  others: Readonly<Record<string, ReadonlyArray<string>>>
) => {
  const entries = new Map<string, Entry>()
  const add = (path: string, method: string) => {
    const known = path.replace(/(.)\/$/, "$1")
    const entry = entries.get(known) ?? { matches: patternOf(known), methods: new Set() }
    entry.methods.add(method)
    if (method === "GET") entry.methods.add("HEAD")
    entries.set(known, entry)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => add(endpoint.path, endpoint.method)
  })
  for (const [path, methods] of Object.entries(others)) for (const method of methods) add(path, method)

  return (path: string): ReadonlyArray<string> => {
    // The server as a whole (RFC 9110, 9.3.7).
    if (path === "*") return [...order, "OPTIONS"]
    const methods = new Set<string>()
    for (const entry of entries.values()) {
      if (entry.matches.test(path)) for (const method of entry.methods) methods.add(method)
    }
    return methods.size === 0 ? [] : [...order.filter((method) => methods.has(method)), "OPTIONS"]
  }
}
