/** Records the statements that the service runs for a request, so that a floor can run the same. */
import { ConfigProvider, Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { Statement } from "effect/sql"
import { live } from "../src/layers/wiring/Server.ts"
import { BenchFailure } from "./BenchFailure.ts"
import type { Request } from "./load.ts"
import { freePort } from "./processes.ts"
import { portable, type Recorded } from "./recording.ts"

export interface Answered extends Recorded {
  readonly body: unknown
}

/** The JSON that a request is answered with. */
export const bodyOf = (url: string, { path, ...init }: Request) =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const response = await fetch(`${url}${path}`, init)
      if (!response.ok) throw new Error(`${response.status}`)
      return response.json()
    },
    catch: (cause) => new BenchFailure({ message: `Recording ${path}: ${cause}` })
  })

const idOf = (body: unknown) =>
  typeof body === "object" && body !== null && "id" in body ? String(body.id) : undefined

/** Serves each request once, by the service within this process, and returns the answers with their statements. */
export const record = Effect.fn("record")(function* (
  databaseUrl: string,
  requests: Readonly<Record<string, Request>>
) {
  let statements: Array<Recorded["statements"][number]> = []
  const transformer = Layer.succeed(Statement.CurrentTransformer, (statement, _sql, fiber) =>
    Effect.sync(() => {
      // The service also follows its event log.
      if (Option.isSome(Context.getOption(fiber.context, HttpServerRequest.HttpServerRequest))) {
        const [text, params] = statement.compile()
        statements.push({ text, params: params.map(portable) })
      }
      return statement
    })
  )
  const port = yield* freePort
  const settings = ConfigProvider.fromUnknown({
    DATABASE_URL: databaseUrl,
    HOST: "127.0.0.1",
    PORT: String(port),
    LOG_LEVEL: "Error",
    CACHE_MEGABYTES: "0"
  })
  yield* Layer.build(live.pipe(Layer.provide(Layer.mergeAll(transformer, ConfigProvider.layer(settings)))))
  const answered = new Map<string, Answered>()
  for (const [name, request] of Object.entries<Request>(requests)) {
    statements = []
    const body = yield* bodyOf(`http://127.0.0.1:${port}`, request)
    const [thread = ""] = /[0-9a-v]{20}/.exec(request.path) ?? []
    const created = request.method === "POST" ? idOf(body) : undefined
    answered.set(name, { body, created, statements, thread })
  }
  return answered
}, Effect.scoped)
