/** Identifies callers by session cookie or bearer token, and checks the access that each endpoint declares. */
import { Context, Effect, flow, Layer, type Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Callers } from "../../domain/session/Callers.ts"
import type { Credentials } from "../../domain/session/Session.ts"
import { type Access, decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import { type AccountActor, type Actor, CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import { Replicas } from "../../domain/storage/Replicas.ts"
import {
  AccountOperation,
  DeclaredAccountAccess,
  DeclaredGuestAccess,
  GuestOperation,
  OpenOperation,
  sessionCookie
} from "../contract/AccessPolicies.ts"
import { checkAddress } from "./QueryParameters.ts"
import { RequestContext } from "./RequestContext.ts"

const bearerForm = /^Bearer +(\S+)$/

const cookieForm = new RegExp(`^ *${sessionCookie}="?([^"]*)`)

/** The values of all session cookies: another path, or another host of the domain, may have set some, too. */
const sessionCookiesOf = (header: string | undefined): ReadonlyArray<string> =>
  header === undefined
    ? []
    : header.split(";").flatMap((cookie) => cookieForm.exec(cookie)?.[1]?.trim() ?? [])

/** The credentials in a request, valid or not. */
export const credentialsOf = (request: HttpServerRequest.HttpServerRequest): Credentials => ({
  cookies: sessionCookiesOf(request.headers.cookie),
  bearer: bearerForm.exec(request.headers.authorization ?? "")?.[1]
})

/** Names the caller for the log, and counts what the request costs a guest, whose bearer token is not valid. */
const noteCaller = (actor: Actor, request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(RequestContext, (facts) => {
    facts.account = actor._tag === "Account" ? actor.accountId : "guest"
    if (actor._tag === "Account") return
    facts.hasBadBearer = credentialsOf(request).bearer !== undefined
    facts.chargeAsGuest()
  })

const isRead = ({ method }: HttpServerRequest.HttpServerRequest) => method === "GET" || method === "HEAD"

const hasCredentials = (request: HttpServerRequest.HttpServerRequest) => {
  const { bearer, cookies } = credentialsOf(request)
  return bearer !== undefined || cookies.length > 0
}

interface Options {
  readonly endpoint: HttpApiEndpoint.Top
}

type Nothing = Context.Context<never>

/** Who sends a request, and what its operation asks storage for along with that. */
type Identified<Found> = readonly [Actor, Found]

type Identify<Found, E, R> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Identified<Found>, E, R>

type Provide<Caller, Found, Provided> = (
  caller: Caller,
  found: Found
) => (context: Nothing) => Context.Context<Provided>

type GuestRefusal = Result.Result.Failure<ReturnType<typeof decideGuestAccess>>

/** Lets a request that is admitted be handled. */
type Admit<Provided, Refused, Needs> = <A, E>(
  handler: Effect.Effect<A, E, Provided>,
  options: Options
) => Effect.Effect<A, E | Refused, Needs>

/**
 * Makes what admits callers as the endpoint declares, before parameters and body are read: finds out who asks, decides,
 * and gives the handler what it may know of the caller. A caller who is known already is not looked for again.
 */
export const admitting = <Id, Declared extends Access, Refused, Caller, Found, NotFound, Needs, Provided>(
  declaration: Context.Key<Id, Declared>,
  decide: (access: Declared, actor: Actor) => Result.Result<Caller, Refused>,
  identify: Identify<Found, NotFound, Needs>,
  provided: Provide<Caller, Found, Provided>
) =>
  Effect.map(Replicas, (replicas) =>
    Effect.fnUntraced(function* <A, E>(
      handler: Effect.Effect<A, E, Provided>,
      { endpoint }: Options,
      known?: Identified<Found>
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const [actor, found] = known ?? (yield* identify(request))
      yield* noteCaller(actor, request)
      const access = Context.getUnsafe(endpoint.annotations, declaration)
      const caller = yield* Effect.fromResult(decide(access, actor))
      yield* checkAddress(request, endpoint)
      // Added one by one: providing a context copies all services that there are.
      const answer = Effect.updateContext(handler, provided(caller, found))
      if (replicas === undefined || isRead(request) || actor._tag === "Guest") return yield* answer
      return yield* Effect.tap(answer, replicas.noteWrite(actor.accountId))
    })
  )

/**
 * As `admitting`, for operations that guests may call. What a permission of readers is for is read from a copy of the
 * storage, if there is one: then `find` asks the copy for what `identify` asks for along with the caller.
 */
export const admittingReaders = <Found, NotFound, Needs, Provided>(
  identify: Identify<Found, NotFound, Needs>,
  find: (actor: Actor) => Effect.Effect<Found, NotFound, Needs>,
  provided: Provide<Actor, Found, Provided>
): Effect.Effect<
  Admit<Provided, GuestRefusal | NotFound, Needs | HttpServerRequest.HttpServerRequest>,
  never,
  Callers
> =>
  Effect.map(
    Effect.all([Replicas, Callers, admitting(DeclaredGuestAccess, decideGuestAccess, identify, provided)]),
    ([replicas, callers, admit]) => {
      // Not a part of it: measured, one more generator around requests makes V8 free three times as much by full collections.
      if (replicas === undefined) return admit
      return <A, E>(handler: Effect.Effect<A, E, Provided>, options: Options) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const { _tag } = Context.getUnsafe(options.endpoint.annotations, DeclaredGuestAccess)
          if (_tag !== "Reader" || !isRead(request)) return admit(handler, options)
          if (!hasCredentials(request)) return replicas.read(admit(handler, options))
          // Who asks, and what they may, is not read from a copy.
          const asked = callers.identifyWith(credentialsOf(request), replicas.forCaller)
          return Effect.flatMap(asked, ([actor, read]) =>
            read(Effect.flatMap(find(actor), (found) => admit(handler, options, [actor, found])))
          )
        })
    }
  )

export const forActor = (actor: Actor) => (context: Nothing) => Context.add(context, CurrentActor, actor)

export const forAccount = (account: AccountActor) =>
  flow(forActor(account), Context.add(CurrentAccount, account))

/** Makes a function that identifies the caller of a request, who is a guest without valid credentials. */
export const makeIdentify = Effect.map(
  Callers,
  (callers) => (request: HttpServerRequest.HttpServerRequest) =>
    Effect.map(callers.identify(credentialsOf(request)), (actor) => [actor, undefined] as const)
)

const openOperations = Layer.succeed(
  OpenOperation,
  OpenOperation.of((handler, { endpoint }) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.andThen(checkAddress(request, endpoint), handler)
    )
  )
)

const guestOperations = Layer.effect(
  GuestOperation,
  Effect.gen(function* () {
    const identify = yield* makeIdentify
    return GuestOperation.of(yield* admittingReaders(identify, () => Effect.undefined, forActor))
  })
)

const accountOperations = Layer.effect(
  AccountOperation,
  Effect.gen(function* () {
    const identify = yield* makeIdentify
    return AccountOperation.of(
      yield* admitting(DeclaredAccountAccess, decideAccountAccess, identify, forAccount)
    )
  })
)

/** The middleware of all kinds of operations. */
export const layer = Layer.mergeAll(openOperations, guestOperations, accountOperations)
