/** What every endpoint declares beside its schemas. */
import { Context } from "effect"
import type { HttpMethod } from "effect/http"
import { type HttpApiEndpoint, type HttpApiGroup, type HttpApiMiddleware, OpenApi } from "effect/http-api"
import { type Access, isForAccounts, type TakenCredentials, takenBy } from "../../domain/shared/Access.ts"
import type { AccessPolicy, DeclaredAccountAccess, securitySchemes } from "./AccessPolicies.ts"
import { type AgentTool, AgentTools } from "./AgentTool.ts"
import type { Cost } from "./Cost.ts"
import { IdempotentOperation } from "./IdempotentOperation.ts"
import type { MailOperation } from "./MailOperation.ts"
import type { OAuthRefusal } from "./OAuthRefusal.ts"
import type { PluginOperation } from "./PluginOperation.ts"
import type { SmsOperation } from "./SmsOperation.ts"

/** The largest body of an operation that declares no other limit, in bytes. */
const usualMaxBody = 1024 * 1024

const usualUnits = 1

export interface Operation<Id, Middleware, Declared> {
  /** The id of the operation in the description of the API, as clients know it. */
  readonly id: string
  /** One line that says what the operation does. */
  readonly summary: string
  readonly description: string
  /** Who may call the operation. */
  readonly access: AccessPolicy<Id, Middleware, Declared>
  /** What running the operation costs the service. */
  readonly cost: Cost
  /** How many units of the rate limit a request costs its client; 1 where none are declared. */
  readonly units?: number
  /** The query parameter that makes the operation a heavy read, or several of which any does. */
  readonly heavyWith?: string | ReadonlyArray<string>
  /** The largest body that the operation takes, in bytes; 1 MiB where none is declared. */
  readonly maxBody?: number
  /** Whether the operation starts or ends a session, so that the response sets the cookie. */
  readonly setsSession?: boolean
  /** The purpose of another cookie that the response sets. */
  readonly setsCookie?: string
  /** Whether the operation takes bodies of any content type, as bytes. */
  readonly takesAnyType?: boolean
  /** The types of the bytes that the operation answers with, as far as they are known; it may answer with others. */
  readonly answersTypes?: ReadonlyArray<string>
  /** Whether the operation accepts any body of any content type, and none. */
  readonly takesAnything?: boolean
  /**
   * Whether the operation waits for others who act on what it has written, so that it is committed before there is an
   * answer. Repeated without an answer, it does the same again, which then changes nothing.
   */
  readonly commitsEarly?: boolean
  /** The failure in the form of OAuth that stands for an invalid request, where clients know that form alone. */
  readonly refusesAs?: OAuthRefusal
  /** The tools of agents that the operation is. */
  readonly tools?: ReadonlyArray<AgentTool>
}

interface Traits {
  readonly cost: Cost
  readonly units: number
  readonly heavyWith: ReadonlyArray<string>
  readonly maxBody: number
  readonly setsSession: boolean
  readonly setsCookie: string | undefined
  readonly takesAnyType: boolean
  readonly takesAnything: boolean
  readonly commitsEarly: boolean
  readonly answersTypes: ReadonlyArray<string>
  readonly refusesAs: OAuthRefusal | undefined
}

/** What an endpoint declares beside its schemas and its access. */
export const OperationTraits = Context.Reference<Traits>("forum/http/OperationTraits", {
  defaultValue: () => ({
    cost: "quick",
    units: usualUnits,
    heavyWith: [],
    maxBody: usualMaxBody,
    setsSession: false,
    setsCookie: undefined,
    takesAnyType: false,
    takesAnything: false,
    commitsEarly: false,
    answersTypes: [],
    refusesAs: undefined
  })
})

type SecurityScheme = keyof typeof securitySchemes

const schemesTaken: Readonly<Record<TakenCredentials | "all", ReadonlyArray<SecurityScheme>>> = {
  all: ["browser", "access_key", "access_token"],
  cookie: ["browser"],
  "cookie or key": ["browser", "access_key"],
  token: ["access_token"]
}

/** The ways to call an operation, one of which is without any credential where guests may. */
const requirementsOf = (access: Access) => {
  const guests = access._tag === "Public" || access._tag === "Reader" ? [{}] : []
  return [...guests, ...schemesTaken[takenBy(access) ?? "all"].map((scheme) => ({ [scheme]: [] }))]
}

