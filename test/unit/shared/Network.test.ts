import { assert, describe, it } from "@effect/vitest"
import { IpNetwork, NetAddress } from "effect/net"
import { isWithin, networksOf, toAddress, toNetwork } from "../../../src/domain/shared/Network.ts"

describe("a network", () => {
  it.each([
    ["10.1.2.3", "10.1.2.3/32"],
    [" 10.1.2.3/8\t", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["::1", "::1/128"],
    ["2001:DB8::1/32", "2001:db8::/32"],
    ["::/0", "::/0"],
    // As an IPv4 address, which is how clients are known.
    ["::ffff:10.1.2.3", "10.1.2.3/32"],
    ["::ffff:10.1.2.3/104", "10.0.0.0/8"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:0:0/95", "::fffe:0:0/95"],
    ["", undefined],
    ["localhost", undefined],
    ["10.0.0.0/33", undefined],
    ["10.0.0.0/", undefined],
    ["10.0.0.0/-1", undefined],
    ["10.0.0/8", undefined],
    ["010.0.0.1", undefined],
    ["10.0.0.1:80", undefined],
    ["10.0.0.1, 10.0.0.2", undefined],
    ["::1/129", undefined],
    ["fe80::1%eth0", undefined]
  ])("written as %j is %s", (text, expected) => {
    const network = toNetwork(text)
    assert.strictEqual(network && IpNetwork.format(network), expected)
  })
})

describe("an address", () => {
  it.each([
    ["10.1.2.3", "10.1.2.3"],
    ["10.1.2.3:443", "10.1.2.3"],
    ["::1", "::1"],
    ["[::1]", "::1"],
    ["[2001:DB8::1]:443", "2001:db8::1"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["fe80::1%eth0", "fe80::1"],
    ["", undefined],
    ["unknown", undefined],
    ["_hidden", undefined],
    ["10.1.2", undefined],
    ["1.2.3.4.5", undefined],
    ["10.1.2.3/8", undefined]
  ])("written as %j is %s", (text, expected) => {
    const address = toAddress(text)
    assert.strictEqual(address && NetAddress.formatIp(address), expected)
  })

  it.each([
    ["127.0.0.1", true],
    ["::ffff:127.0.0.1", true],
    ["::1", true],
    ["128.0.0.1", false],
    ["::2", false]
  ])("%s is of this machine: %s", (text, expected) => {
    const address = toAddress(text)
    assert.isDefined(address)
    if (address !== undefined) {
      assert.strictEqual(isWithin(networksOf(["127.0.0.0/8", "::1"]), address), expected)
      assert.isFalse(isWithin([], address))
    }
  })
})
