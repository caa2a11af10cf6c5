/** Which problems an operation can answer with: those it declares, and of those that its middleware declares the possible ones. */
import { Context, Option, Predicate } from "effect"
import type { HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import type { Access } from "../../../domain/shared/Access.ts"
import { AccountSuspended, CookieRequired, Forbidden, Unauthenticated } from "../../../domain/shared/Actor.ts"
import { type ProblemType, problemTypeOf } from "../../../domain/shared/Problem.ts"
import { declaredAccess } from "../Access.ts"
import { OperationTraits } from "../Operation.ts"
import {
  CrossSiteRequest,
  InvalidRequest,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../RequestProblems.ts"

/** What of an operation decides how it can fail before its own rules are asked. */
interface Traits {
  readonly access: Access
  readonly changes: boolean
  readonly hasBody: boolean
  readonly hasParameters: boolean
}

const asksForPermission = (access: Access) => access._tag === "Reader" || access._tag === "Member"

const possible = new Map<unknown, (traits: Traits) => boolean>([
  [Unauthenticated, ({ access }) => access._tag === "SignedIn" || access._tag === "Member"],
  [Forbidden, ({ access }) => asksForPermission(access)],
  [AccountSuspended, ({ access }) => access._tag !== "Public"],
  [CookieRequired, ({ access }) => "cookieOnly" in access && access.cookieOnly],
  [CrossSiteRequest, ({ changes }) => changes],
  [InvalidRequest, ({ hasBody, hasParameters }) => hasBody || hasParameters],
  [PayloadTooLarge, ({ hasBody }) => hasBody],
  [UnsupportedMediaType, ({ hasBody }) => hasBody]
])

const traitsOf = (endpoint: HttpApiEndpoint.Top): Traits => ({
  access: Option.getOrThrow(declaredAccess(endpoint.annotations)),
  changes: endpoint.method !== "GET" && endpoint.method !== "HEAD",
  hasBody: endpoint.payload.size > 0 && !Context.get(endpoint.annotations, OperationTraits).takesAnything,
  hasParameters: endpoint.params !== undefined || endpoint.query !== undefined
})

/** The problemType behind an error schema, also where the endpoint has wrapped it in a codec. */
export const declaredBy = (schema: unknown): ProblemType | undefined =>
  problemTypeOf(schema) ??
  (Predicate.hasProperty(schema, "schema") ? problemTypeOf(schema.schema) : undefined)

const isDefined = <A>(value: A | undefined): value is A => value !== undefined

export const failuresOf = (
  endpoint: HttpApiEndpoint.Top,
  middleware: ReadonlySet<HttpApiMiddleware.AnyService>
): ReadonlyArray<ProblemType> => {
  const traits = traitsOf(endpoint)
  const shared = [...middleware]
    .flatMap(({ error }) => [...error])
    .filter((error) => possible.get(error)?.(traits) ?? true)
  const all = [...endpoint.error, ...shared].map(declaredBy).filter(isDefined)
  return [...new Map(all.map((problemType) => [problemType.name, problemType])).values()]
}
