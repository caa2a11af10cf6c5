import { Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideGuestAccess } from "../../domain/shared/Access.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { DeclaredGuestAccess } from "../shared/Access.ts"
import { credentialsOf, noteCaller, noteOperation } from "../shared/Authentication.ts"
import { checkAddress } from "../shared/Parameters.ts"
import { AddressedThread, ThreadOperation } from "./ThreadAccess.ts"

export const layer = Layer.effect(
  ThreadOperation,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const views = yield* ThreadViews

    const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const credentials = credentialsOf(request)
      const { thread_mark = "" } = yield* HttpRouter.params
      const companion = views.ahead(thread_mark)
      return companion === undefined
        ? ([yield* sessions.identify(credentials), Option.none()] as const)
        : yield* sessions.identifyWith(credentials, companion)
    })

    return ThreadOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredGuestAccess)
      return Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* noteOperation(endpoint)
        const [caller, thread] = yield* identify(request)
        yield* noteCaller(caller)
        const actor = yield* Effect.fromResult(decideGuestAccess(access, caller))
        yield* checkAddress(request, endpoint)
        const provided = Context.make(CurrentActor, actor).pipe(Context.add(AddressedThread, thread))
        return yield* Effect.provideContext(handler, provided)
      })
    })
  })
)
