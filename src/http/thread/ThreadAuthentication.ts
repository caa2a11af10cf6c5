import { Context, Effect, flow, Layer, Option } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Callers } from "../../domain/session/Callers.ts"
import { decideAccountAccess, decideGuestAccess } from "../../domain/shared/Access.ts"
import type { PostId } from "../../domain/shared/Id.ts"
import { threadMark } from "../../domain/shared/Mark.ts"
import type { AskedWithCaller } from "../../domain/storage/Transaction.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { DeclaredAccountAccess, DeclaredGuestAccess } from "../contract/AccessPolicies.ts"
import { admitting, credentialsOf, forAccount, forActor } from "../pipeline/Authentication.ts"
import { AddressedPost, ReplyOperation, RequestedThread, ThreadOperation } from "./ThreadAccess.ts"

/** Identifies the caller of an operation together with what the thread mark in its address names. */
const makeIdentify = Effect.map(
  Callers,
  (callers) =>
    <A>(ahead: (id: PostId) => AskedWithCaller<Option.Option<A>>) =>
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { thread_mark = "" } = yield* HttpRouter.params
        const id = threadMark(thread_mark)
        const credentials = credentialsOf(request)
        return id === undefined
          ? ([yield* callers.identify(credentials), Option.none<A>()] as const)
          : yield* callers.identifyWith(credentials, ahead(id))
      })
)

const reading = Layer.effect(
  ThreadOperation,
  Effect.gen(function* () {
    const identify = (yield* makeIdentify)((yield* ThreadViews).ahead)
    return ThreadOperation.of(
      yield* admitting(DeclaredGuestAccess, decideGuestAccess, identify, (actor, thread) =>
        flow(forActor(actor), Context.add(RequestedThread, thread))
      )
    )
  })
)

const replying = Layer.effect(
  ReplyOperation,
  Effect.gen(function* () {
    const identify = (yield* makeIdentify)((yield* Posts).ahead)
    return ReplyOperation.of(
      yield* admitting(DeclaredAccountAccess, decideAccountAccess, identify, (account, post) =>
        flow(forAccount(account), Context.add(AddressedPost, post))
      )
    )
  })
)

export const layer = Layer.merge(reading, replying)
