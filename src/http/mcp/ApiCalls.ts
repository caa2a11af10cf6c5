/** Calls operations of the API within the process, as the request that a program would send. */
import { Effect, Option, Schema } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import { ForumApi } from "../Api.ts"
import { methodTable } from "../pipeline/MethodTable.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import * as RequestPipeline from "../pipeline/RequestPipeline.ts"
import { CurrentAgentCaller } from "./AgentCaller.ts"

type Request = HttpServerRequest.HttpServerRequest

export interface ApiCall {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  /** The body as JSON; absent, if there is none. */
  readonly body?: string
  readonly idempotencyKey?: string | undefined
}

export interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/**
 * What the call does not have of the request that it stands for. The rest says who sends it, from where, and in what
 * language.
 */
const leftOut =
  /^(?:accept|accept-encoding|connection|content-.*|transfer-encoding|expect|if-.*|range|origin|sec-.*|idempotency-key|mcp-.*|traceparent|b3|x-b3-.*|x-storyden-ssr)$/

/** Where the headers of the call say which trace it belongs to (W3C Trace Context). */
const traceparentOf = (traceId: string) => `00-${traceId}-${traceId.slice(16)}-01`

const headersOf = (outer: Request, traceId: string, { body, idempotencyKey }: ApiCall) =>
  Headers.fromInput({
    ...Object.fromEntries(Object.entries(outer.headers).filter(([name]) => !leftOut.test(name))),
    accept: "application/json",
    traceparent: traceparentOf(traceId),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
  })

/** The request of a call, from where the request comes that it stands for. */
const requestOf = (outer: Request, traceId: string, call: ApiCall): Request =>
  Object.create(outer.modify({ url: call.url, headers: headersOf(outer, traceId, call) }), {
    method: { value: call.method },
    originalUrl: { value: call.url },
    text: { value: Effect.succeed(call.body ?? "") }
  })

const Lacking = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.Literal(Forbidden.problemType.type),
    metadata: Schema.Struct({ permission: Permission })
  })
)

/** The permission that an operation did not find. */
const lackingIn = ({ status, text }: ApiAnswer): Option.Option<Permission> =>
  status === 403
    ? Option.map(Schema.decodeUnknownOption(Lacking)(text), ({ metadata }) => metadata.permission)
    : Option.none()

/** Makes a function that calls operations of the API as whoever sent the message that is answered. */
export const makeApiCalls = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const pipeline = yield* RequestPipeline.make(methodTable(ForumApi, {}))
  const answering = pipeline(router.asHttpEffect())

  return Effect.fnUntraced(function* (call: ApiCall) {
    const caller = yield* CurrentAgentCaller
    if (caller === undefined)
      return yield* Effect.die(new Error("An operation was called outside of a message"))
    const { traceId } = yield* RequestContext
    const answered = Effect.gen(function* () {
      const response = yield* answering
      const context = yield* Effect.context<never>()
      const text = yield* Effect.promise((signal) =>
        HttpServerResponse.toWeb(response, { context, signal }).text()
      )
      return { status: response.status, text } satisfies ApiAnswer
    })
    const answer = yield* answered.pipe(
      Effect.scoped,
      Effect.provideService(HttpServerRequest.HttpServerRequest, requestOf(caller.request, traceId, call))
    )
    const lacking = lackingIn(answer)
    if (Option.isSome(lacking)) caller.lacked(lacking.value)
    return answer
  })
})

export type CallApi = Effect.Success<typeof makeApiCalls>
