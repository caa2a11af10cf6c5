import { IpNetwork } from "effect/net"
import { describe, expect, it } from "vitest"
import { decideDial, hostOf, portOf, readTarget } from "../../../src/domain/outbound/OutboundRules.ts"

const opened = (...texts: ReadonlyArray<string>) => texts.map((text) => IpNetwork.fromStringUnsafe(text))

/** What is decided on the host of an address, or what the host is if it is no IP address. */
const decide = (text: string, networks = opened()) => {
  const url = readTarget(text)
  if (typeof url === "string") return url
  const host = hostOf(url)
  return host._tag === "Address" ? decideDial(host.address, portOf(url), networks) : host._tag
}

describe("an address on the public internet is dialled", () => {
  it.each([
    "http://1.1.1.1/",
    "http://9.255.255.255/",
    "http://11.0.0.0/",
    "http://100.63.255.255/",
    "http://100.128.0.0/",
    "http://126.255.255.255/",
    "http://128.0.0.0/",
    "http://169.253.255.255/",
    "http://169.255.0.0/",
    "http://172.15.255.255/",
    "http://172.32.0.0/",
    "http://192.0.1.0/",
    "http://192.0.3.0/",
    "http://192.167.255.255/",
    "http://192.169.0.0/",
    "http://198.17.255.255/",
    "http://198.20.0.0/",
    "http://223.255.255.255/",
    "https://[2606:4700:4700::1111]/",
    "https://[2001:4860:4860::8888]/",
    "https://[2000::1]/",
    "https://[2003::1]/",
    "https://[3ffe::1]/",
    "http://[::ffff:1.1.1.1]/",
    "http://16843009/",
    "http://0x1.0x1.1/"
  ])("%s", (text) => expect(decide(text)).toBe("dial"))
})

describe("any other address is refused, however it is written", () => {
  it.each([
    // This network, loopback.
    ["http://0.0.0.0/"],
    ["http://0/"],
    ["http://0.255.255.255/"],
    ["http://127.0.0.1/"],
    ["http://127.255.255.255/"],
    ["http://127.1/"],
    ["http://127.0.0.1./"],
    ["http://2130706433/"],
    ["http://0x7f000001/"],
    ["http://0x7F.1/"],
    ["http://017700000001/"],
    ["http://0177.0.0.1/"],
    ["http://%31%32%37.0.0.1/"],
    ["http://１２７.0.0.1/"],
    ["http://127。0。0。1/"],
    // Private and shared networks, link-local, with the addresses of cloud metadata.
    ["http://10.0.0.0/"],
    ["http://10.255.255.255/"],
    ["http://0xa.1/"],
    ["http://100.64.0.0/"],
    ["http://100.127.255.255/"],
    ["http://100.100.100.200/"],
    ["http://169.254.0.0/"],
    ["http://169.254.169.254/"],
    ["http://0251.0376.0251.0376/"],
    ["http://2852039166/"],
    ["http://172.16.0.0/"],
    ["http://172.31.255.255/"],
    ["http://192.168.0.0/"],
    ["http://192.168.255.255/"],
    // Special purposes.
    ["http://192.0.0.0/"],
    ["http://192.0.0.192/"],
    ["http://192.0.2.1/"],
    ["http://192.88.99.1/"],
    ["http://198.18.0.0/"],
    ["http://198.19.255.255/"],
    ["http://198.51.100.1/"],
    ["http://203.0.113.1/"],
    ["http://224.0.0.1/"],
    ["http://239.255.255.255/"],
    ["http://240.0.0.0/"],
    ["http://255.255.255.255/"],
    // IPv6: unspecified, loopback, discard, private, link-local, site-local, multicast.
    ["http://[::]/"],
    ["http://[::1]/"],
    ["http://[0:0:0:0:0:0:0:1]/"],
    ["http://[100::1]/"],
    ["http://[fc00::1]/"],
    ["http://[fd00:ec2::254]/"],
    ["http://[fdff:ffff::1]/"],
    ["http://[fe80::1]/"],
    ["http://[febf::1]/"],
    ["http://[fec0::1]/"],
    ["http://[ff02::1]/"],
    ["http://[5f00::1]/"],
    // Those that contain an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo.
    ["http://[::ffff:127.0.0.1]/"],
    ["http://[::ffff:7f00:1]/"],
    ["http://[::ffff:a00:1]/"],
    ["http://[::ffff:169.254.169.254]/"],
    ["http://[::127.0.0.1]/"],
    ["http://[::1.1.1.1]/"],
    ["http://[::ffff:0:127.0.0.1]/"],
    ["http://[64:ff9b::7f00:1]/"],
    ["http://[64:ff9b::1.1.1.1]/"],
    ["http://[64:ff9b:1::1]/"],
    ["http://[2002:7f00:1::]/"],
    ["http://[2002:101:101::]/"],
    ["http://[2001::1]/"],
    ["http://[2001:0:5ef5:79fd::1]/"],
    ["http://[2001:1ff:ffff::1]/"],
    ["http://[2001:db8::1]/"],
    ["http://[3fff::1]/"],
    ["http://[4000::1]/"]
  ])("%s", (text) => expect(decide(text)).toBe("network"))
})

