/** The two ways in, session cookie and bearer token, and the door that each endpoint declares. */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { Credentials } from "../../domain/session/Session.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import {
  type Access,
  AccountSuspended,
  CookieRequired,
  CurrentActor,
  decideAccess,
  Forbidden,
  Unauthenticated
} from "../../domain/shared/Actor.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { checkAddress } from "./Parameters.ts"
import { RequestContext } from "./RequestContext.ts"

export const sessionCookie = "forum-session"

/** The OpenAPI security schemes; names as clients know them. */
export const securitySchemes = {
  browser: {
    type: "apiKey",
    in: "cookie",
    name: sessionCookie,
    description: "The session of a browser, set by signing up or in."
  },
  access_key: {
    type: "http",
    scheme: "bearer",
    description: "An access key, which acts with the permissions of the account it belongs to."
  }
} as const

const closed: Access = { _tag: "SignedIn", cookieOnly: false }

/** What an endpoint asks of its caller. An endpoint that declares nothing is closed to guests. */
export const DeclaredAccess = Context.Reference<Access>("forum/http/DeclaredAccess", {
  defaultValue: () => closed
})

/** Whether an endpoint's answer begins or ends a session, and so sets the cookie. */
export const SetsSession = Context.Reference<boolean>("forum/http/SetsSession", { defaultValue: () => false })

const requirements = (access: Access) => {
  const guests = access._tag === "Public" || access._tag === "Reader" ? [{}] : []
  const bearer = "cookieOnly" in access && access.cookieOnly ? [] : [{ access_key: [] }]
  return [...guests, { browser: [] }, ...bearer]
}

const declare = (access: Access) =>
  Context.make(DeclaredAccess, access).pipe(
    Context.merge(
      OpenApi.annotations({
        override: {
          security: requirements(access),
          ...("permission" in access ? { "x-permission": access.permission } : {})
        }
      })
    )
  )

/** Who may call: everyone, suspended accounts included. */
export const anyone = declare({ _tag: "Public", cookieOnly: false })
/** Everyone, but a signed-in caller with the cookie only. */
export const anyoneByCookie = declare({ _tag: "Public", cookieOnly: true })
/** Any account. */
export const accounts = declare(closed)
/** Any account, with the cookie only. */
export const accountsByCookie = declare({ _tag: "SignedIn", cookieOnly: true })
/** Accounts that hold the permission, and guests if their role holds it. */
export const readersWith = (permission: Permission) => declare({ _tag: "Reader", permission })
/** Accounts that hold the permission. */
export const membersWith = (permission: Permission) => declare({ _tag: "Member", permission })

/** For endpoints whose answer sets the session cookie. */
export const setsSession = Context.make(SetsSession, true)

/**
 * Identifies the caller, then holds the endpoint's door: before parameters and
 * body are read, so that strangers learn nothing from validation. Credentials
 * that are not valid make a guest.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentActor }>()(
  "forum/http/Authentication",
  { error: [Unauthenticated, Forbidden, AccountSuspended, CookieRequired] }
) {}

const bearerForm = /^Bearer +(\S+)$/

/** What the request presents; whether any of it is valid is not decided here. */
export const credentialsOf = (request: HttpServerRequest.HttpServerRequest): Credentials => ({
  cookie: request.cookies[sessionCookie],
  bearer: bearerForm.exec(request.headers.authorization ?? "")?.[1]
})

export const layer = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const sessions = yield* Sessions

    return Authentication.of((handler, { endpoint }) => {
      const access = Context.get(endpoint.annotations, DeclaredAccess)
      const operation = Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier)
      return Effect.gen(function* () {
        const facts = yield* RequestContext
        facts.operation = operation
        const request = yield* HttpServerRequest.HttpServerRequest
        const actor = yield* sessions.identify(credentialsOf(request))
        if (actor._tag === "Account") facts.account = actor.accountId
        const refusal = decideAccess(access, actor)
        if (refusal !== undefined) return yield* refusal
        yield* checkAddress(request, endpoint)
        return yield* Effect.provideService(handler, CurrentActor, actor)
      })
    })
  })
)
