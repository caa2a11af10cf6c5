import { Context, Effect, flow, Layer, Option } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Callers } from "../../domain/session/Callers.ts"
import { decideAccountAccess } from "../../domain/shared/Access.ts"
import type { Actor } from "../../domain/shared/Actor.ts"
import type { PostId } from "../../domain/shared/Id.ts"
import { threadMark } from "../../domain/shared/Mark.ts"
import type { AskedWithCaller } from "../../domain/storage/Transaction.ts"
import { Posts } from "../../domain/thread/Posts.ts"
import { ThreadViews } from "../../domain/thread/ThreadViews.ts"
import { DeclaredAccountAccess } from "../contract/AccessPolicies.ts"
import {
  admitting,
  admittingReaders,
  credentialsOf,
  forAccount,
  forActor
} from "../pipeline/Authentication.ts"
import { AddressedPost, ReplyOperation, RequestedThread, ThreadOperation } from "./ThreadAccess.ts"

/** The id in the thread mark of the address. */
const addressedId = Effect.map(HttpRouter.params, ({ thread_mark = "" }) => threadMark(thread_mark))

/** Identifies the caller of an operation together with what the thread mark in its address names. */
const makeIdentify = Effect.map(
  Callers,
  (callers) =>
    <A>(ahead: (id: PostId) => AskedWithCaller<Option.Option<A>>) =>
      Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const id = yield* addressedId
        const credentials = credentialsOf(request)
        return id === undefined
          ? ([yield* callers.identify(credentials), Option.none<A>()] as const)
          : yield* callers.identifyWith(credentials, ahead(id))
      })
)

const reading = Layer.effect(
  ThreadOperation,
  Effect.gen(function* () {
    const views = yield* ThreadViews
    const identify = (yield* makeIdentify)(views.ahead)
    const find = Effect.fnUntraced(function* (actor: Actor) {
      const id = yield* addressedId
      return id === undefined ? Option.none() : yield* views.summary(id, actor)
    })
    return ThreadOperation.of(
      yield* admittingReaders(identify, find, (actor, thread) =>
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