describe("a host", () => {
  it.each([
    ["http://localhost/", "ThisMachine"],
    ["http://LOCALHOST/", "ThisMachine"],
    ["http://localhost./", "ThisMachine"],
    ["http://a.b.localhost/", "ThisMachine"],
    ["http://a.localhost./", "ThisMachine"],
    ["http://ｌｏｃａｌｈｏｓｔ/", "ThisMachine"],
    ["http://localhost.example/", "Name"],
    ["http://notlocalhost/", "Name"],
    ["http://127.0.0.1.nip.io/", "Name"],
    ["http://1.2.3.4.5/", "address"],
    ["http://256.1.1.1/", "address"],
    ["http://0x100000000/", "address"],
    ["http://[fe80::1%25eth0]/", "address"],
    ["http://[fe80::1%eth0]/", "address"],
    ["http://[::1", "address"],
    ["http://", "address"],
    ["http:///", "address"],
    ["/path", "address"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["gopher://127.0.0.1/", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["https://user@example.com/", "credentials"],
    ["https://:secret@example.com/", "credentials"],
    ["https://127.0.0.1@example.com/", "credentials"]
  ])("of %s", (text, expected) => expect(decide(text)).toBe(expected))

  it("has no dot at its end, and no upper case", () => {
    expect(hostOf(new URL("http://EXAMPLE.com./"))).toEqual({ _tag: "Name", name: "example.com" })
  })
})

describe("a port", () => {
  it.each([
    ["http://1.1.1.1/", "dial"],
    ["https://1.1.1.1/", "dial"],
    ["https://1.1.1.1:80/", "dial"],
    ["http://1.1.1.1:443/", "dial"],
    ["http://1.1.1.1:1024/", "dial"],
    ["http://1.1.1.1:8080/", "dial"],
    ["http://1.1.1.1:65535/", "dial"],
    ["http://1.1.1.1:0/", "port"],
    ["http://1.1.1.1:22/", "port"],
    ["http://1.1.1.1:25/", "port"],
    ["http://1.1.1.1:81/", "port"],
    ["http://1.1.1.1:1023/", "port"],
    ["http://1.1.1.1:6667/", "port"],
    ["http://1.1.1.1:6000/", "port"],
    // The network counts first.
    ["http://10.0.0.1:22/", "network"]
  ])("of %s: %s", (text, expected) => expect(decide(text)).toBe(expected))
})

describe("a network that is opened", () => {
  const networks = opened("10.1.0.0/16", "::1/128", "127.0.0.0/8")

  it.each([
    ["http://10.1.255.255:22/", "dial"],
    ["http://10.2.0.0/", "network"],
    ["http://[::ffff:10.1.0.1]/", "dial"],
    ["http://[::1]:6667/", "dial"],
    ["http://127.0.0.1:1/", "dial"],
    ["http://192.168.0.1/", "network"],
    ["http://1.1.1.1:22/", "port"]
  ])("decides on %s: %s", (text, expected) => expect(decide(text, networks)).toBe(expected))
})

describe("a redirect", () => {
  const from = (text: string, to: string) => {
    const read = readTarget(to, new URL(text))
    return typeof read === "string" ? read : read.href
  }

  it.each([
    ["http://a.test/b/c", "d", "http://a.test/b/d"],
    ["http://a.test/b", "//other.test", "http://other.test/"],
    ["http://a.test/b", "https://a.test/b#c", "https://a.test/b"],
    ["https://a.test/b", "/c", "https://a.test/c"],
    ["https://a.test/b", "http://a.test/b", "downgrade"],
    ["https://a.test/b", "ftp://a.test/b", "scheme"],
    ["http://a.test/b", "http://me@a.test/b", "credentials"],
    ["http://a.test/b", "http://[", "address"]
  ])("from %s to %s", (text, to, expected) => expect(from(text, to)).toBe(expected))
})
