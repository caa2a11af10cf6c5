import { Context, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Sessions } from "../../domain/session/Sessions.ts"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import { CurrentAccount, CurrentActor } from "../../domain/shared/Actor.ts"
import type { Companion } from "../../domain/shared/Companion.ts"
import type { PostId } from "../../domain/shared/Id.ts"
import { threadMark } from "../../domain/shared/Mark.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { DeclaredAccountAccess, DeclaredGuestAccess } from "../shared/Access.ts"
import { credentialsOf, noteCaller } from "../shared/Authentication.ts"
import { checkAddress } from "../shared/Parameters.ts"
import { AddressedPost, AddressedThread, ReplyOperation, ThreadOperation } from "./ThreadAccess.ts"

/** Identifies the caller of an operation together with what the thread mark in its address names. */
const makeIdentify = Effect.map(
  Sessions,
  (sessions) =>
    <A>(ahead: (id: PostId) => Companion<Option.Option<A>>) =>
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { thread_mark = "" } = yield* HttpRouter.params
        const id = threadMark(thread_mark)
        const credentials = credentialsOf(request)
        const identified =
          id === undefined
            ? ([yield* sessions.identify(credentials), Option.none<A>()] as const)
            : yield* sessions.identifyWith(credentials, ahead(id))
        yield* noteCaller(identified[0])
        return identified
      })
)

const reading = Layer.effect(
  ThreadOperation,
  Effect.gen(function* () {
    const identify = (yield* makeIdentify)((yield* ThreadViews).ahead)

    return ThreadOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredGuestAccess)
      return Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const [caller, thread] = yield* identify(request)
        const actor = yield* Effect.fromResult(decideGuestAccess(access, caller))
        yield* checkAddress(request, endpoint)
        const provided = Context.make(CurrentActor, actor).pipe(Context.add(AddressedThread, thread))
        return yield* Effect.provideContext(handler, provided)
      })
    })
  })
)

const replying = Layer.effect(
  ReplyOperation,
  Effect.gen(function* () {
    const identify = (yield* makeIdentify)((yield* Posts).ahead)

    return ReplyOperation.of((handler, { endpoint }) => {
      const access = Context.getUnsafe(endpoint.annotations, DeclaredAccountAccess)
      return Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const [caller, post] = yield* identify(request)
        const account = yield* Effect.fromResult(decideAccountAccess(access, caller))
        yield* checkAddress(request, endpoint)
        const provided = Context.make(CurrentActor, account).pipe(
          Context.add(CurrentAccount, account),
          Context.add(AddressedPost, post)
        )
        return yield* Effect.provideContext(handler, provided)
      })
    })
  })
)

export const layer = Layer.merge(reading, replying)
