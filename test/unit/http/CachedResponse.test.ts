import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { makeCachedResponse } from "../../../src/http/bytes/CachedResponse.ts"

const request = HttpServerRequest.fromWeb(new Request("http://forum.test/"))

/** A response whose contents are made only once released, and how often that began. */
const held = Effect.gen(function* () {
  const [started, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let made = 0
  const respond = yield* makeCachedResponse(
    Effect.gen(function* () {
      made += 1
      yield* Deferred.succeed(started, undefined)
      yield* Deferred.await(released)
      return { text: "contents", contentType: "text/plain", headers: {} }
    })
  )
  return { respond, started, release: Deferred.succeed(released, undefined), made: () => made }
})

layer(NodeCrypto.layer)("a cached response", (it) => {
  it.effect("is answered after the first request for it was cancelled", () =>
    Effect.gen(function* () {
      const { release, respond, started } = yield* held
      const first = yield* Effect.forkChild(respond(request))
      yield* Deferred.await(started)
      const cancelled = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* release
      yield* Fiber.join(cancelled)
      assert.strictEqual((yield* respond(request)).status, 200)
    })
  )

  it.effect("is made once for all who wait, even if the first of them is cancelled", () =>
    Effect.gen(function* () {
      const { made, release, respond, started } = yield* held
      const first = yield* Effect.forkChild(respond(request))
      yield* Deferred.await(started)
      const second = yield* Effect.forkChild(respond(request), { startImmediately: true })
      const cancelled = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* release
      yield* Fiber.join(cancelled)
      assert.strictEqual((yield* Fiber.join(second)).status, 200)
      assert.strictEqual((yield* respond(request)).status, 200)
      assert.strictEqual(made(), 1)
    })
  )

  it.effect("is made again after it could not be made", () =>
    Effect.gen(function* () {
      let tries = 0
      const respond = yield* makeCachedResponse(
        Effect.suspend(() =>
          tries++ === 0
            ? Effect.die(new Error("not yet"))
            : Effect.succeed({ text: "contents", contentType: "text/plain", headers: {} })
        )
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(respond(request))))
      for (let n = 0; n < 2; n++) assert.strictEqual((yield* respond(request)).status, 200)
      assert.strictEqual(tries, 2)
    })
  )
})
