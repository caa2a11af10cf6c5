/** What the service says to its database for one request, so that the floor can say the same. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import { Statement } from "effect/sql"
import { Deployment } from "../src/domain/instance/Deployment.ts"
import { TextCacheSize } from "../src/http/shared/TextCache.ts"
import * as App from "../src/layers/App.ts"
import type { start } from "./database.ts"

export interface Recorded {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

const deployment = Layer.succeed(
  Deployment,
  Deployment.of({
    publicUrl: new URL("http://localhost"),
    webUrl: new URL("http://localhost"),
    origins: [],
    trustedProxies: [],
    version: "bench"
  })
)

/** Serves each request once, in this process, and answers with the statements that it took. */
export const record = <Names extends string>(
  database: Effect.Success<typeof start>,
  requests: Readonly<Record<Names, HttpClientRequest.HttpClientRequest>>
) => {
  let recorded: Array<Recorded> = []
  const recording = Layer.succeed(Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      const [text, params] = statement.compile()
      recorded.push({ text, params })
      return statement
    })
  )
  const app = App.layer.pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide(
      Layer.mergeAll(database.client, NodeCrypto.layer, deployment, Layer.succeed(TextCacheSize, 0))
    ),
    Layer.provideMerge(recording)
  )
  const names = Object.keys(requests) as Array<Names>
  return Effect.gen(function* () {
    const all: Array<readonly [Names, ReadonlyArray<Recorded>]> = []
    for (const name of names) {
      recorded = []
      const response = yield* HttpClient.execute(requests[name])
      if (response.status !== 200) return yield* Effect.die(new Error(`${name}: ${response.status}`))
      all.push([name, recorded])
    }
    return Object.fromEntries(all) as Record<Names, ReadonlyArray<Recorded>>
  }).pipe(Effect.provide(app), Effect.scoped)
}
