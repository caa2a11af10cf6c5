import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Id } from "../../../src/domain/shared/Id.ts"
import { encode, Ids } from "../../../src/domain/shared/Ids.ts"

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

describe("encode", () => {
  // The first is the example in the documentation of xid.
  it.each([
    ["4d88e15b60f486e428412dc9", "9m4e2mr0ui3e8a215n4g"],
    ["000000000000000000000000", "00000000000000000000"],
    ["ffffffffffffffffffffffff", "vvvvvvvvvvvvvvvvvvvg"],
    ["000000000000000000000001", "0000000000000000000g"]
  ])("writes %s as %s", (hex, text) => {
    assert.strictEqual(encode(bytesOf(hex)), text)
  })

  it("preserves order and ends in 0 or g, as strict parsers of xid require", () => {
    const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [first, second] = [encode(a), encode(b)]
        assert.match(first, /^[0-9a-v]{19}[0g]$/)
        assert.strictEqual(Math.sign(Buffer.compare(a, b)), first < second ? -1 : first > second ? 1 : 0)
      })
    )
  })
})

describe("Id", () => {
  const isId = Schema.is(Id)

  it.each(["00000000000000000000", "9m4e2mr0ui3e8a215n4g"])("accepts %s", (text) => {
    assert.isTrue(isId(text))
  })

  it.each([
    "",
    "0".repeat(19),
    "0".repeat(21),
    "0000000000000000000w",
    "9M4E2MR0UI3E8A215N4G",
    "9m4e2mr0ui3e8a215n4g\n"
  ])("refuses %j", (text) => {
    assert.isFalse(isId(text))
  })
})

const random = Layer.succeed(
  SecureRandom.SecureRandom,
  SecureRandom.make((size) => new Uint8Array(size).fill(0xab))
)

layer(Ids.layer.pipe(Layer.provide(random)))("Ids", (it) => {
  it.effect("begin with the second of their creation", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      yield* TestClock.setTime(0x4d88e15b * 1000 + 999)
      assert.strictEqual((yield* next).slice(0, 6), "9m4e2m")
    })
  )

  it.effect("increase strictly, also when the clock stands still or is set back", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      let last = ""
      for (let i = 0; i < 3000; i++) {
        if (i % 7 === 0) yield* TestClock.setTime(Math.abs(((i * 7919) % 1000) - 500) * 1000)
        const id = yield* next
        assert.isTrue(Schema.is(Id)(id))
        assert.isTrue(id > last, `${id} after ${last}`)
        last = id
      }
    })
  )
})

layer(Ids.from(0xffffff - 3).pipe(Layer.provide(random)))("Ids", (it) => {
  it.effect("increase strictly when the counter of a second starts again, and when that second comes", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      let last = ""
      for (let i = 0; i < 10; i++) {
        if (i === 7) yield* TestClock.setTime(1000)
        const id = yield* next
        assert.isTrue(id > last, `${id} after ${last}`)
        last = id
      }
    })
  )
})
