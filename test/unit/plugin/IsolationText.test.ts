import { assert, describe, it } from "@effect/vitest"
import { describeIsolation, isKept } from "../../../src/domain/plugin/IsolationText.ts"
import { isolationFinding } from "../../../src/operator/doctor/plugins.ts"

const all = { user: "held", limits: "held", processes: "held", files: "held", network: "held" } as const
const asUser = { ...all, user: { because: "only root" } }
const open = { ...all, network: { because: "no program `ip`" } }

describe("what keeps plugins apart", () => {
  it("is told in words", () => {
    assert.deepStrictEqual(describeIsolation(all).missing, [])
    assert.strictEqual(describeIsolation(all).held.length, 5)
    assert.deepStrictEqual(describeIsolation(open).missing, [
      "a network with nothing but the service and what they may reach (no program `ip`)"
    ])
  })

  it("is enough without users of their own", () => {
    assert.isTrue(isKept(all))
    assert.isTrue(isKept(asUser))
    assert.isFalse(isKept(open))
  })

  it("is well for the doctor if all holds, or all but the users where only root can give them", () => {
    assert.strictEqual(isolationFinding(all).level, "ok")
    assert.strictEqual(isolationFinding(asUser).level, "ok")
    assert.match(isolationFinding(asUser).says, /the user of the service$/)
    const finding = isolationFinding(open)
    assert.strictEqual(finding.level, "warn")
    assert.match(finding.says, /no program `ip`/)
  })
})
