import { assert, describe, it } from "@effect/vitest"
import { knockingBounds, makeKnocking } from "../../../src/layers/adapters/plugins/sockets/Knocking.ts"

const times = (count: number, begin: () => boolean) =>
  Array.from({ length: count }, begin).filter(Boolean).length

describe("those who ask whether they may connect", () => {
  it("wait in a bounded number, for each address and for all", () => {
    const { begin, end } = makeKnocking(() => 0)
    assert.strictEqual(
      times(20, () => begin("a")),
      knockingBounds.waitingOfOne
    )
    for (const address of ["b", "c", "d", "e"]) times(20, () => begin(address))
    assert.isFalse(begin("f"))
    end("a")
    assert.isTrue(begin("f"))
    assert.isFalse(begin("f"))
  })

  it("are not looked up where they were wrong too often, for the rest of a minute", () => {
    let now = 0
    const { begin, end, failed } = makeKnocking(() => now)
    for (let n = 0; n < knockingBounds.wrongInMinute; n++) {
      assert.isTrue(begin("a"))
      failed("a")
      end("a")
    }
    assert.isFalse(begin("a"))
    assert.isTrue(begin("b"))
    now = 59_999
    assert.isFalse(begin("a"))
    now = 60_000
    assert.isTrue(begin("a"))
  })
})
