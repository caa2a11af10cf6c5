import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { Headers } from "effect/http"
import {
  type ClientAddressSettings,
  clientAddressDefaults
} from "../../../src/domain/settings/ClientAddressSetting.ts"
import { networksOf } from "../../../src/domain/shared/Network.ts"
import { addressFinder, networkOf } from "../../../src/http/pipeline/ClientAddress.ts"

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

const defaults = clientAddressDefaults({ trustedProxies: [] })

const finding =
  (settings: Partial<ClientAddressSettings>) =>
  (peer: string | undefined, headers: Record<string, string> = {}) =>
    addressFinder({ ...defaults, ...settings })({
      peerAddress: Option.fromUndefinedOr(peer),
      headers: Headers.fromInput(headers)
    })

const client = "203.0.113.9"
const proxy = "10.0.0.1"

describe("the address of a client", () => {
  it("is that of the connection, whatever headers say", () => {
    const find = finding({ client_ip_mode: "remote_addr", trusted_proxy_cidrs: ["0.0.0.0/0"] })
    assert.strictEqual(find(client, { "x-forwarded-for": "1.1.1.1", "x-real-ip": "2.2.2.2" }), client)
    assert.strictEqual(find("::ffff:203.0.113.9"), client)
    assert.strictEqual(find("2001:db8::7"), "2001:db8::7")
    assert.isUndefined(find(undefined, { "x-real-ip": "2.2.2.2" }))
  })

  it.each([
    ["203.0.113.9", client],
    [" 203.0.113.9 ", client],
    ["::ffff:203.0.113.9", client],
    ["2001:DB8::7", "2001:db8::7"],
    // Two proxies have set it, or a client has and the proxy has added its own.
    ["1.1.1.1, 203.0.113.9", proxy],
    ["203.0.113.9:443", proxy],
    ["unknown", proxy],
    ["", proxy]
  ])("is what a single header says, if it says an address: %j", (value, expected) => {
    const find = finding({ client_ip_mode: "single_header", client_ip_header: "CF-Connecting-IP" })
    assert.strictEqual(find(proxy, { "cf-connecting-ip": value, "x-real-ip": "2.2.2.2" }), expected)
    assert.strictEqual(find(proxy, { "x-real-ip": "2.2.2.2", "x-forwarded-for": "1.1.1.1" }), proxy)
  })

  it.each<readonly [forwarded: string, address: string]>([
    [client, client],
    // What stands further left came from the client and proves nothing.
    [`1.1.1.1, ${client}`, client],
    [`1.1.1.1, ${client}, 10.9.9.9, 192.168.1.7`, client],
    [`unknown, ${client}`, client],
    [`${client}:4711`, client],
    ["[2001:db8::7]:4711", "2001:db8::7"],
    // A proxy that is not trusted is the client.
    [`${client}, 198.51.100.1, 10.0.0.2`, "198.51.100.1"],
    // Nothing is known of what is left of a word that is no address.
    [`${client}, unknown`, proxy],
    [`${client}, unknown, 10.0.0.2`, proxy],
    ["10.0.0.2, 10.0.0.3", proxy],
    ["", proxy],
    [`${client},`, proxy],
    // More hops than any request has.
    [`${client}, ${Array(31).fill("10.0.0.2").join(", ")}`, client],
    [`${client}, ${Array(32).fill("10.0.0.2").join(", ")}`, proxy]
  ])("is what a trusted proxy has forwarded: %s", (forwarded, address) => {
    const find = finding({
      client_ip_mode: "xff_trusted_proxies",
      trusted_proxy_cidrs: ["10.0.0.0/8", "192.168.1.7/32", "fd00::/8"]
    })
    const headers = { "x-forwarded-for": forwarded, "x-real-ip": "2.2.2.2" }
    assert.strictEqual(find(proxy, headers), address)
    assert.strictEqual(find("::ffff:10.0.0.1", headers), address)
    // Whoever is no trusted proxy forwards nothing.
    assert.strictEqual(find("198.51.100.77", headers), "198.51.100.77")
    assert.strictEqual(find("2001:db8::1", headers), "2001:db8::1")
    assert.isUndefined(find(undefined, headers))
  })

  it("begins as the deployment says", () => {
    assert.deepStrictEqual(clientAddressDefaults({ trustedProxies: [] }), {
      client_ip_mode: "remote_addr",
      client_ip_header: "X-Real-IP",
      trusted_proxy_cidrs: []
    })
    assert.deepStrictEqual(clientAddressDefaults({ trustedProxies: networksOf(["10.1.1.1", "fd00::/8"]) }), {
      client_ip_mode: "xff_trusted_proxies",
      client_ip_header: "X-Real-IP",
      trusted_proxy_cidrs: ["10.1.1.1/32", "fd00::/8"]
    })
  })
})
