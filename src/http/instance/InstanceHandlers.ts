import { Effect, Exit, Option, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { Accounts } from "../../domain/account/Accounts.ts"
import { Instance } from "../../domain/instance/Instance.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { Threads } from "../../domain/thread/Threads.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor } from "../bytes/ConditionalResponse.ts"
import { isFromFrontend } from "../pipeline/ClientAddress.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { RequestContext } from "../pipeline/RequestContext.ts"
import { Beacon } from "./InstanceApi.ts"
import { makeSelfDescription } from "./SelfDescription.ts"

const clientOf = (address: string, request: HttpServerRequest.HttpServerRequest) => ({
  ip_address: address,
  ...(isFromFrontend(request) ? { ip_address_ssr: address } : {})
})

const readBeacon = Schema.decodeUnknownOption(Schema.fromJsonString(Beacon))

export const layer = group(
  ForumApi,
  "instance",
  Effect.fnUntraced(function* (handlers) {
    const instance = yield* Instance
    const accounts = yield* Accounts
    const threads = yield* Threads
    const self = yield* makeSelfDescription

    const session = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const account = Option.getOrUndefined(yield* accounts.findOwn())
      const { address } = (yield* RequestContext).client
      const body = {
        info: yield* instance.info,
        ...(account === undefined ? {} : { account }),
        ...(address === undefined ? {} : { client: clientOf(address, request) })
      }
      const headers = { "cache-control": cachingFor(yield* CurrentActor) }
      return HttpApiSchema.withHeaders({ body, headers })
    })

    // Browsers send beacons with any content type and ignore the response, so a body that cannot be read is no failure.
    const beacon = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const read = yield* Effect.exit(request.text)
      const signal = Exit.isSuccess(read) ? Option.getOrUndefined(readBeacon(read.value)) : undefined
      if (signal?.k === "thread") yield* threads.markRead(signal.id)
      return HttpServerResponse.empty({ status: 202 })
    })

    return handlers
      .handleRaw("beacon", ({ request }) => beacon(request))
      .handleAll({
        description: ({ request }) => self.description(request),
        reference: ({ request }) => self.reference(request),
        listProblems: ({ request }) => self.listProblems(request),
        getProblem: ({ params, request }) => self.getProblem(request, params.name),
        version: () => Effect.succeed(instance.version),
        info: () => instance.info,
        session: ({ request }) => session(request)
      })
  })
)
