/** The whole service over a fresh database, with a fixed clock, seeded randomness and cheap password hashes. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { Digest, Kdf, SecureRandom } from "effect/crypto"
import { HttpClient } from "effect/http"
import { inject } from "vitest"
import { Deployment } from "../../src/domain/instance/Deployment.ts"
import { TextCacheSize } from "../../src/http/shared/TextCache.ts"
import * as App from "../../src/layers/App.ts"
import { clientOptions } from "../../src/layers/Database.ts"
import * as Connections from "../../src/persistence/shared/Connections.ts"

let databases = 0

const optionsFor = (database: string, maxConnections: number) => {
  const server = inject("postgres")
  return { ...clientOptions, ...server, password: Redacted.make(server.password), database, maxConnections }
}

const freshDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const name = `test_${process.pid}_${databases++}`
    yield* PgClient.PgClient.use((sql) => sql`create database ${sql(name)} template template_forum`).pipe(
      Effect.provide(PgClient.layer(optionsFor("postgres", 1))),
      Effect.scoped
    )
    return Connections.layer(optionsFor(name, 8))
  })
)

// A counter run through a multiplicative hash: the same bytes in every run, and never twice in one.
const seededRandom = Layer.sync(SecureRandom.SecureRandom, () => {
  let state = 1
  return SecureRandom.make((size) =>
    Uint8Array.from({ length: size }, () => {
      state = Math.imul(state, 1_664_525) + 1_013_904_223
      return state >>> 24
    })
  )
})

// One digest instead of Argon2id: what is tested is the rules around it, and there are hundreds of sign-ups.
const cheapHashes = Layer.effect(
  Kdf.Kdf,
  Effect.map(Digest.Digest, (digest) =>
    Kdf.Kdf.of({
      derive: (_algorithm, key, { salt, length }) =>
        Effect.map(digest.digest(Digest.sha256, Uint8Array.from([...(salt ?? []), ...key])), (hash) =>
          hash.slice(0, length)
        )
    })
  )
)

const crypto = Layer.mergeAll(cheapHashes, seededRandom).pipe(Layer.provideMerge(NodeCrypto.layerDigest))

const deployment: Deployment["Service"] = {
  publicUrl: new URL("http://forum.test"),
  webUrl: new URL("http://www.forum.test"),
  origins: ["https://app.forum.test"],
  trustedProxies: [],
  version: "1.2.3"
}

/** Our stores, but for one that does something else. */
export const storesBut = <Name extends Layer.Success<typeof App.stores>, Store>(
  store: Context.Key<Name, Store>,
  change: (ours: Store) => Store
) => Layer.effect(store, Effect.map(store, change)).pipe(Layer.provideMerge(App.stores))

/** The service as it runs where its deployment differs from the usual so, or over other stores. */
export const layerWhere = (differences: Partial<Deployment["Service"]>, stores = App.stores) =>
  App.over(stores).pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provideMerge(freshDatabase),
    Layer.provide(
      Layer.mergeAll(
        crypto,
        Layer.succeed(Deployment, { ...deployment, ...differences }),
        Layer.succeed(TextCacheSize, 1024 * 1024)
      )
    )
  )

export const layer = layerWhere({})

/** Speaks to a second instance on the same database, which keeps no texts. */
export class UncachedClient extends Context.Service<UncachedClient, HttpClient.HttpClient>()(
  "test/UncachedClient"
) {}

export const uncached = Layer.effect(
  UncachedClient,
  Effect.map(
    Layer.build(
      Layer.fresh(
        App.over(App.stores).pipe(
          Layer.provideMerge(NodeHttpServer.layerTest),
          Layer.provide(
            Layer.mergeAll(crypto, Layer.succeed(Deployment, deployment), Layer.succeed(TextCacheSize, 0))
          )
        )
      )
    ),
    (context) => Context.get(context, HttpClient.HttpClient)
  )
)
