import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SealedStateStore } from "../../../src/domain/authentication/SealedStateStore.ts"
import { SealedStates } from "../../../src/domain/authentication/SealedStates.ts"

const State = Schema.Struct({ name: Schema.String, expires: Schema.Int })

const states = SealedStates.layer.pipe(
  Layer.provide(
    Layer.succeed(SealedStateStore, {
      key: Effect.succeed(new Uint8Array(32).fill(7)),
      use: () => Effect.succeed(true),
      forget: () => Effect.void
    })
  ),
  Layer.provide(Layer.merge(NodeCrypto.layerMac, NodeCrypto.layerSecureRandom))
)

describe("a sealed state", () => {
  it.effect("is found by who sealed it, for its purpose, until it is too late", () =>
    Effect.gen(function* () {
      const { sealing } = yield* SealedStates
      const one = sealing("one", State)
      const kept = yield* one.seal({ name: "a", expires: 1000 })
      const later = yield* one.seal({ name: "b", expires: 2000 })
      assert.strictEqual((yield* one.find([kept]))._tag, "Some")
      assert.strictEqual((yield* sealing("other", State).find([kept]))._tag, "None")
      const found = yield* one.find([kept, later], ({ name }) => name === "b")
      assert.deepStrictEqual(found, yield* one.find([later]))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual((yield* one.find([kept]))._tag, "Some")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* one.find([kept]))._tag, "None")
      assert.strictEqual((yield* one.find([kept, later]))._tag, "Some")
    }).pipe(Effect.provide(states))
  )

  it.effect("is none of what a browser has made or changed", () =>
    Effect.gen(function* () {
      const { find, seal } = (yield* SealedStates).sealing("one", State)
      const kept = yield* seal({ name: "a", expires: 1000 })
      const [text = "", tag = ""] = kept.split(".")
      const more = yield* seal({ name: "b", expires: 2000 })
      for (const odd of [
        "",
        ".",
        text,
        `${text}.`,
        `.${tag}`,
        `${more.split(".")[0]}.${tag}`,
        `${text}.${tag.slice(1)}A`,
        `${text}A.${tag}`,
        ` ${kept}`,
        `${kept}x`
      ]) {
        assert.strictEqual((yield* find([odd]))._tag, "None", odd)
      }
    }).pipe(Effect.provide(states))
  )
})
