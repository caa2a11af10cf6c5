/** What every endpoint declares beside its schemas. */

import type { Schema } from "effect"
import { Context } from "effect"
import type { HttpMethod } from "effect/http"
import { type HttpApiEndpoint, type HttpApiGroup, type HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { Access } from "../../domain/shared/Access.ts"
import type { AccessPolicy } from "./Access.ts"

export interface Operation<Id, Middleware, Declared> {
  /** Its id in the API's description, as clients know it. */
  readonly id: string
  /** One line that says what it does. */
  readonly summary: string
  readonly description: string
  /** Who may call it. */
  readonly access: AccessPolicy<Id, Middleware, Declared>
  /** Whether its answer begins or ends a session, and so sets the cookie. */
  readonly setsSession?: boolean
  /** Whether it takes whatever body there is, and refuses none. */
  readonly takesAnything?: boolean
}

/** The traits of an endpoint that its description depends on. */
export const OperationTraits = Context.Reference<{
  readonly setsSession: boolean
  readonly takesAnything: boolean
}>("forum/http/OperationTraits", { defaultValue: () => ({ setsSession: false, takesAnything: false }) })

const requirementsOf = (access: Access) => {
  const guests = access._tag === "Public" || access._tag === "Reader" ? [{}] : []
  const bearer = "cookieOnly" in access && access.cookieOnly ? [] : [{ access_key: [] }]
  return [...guests, { browser: [] }, ...bearer]
}

/** Completes an endpoint: its place in the description, its traits, and the middleware that checks its access. */
export const operation =
  <Id extends HttpApiMiddleware.AnyId, Middleware, Declared>({
    access: { access, annotations, middleware },
    description,
    id,
    setsSession = false,
    summary,
    takesAnything = false
  }: Operation<Id, Middleware, Declared>) =>
  <
    Name extends string,
    Method extends HttpMethod.HttpMethod,
    Path extends string,
    Params extends Schema.Top,
    Query extends Schema.Top,
    Payload extends Schema.Top,
    Headers extends Schema.Top,
    Success extends Schema.Top,
    Error extends Schema.Top,
    M,
    R
  >(
    endpoint: HttpApiEndpoint.HttpApiEndpoint<
      Name,
      Method,
      Path,
      Params,
      Query,
      Payload,
      Headers,
      Success,
      Error,
      M,
      R
    >
  ) =>
    endpoint
      .annotateMerge(
        OpenApi.annotations({
          identifier: id,
          summary,
          description,
          override: {
            security: requirementsOf(access),
            ...("permission" in access ? { "x-permission": access.permission } : {})
          }
        })
      )
      .annotateMerge(annotations)
      .annotate(OperationTraits, { setsSession, takesAnything })
      .middleware(middleware)

/** The names of endpoints in a group that declare no operation, and so no access. */
type UndeclaredIn<Group> =
  HttpApiGroup.Endpoints<Group> extends infer Endpoint
    ? Endpoint extends { readonly identifier: infer Name; readonly "~Middleware": infer Middleware }
      ? [Middleware] extends [never]
        ? Name
        : never
      : never
    : never

/** Groups as they are, if every endpoint in them declares its operation; others do not compile. */
export const declared = <const Groups extends ReadonlyArray<HttpApiGroup.Constraint>>(
  ...groups: Groups & {
    readonly [Place in keyof Groups]: [UndeclaredIn<Groups[Place]>] extends [never]
      ? unknown
      : { readonly "Declare who may call": UndeclaredIn<Groups[Place]> }
  }
): Groups => groups
