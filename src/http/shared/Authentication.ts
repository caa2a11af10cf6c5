/** Identifies callers by session cookie or bearer token, and checks the access that each endpoint declares. */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Credentials } from "../../domain/session/Session.ts"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import { type Actor, CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import {
  AccountOperation,
  DeclaredAccountAccess,
  DeclaredGuestAccess,
  GuestOperation,
  OpenOperation,
  sessionCookie
} from "./Access.ts"
import { checkAddress } from "./Parameters.ts"
import { RequestContext } from "./RequestContext.ts"

const bearerForm = /^Bearer +(\S+)$/

const cookieForm = new RegExp(`(?:^|;) *${sessionCookie}="?([^;"]*)`, "g")

/** The values of all session cookies: another path, or another host of the domain, may have set some, too. */
const sessionCookiesOf = (header: string | undefined): ReadonlyArray<string> =>
  header === undefined ? [] : Array.from(header.matchAll(cookieForm), ([, value = ""]) => value.trim())

/** The credentials in a request, valid or not. */
export const credentialsOf = (request: HttpServerRequest.HttpServerRequest): Credentials => ({
  cookies: sessionCookiesOf(request.headers.cookie),
  bearer: bearerForm.exec(request.headers.authorization ?? "")?.[1]
})

/** Names the caller for the log. */
export const noteCaller = (actor: Actor) =>
  Effect.map(RequestContext, (facts) => {
    facts.account = actor._tag === "Account" ? actor.accountId : "guest"
  })

/** A caller without valid credentials is a guest. */
const makeIdentify = Effect.map(
  Sessions,
  (sessions) => (request: HttpServerRequest.HttpServerRequest) =>
    Effect.tap(sessions.identify(credentialsOf(request)), noteCaller)
)

const openOperations = Layer.succeed(
  OpenOperation,
  OpenOperation.of((handler, { endpoint }) =>
    Effect.gen(function* () {
      yield* checkAddress(yield* HttpServerRequest.HttpServerRequest, endpoint)
      return yield* handler
    })
  )
)

const guestOperations = Layer.effect(
  GuestOperation,
  Effect.map(makeIdentify, (identify) =>
    GuestOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredGuestAccess)
      return Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const actor = yield* Effect.fromResult(decideGuestAccess(access, yield* identify(request)))
        yield* checkAddress(request, endpoint)
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
        const request = yield* HttpServerRequest.HttpServerRequest
        const account = yield* Effect.fromResult(decideAccountAccess(access, yield* identify(request)))
        yield* checkAddress(request, endpoint)
        const caller = Context.make(CurrentActor, account).pipe(Context.add(CurrentAccount, account))
        return yield* Effect.provideContext(handler, caller)
      })
    })
  )
)

/** The middleware of all kinds of operations. */
export const layer = Layer.mergeAll(openOperations, guestOperations, accountOperations)
