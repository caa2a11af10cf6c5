import { assert, describe, it } from "@effect/vitest"
import { networkOf } from "../../../src/http/shared/ClientAddress.ts"

describe("the network of a client", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["unknown", "unknown"]
  ])("of %s is %s", (address, network) => {
    assert.strictEqual(networkOf(address), network)
  })
})
