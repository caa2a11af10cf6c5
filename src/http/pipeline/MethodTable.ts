/** Which methods addresses take. Pure. */
import type { HttpMethod } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { endpointsOf } from "../contract/Endpoints.ts"

type Path = `/${string}`

interface Entry {
  readonly path: Path
  readonly segments: ReadonlyArray<string>
  readonly matches: RegExp
  readonly methods: Set<HttpMethod.HttpMethod>
}

const patternOf = (path: string) =>
  new RegExp(
    `^${path
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/(?<=\/):\w+(?=\/|$)/g, "[^/]+")
      // The router takes nothing for a parameter that is a part of a segment.
      .replace(/:\w+/g, "[^/]*")
      .replace(/\\\*$/, ".*")}${path === "/" ? "" : "/?"}$`
  )

const order: ReadonlyArray<HttpMethod.HttpMethod> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

/** Whether a parameter is all of a segment, and not a part of it as in `:event_mark.ics`. */
const isParameter = (segment: string | undefined) => segment !== undefined && /^:\w+$/.test(segment)

/** What a segment takes, however its parameters are called. */
const shapeOf = (segment: string | undefined) => segment?.replace(/:\w+/g, ":")

/** Whether all addresses of a path are addresses of another one, which has parameters where the first has words. */
const isWithin = ({ segments: own }: Entry, { segments: others }: Entry): boolean => {
  if (own.length !== others.length) return false
  const isSame = (segment: string, place: number) => shapeOf(segment) === shapeOf(others[place])
  return (
    own.every((segment, place) => isParameter(others[place]) || isSame(segment, place)) && !own.every(isSame)
  )
}

type Api<Id extends string, Groups extends HttpApiGroup.Constraint> = HttpApi.HttpApi<Id, Groups>

const entriesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: Api<Id, Groups>,
  others: Readonly<Record<Path, ReadonlyArray<HttpMethod.HttpMethod>>>
): ReadonlyArray<Entry> => {
  const entries = new Map<string, Entry>()
  const add = (path: Path, method: HttpMethod.HttpMethod) => {
    const entry = entries.get(path) ?? {
      path,
      segments: path.split("/"),
      matches: patternOf(path),
      methods: new Set()
    }
    entry.methods.add(method)
    if (method === "GET") entry.methods.add("HEAD")
    entries.set(path, entry)
  }
  for (const { endpoint } of endpointsOf(api)) {
    add(`/${endpoint.path.replace(/^\/|\/$/g, "")}`, endpoint.method)
  }
  for (const [path, methods] of Object.entries(others)) {
    for (const method of methods) add(`/${path.replace(/^\/|\/$/g, "")}`, method)
  }
  return [...entries.values()]
}

/**
 * Makes a function that answers the methods of an address: HEAD where there is GET, and OPTIONS always. `others` are
 * the paths outside of the API.
 */
export const methodTable = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: Api<Id, Groups>,
  others: Readonly<Record<Path, ReadonlyArray<HttpMethod.HttpMethod>>>
) => {
  const entries = entriesOf(api, others)

  return (address: string): ReadonlyArray<string> => {
    // The server as a whole (RFC 9110, 9.3.7).
    if (address === "*") return [...order, "OPTIONS"]
    const matching = entries.filter(({ matches }) => matches.test(address))
    // A word of the API stands for itself, and not for a parameter.
    const meant = matching.filter((entry) => !matching.some((other) => isWithin(other, entry)))
    const methods = new Set(meant.flatMap((entry) => [...entry.methods]))
    return methods.size === 0 ? [] : [...order.filter((method) => methods.has(method)), "OPTIONS"]
  }
}

/**
 * The methods that a path would take only because another path has parameters where it has words, each with the path.
 */
export const shadowedMethods = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: Api<Id, Groups>
): ReadonlyArray<readonly [Exclude<HttpMethod.HttpMethod, "HEAD" | "TRACE">, Path]> => {
  const entries = entriesOf(api, {})
  return entries.flatMap((entry) => {
    const { methods, path } = entry
    const wider = entries.filter((other) => isWithin(entry, other))
    // HEAD is taken where GET is, and TRACE nowhere.
    return [...new Set(wider.flatMap((other) => [...other.methods]))].flatMap((method) =>
      method === "HEAD" || method === "TRACE" || methods.has(method) ? [] : [[method, path] as const]
    )
  })
}
