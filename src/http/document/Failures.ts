/** Which problems an operation can answer with. */
import { Context, Option, Predicate } from "effect"
import type { HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { type Access, isForAccounts, takenBy } from "../../domain/shared/Access.ts"
import {
  AccessTokenRefused,
  AccessTokenRequired,
  AccountSuspended,
  CookieRequired,
  Forbidden,
  Unauthenticated
} from "../../domain/shared/Actor.ts"
import { OAuthError, OAuthUnauthorized } from "../../domain/shared/OAuthError.ts"
import { type ProblemType, problemTypeOf } from "../../domain/shared/Problem.ts"
import { TooManyWriters } from "../../domain/storage/StorageProblem.ts"
import { declaredAccess } from "../contract/AccessPolicies.ts"
import { takesKeys } from "../contract/IdempotentOperation.ts"
import { OperationTraits } from "../contract/Operation.ts"
import {
  CrossSiteRequest,
  InvalidRequest,
  PayloadTooLarge,
  UnsupportedMediaType
} from "../contract/RequestProblems.ts"

/** The properties of an operation that decide how it can fail before its own rules apply. */
interface Traits {
  readonly access: Access
  readonly changes: boolean
  readonly hasBody: boolean
  /** Whether bodies of some content types are refused. */
  readonly hasBodyOfType: boolean
  /** Whether the operation requires headers that say something of the body. */
  readonly hasBodyHeaders: boolean
  /** Whether parts of the address are parameters, which no operation gets where they cannot be decoded. */
  readonly hasPathParameters: boolean
  readonly hasQuery: boolean
  /** Whether requests may have a key, whose form can be wrong. */
  readonly takesKeys: boolean
  /** Whether an invalid request is a failure in the form of OAuth. */
  readonly refusesAsOAuth: boolean
}

const permitted = new Set<Access["_tag"]>(["Reader", "Member", "Contributor"])

/** The conditions that an operation can fail with a problem that a middleware declares for all operations. */
const conditions = new Map<unknown, (traits: Traits) => boolean>([
  [Unauthenticated, ({ access }) => isForAccounts(access)],
  [Forbidden, ({ access }) => permitted.has(access._tag)],
  [AccountSuspended, ({ access }) => access._tag !== "Public"],
  [CookieRequired, ({ access }) => takenBy(access) === "cookie"],
  [AccessTokenRequired, ({ access }) => takenBy(access) === "token"],
  [AccessTokenRefused, ({ access }) => takenBy(access) === "cookie or key"],
  [CrossSiteRequest, ({ changes }) => changes],
  [TooManyWriters, ({ changes }) => changes],
  // A body of any type is not looked into.
  [
    InvalidRequest,
    ({ hasBodyHeaders, hasBodyOfType, hasPathParameters, hasQuery, refusesAsOAuth, takesKeys }) =>
      hasPathParameters || (!refusesAsOAuth && (takesKeys || hasBodyOfType || hasBodyHeaders || hasQuery))
  ],
  [PayloadTooLarge, ({ hasBody }) => hasBody],
  [UnsupportedMediaType, ({ hasBodyOfType, refusesAsOAuth }) => hasBodyOfType && !refusesAsOAuth]
])

const traitsOf = (endpoint: HttpApiEndpoint.Top): Traits => {
  const { refusesAs, takesAnything, takesAnyType } = Context.get(endpoint.annotations, OperationTraits)
  const hasBody = endpoint.payload.size > 0 && !takesAnything
  return {
    access: Option.getOrThrow(declaredAccess(endpoint.annotations)),
    changes: endpoint.method !== "GET" && endpoint.method !== "HEAD",
    hasBody,
    hasBodyOfType: hasBody && !takesAnyType,
    hasBodyHeaders: hasBody && endpoint.headers !== undefined,
    hasPathParameters: endpoint.params !== undefined,
    hasQuery: endpoint.query !== undefined,
    takesKeys: takesKeys(endpoint),
    refusesAsOAuth: refusesAs !== undefined
  }
}

/** The problem behind an error schema, which is its class or a codec of it. */
export const declaredBy = (schema: unknown): ProblemType | undefined =>
  problemTypeOf(schema) ??
  (Predicate.hasProperty(schema, "schema") ? problemTypeOf(schema.schema) : undefined)

const oauthForms = [
  { form: OAuthError, status: "400" },
  { form: OAuthUnauthorized, status: "401" }
] as const
export type OAuthStatus = (typeof oauthForms)[number]["status"]

const isOrEncodes = (schema: unknown, form: unknown): boolean =>
  schema === form || (Predicate.hasProperty(schema, "schema") && schema.schema === form)

/** The statuses with which an operation declares to fail in the form of OAuth. */
export const oauthStatusesOf = ({ error }: HttpApiEndpoint.Top): ReadonlyArray<OAuthStatus> =>
  oauthForms
    .filter(({ form }) => [...error].some((schema) => isOrEncodes(schema, form)))
    .map(({ status }) => status)

/** The problems that an operation declares, and those of its middleware that are possible for it. */
export const problemsOf = (
  endpoint: HttpApiEndpoint.Top,
  middleware: ReadonlySet<HttpApiMiddleware.AnyService>
): ReadonlyArray<ProblemType> => {
  const traits = traitsOf(endpoint)
  const shared = [...middleware]
    .flatMap(({ error }) => [...error])
    .filter((error) => conditions.get(error)?.(traits) ?? true)
  const found = [...endpoint.error, ...shared].flatMap((schema) => declaredBy(schema) ?? [])
  return [...new Map(found.map((problem) => [problem.name, problem])).values()]
}
