/** Identifies callers by session cookie or bearer token, and checks the access that each endpoint declares. */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Credentials } from "../../domain/session/Session.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import { CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import {
  AccountOperation,
  DeclaredAccountAccess,
  DeclaredGuestAccess,
  GuestOperation,
  sessionCookie
} from "./Access.ts"
import { checkAddress } from "./Parameters.ts"
import { RequestContext } from "./RequestContext.ts"

const bearerForm = /^Bearer +(\S+)$/

/** The credentials in a request, valid or not. */
export const credentialsOf = (request: HttpServerRequest.HttpServerRequest): Credentials => ({
  cookie: request.cookies[sessionCookie],
  bearer: bearerForm.exec(request.headers.authorization ?? "")?.[1]
})

/** Identifies the caller, and notes it for the log. A caller without valid credentials is a guest. */
const makeIdentify = Effect.map(
  Sessions,
  (sessions) => (endpoint: HttpApiEndpoint.Top) =>
    Effect.gen(function* () {
      const facts = yield* RequestContext
      facts.operation = Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier)
      const actor = yield* sessions.identify(credentialsOf(yield* HttpServerRequest.HttpServerRequest))
      if (actor._tag === "Account") facts.account = actor.accountId
      return actor
    })
)

const guestOperations = Layer.effect(
  GuestOperation,
  Effect.map(makeIdentify, (identify) =>
    GuestOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredGuestAccess)
      return Effect.gen(function* () {
        const actor = yield* Effect.fromResult(decideGuestAccess(access, yield* identify(endpoint)))
        yield* checkAddress(yield* HttpServerRequest.HttpServerRequest, endpoint)
        return yield* Effect.provideService(handler, CurrentActor, actor)
      })
    })
  )
)

const accountOperations = Layer.effect(
  AccountOperation,
  Effect.map(makeIdentify, (identify) =>
    AccountOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredAccountAccess)
      return Effect.gen(function* () {
        const account = yield* Effect.fromResult(decideAccountAccess(access, yield* identify(endpoint)))
        yield* checkAddress(yield* HttpServerRequest.HttpServerRequest, endpoint)
        const caller = Context.make(CurrentActor, account).pipe(Context.add(CurrentAccount, account))
        return yield* Effect.provideContext(handler, caller)
      })
    })
  )
)

/** The middleware of operations for guests and of operations for accounts. */
export const layer = Layer.mergeAll(guestOperations, accountOperations)