/** The middleware that does a request with a key once, where an account changes something. */
type OnceBy<Method, Declared> = Method extends "GET" | "HEAD"
  ? never
  : Declared extends DeclaredAccountAccess
    ? IdempotentOperation
    : never

/**
 * Whether an operation takes the keys of requests: those of accounts that change something. Who signs in or up has no
 * account yet, or gets a cookie that is not kept; uploads are not read twice.
 */
const takesKeys = (
  method: HttpMethod.HttpMethod,
  access: Access,
  { cost, setsSession, takesAnyType }: Traits
) =>
  method !== "GET" &&
  method !== "HEAD" &&
  isForAccounts(access) &&
  !setsSession &&
  !takesAnyType &&
  cost !== "upload"

/** Completes an endpoint with its description, its traits, and the middleware that checks its access. */
export const operation =
  <Id extends HttpApiMiddleware.AnyId, Middleware, Declared>({
    access: { access, annotations, middleware },
    answersTypes = [],
    commitsEarly = false,
    cost,
    description,
    heavyWith: heavyParameters = [],
    id,
    maxBody = usualMaxBody,
    refusesAs,
    setsCookie,
    setsSession = false,
    summary,
    takesAnyType = false,
    takesAnything = false,
    tools = [],
    units = usualUnits
  }: Operation<Id, Middleware, Declared>) =>
  <Endpoint extends HttpApiEndpoint.Constraint & Pick<HttpApiEndpoint.Top, "method">>(given: Endpoint) => {
    // The compiler has no type of any endpoint that can be changed, and cannot follow whether one takes keys. It takes
    // uploads and what begins sessions for operations with keys, too.
    const endpoint = given as unknown as HttpApiEndpoint.Top
    type Completed = HttpApiEndpoint.AddMiddleware<Endpoint, Id | OnceBy<Endpoint["method"], Declared>>
    const heavyWith = typeof heavyParameters === "string" ? [heavyParameters] : heavyParameters
    const traits = {
      cost,
      units,
      heavyWith,
      maxBody,
      setsSession,
      setsCookie,
      takesAnyType,
      takesAnything,
      commitsEarly,
      answersTypes,
      refusesAs
    }
    const declared = endpoint
      .annotateMerge(
        OpenApi.annotations({
          identifier: id,
          summary,
          description,
          override: {
            security: requirementsOf(access),
            ...("permission" in access ? { "x-permission": access.permission } : {}),
            ...("alternative" in access ? { "x-permission-alternative": access.alternative } : {}),
            ...("also" in access ? { "x-permission-also": access.also } : {}),
            "x-cost": cost,
            ...(units === usualUnits ? {} : { "x-rate-limit-cost": units }),
            ...(heavyWith.length === 0 ? {} : { "x-heavy-with": heavyWith }),
            ...(endpoint.payload.size === 0 ? {} : { "x-max-body": maxBody })
          }
        })
      )
      .annotateMerge(annotations)
      .annotate(OperationTraits, traits)
      .annotate(AgentTools, tools)
    const once = takesKeys(endpoint.method, access, traits)
      ? declared.middleware(IdempotentOperation)
      : declared
    return once.middleware(middleware) as unknown as Completed
  }

/** Whether there is what an operation needs, which says nothing of who may call it. */
type AvailabilityCheck = MailOperation | PluginOperation | SmsOperation

/** The names of the endpoints in a group that do not declare an operation, and so no access. */
type UndeclaredIn<Group> =
  HttpApiGroup.Endpoints<Group> extends infer Endpoint
    ? Endpoint extends { readonly identifier: infer Name; readonly "~Middleware": infer Middleware }
      ? [Exclude<Middleware, AvailabilityCheck>] extends [never]
        ? Name
        : never
      : never
    : never

/** The groups, unchanged. A group with an endpoint that does not declare its operation does not compile. */
export const declared = <const Groups extends ReadonlyArray<HttpApiGroup.Constraint>>(
  ...groups: Groups & {
    readonly [Place in keyof Groups]: [UndeclaredIn<Groups[Place]>] extends [never]
      ? unknown
      : { readonly "Declare the operation of": UndeclaredIn<Groups[Place]> }
  }
): Groups => groups
