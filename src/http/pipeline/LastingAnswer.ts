/** Answers that last, and end when their callers may not have them any more. */
import { Context, Effect, Option, Result, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { StreamCallers } from "../../domain/session/StreamCallers.ts"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import { DeclaredAccountAccess, DeclaredGuestAccess } from "../contract/AccessPolicies.ts"
import { credentialsOf } from "./Authentication.ts"

/** What a handler knows of the request that it answers. */
interface Answered {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly endpoint: HttpApiEndpoint.Top
}

/** Whether a caller may still call the operation of an endpoint, as that declares. */
const mayCall =
  ({ annotations }: HttpApiEndpoint.Top) =>
  (caller: Actor): boolean => {
    const ofAccounts = Context.getOption(annotations, DeclaredAccountAccess)
    return Option.isSome(ofAccounts)
      ? Result.isSuccess(decideAccountAccess(ofAccounts.value, caller))
      : Result.isSuccess(decideGuestAccess(Context.getUnsafe(annotations, DeclaredGuestAccess), caller))
  }

/**
 * Makes a function that ends a stream when the caller may not call the operation any more: signed out, suspended,
 * without the permission, or with a credential that has ended, wherever that happened.
 */
export const makeLasting = Effect.map(
  StreamCallers,
  ({ watch }) =>
    <A, E, R>({ endpoint, request }: Answered, stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
      Stream.unwrap(
        Effect.map(watch(credentialsOf(request), mayCall(endpoint)), (lost) =>
          Stream.interruptWhen(stream, lost)
        )
      )
)
