import { Effect, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Accounts } from "../../domain/account/Accounts.ts"
import { Instance } from "../../domain/instance/Instance.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { Threads } from "../../domain/thread/Threads.ts"
import { ForumApi } from "../Api.ts"
import { cachingFor } from "../shared/Conditional.ts"

const Beacon = Schema.fromJsonString(Schema.Struct({ k: Schema.String, id: Schema.String }))
const readBeacon = Schema.decodeUnknownOption(Beacon)

export const layer = HttpApiBuilder.group(
  ForumApi,
  "misc",
  Effect.fnUntraced(function* (handlers) {
    const instance = yield* Instance
    const accounts = yield* Accounts
    const threads = yield* Threads

    const session = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const account = Option.getOrUndefined(yield* accounts.findOwn())
      const address = Option.getOrUndefined(request.remoteAddress)
      const body = {
        info: yield* instance.info,
        ...(account === undefined ? {} : { account }),
        ...(address === undefined ? {} : { client: { ip_address: address } })
      }
      const headers = { "cache-control": cachingFor(yield* CurrentActor) }
      return HttpApiSchema.withHeaders({ body, headers })
    })

    const beacon = Effect.fnUntraced(function* (text: string) {
      const signal = Option.getOrUndefined(readBeacon(text))
      if (signal?.k === "thread") yield* threads.markRead(signal.id)
    })

    return handlers.handleAll({
      version: () => Effect.succeed(instance.version),
      info: () => instance.info,
      session: ({ request }) => session(request),
      beacon: ({ payload }) => beacon(payload)
    })
  })
)
