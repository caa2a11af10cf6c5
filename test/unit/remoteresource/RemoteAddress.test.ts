import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  type AddressRefusal,
  readRedirect,
  readRemoteAddress,
  remoteAddressMax,
  resourceDocuments,
  serverDocuments,
  trimmed
} from "../../../src/domain/remoteresource/RemoteAddress.ts"

const merged = (result: Result.Result<URL, AddressRefusal>) =>
  Result.match(result, { onFailure: (reason) => reason, onSuccess: ({ href }) => href })

const long = (length: number) => "https://a.example/".padEnd(length, "x")

describe("an address of a resource", () => {
  const used: ReadonlyArray<readonly [text: string, href: string]> = [
    ["https://a.example", "https://a.example/"],
    ["HTTPS://A.Example/Path", "https://a.example/Path"],
    ["https://a.example:443/x", "https://a.example/x"],
    ["https://a.example:8443/x?y=%20", "https://a.example:8443/x?y=%20"],
    ["https://a.example/x/../y", "https://a.example/y"],
    ["https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"],
    ["https://10.0.0.1/", "https://10.0.0.1/"],
    ["http://localhost/x", "http://localhost/x"],
    ["http://LOCALHOST:3000", "http://localhost:3000/"],
    ["http://app.localhost/", "http://app.localhost/"],
    ["http://127.0.0.1:1/", "http://127.0.0.1:1/"],
    ["http://127.9.8.7/", "http://127.9.8.7/"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://[::1]:8080/", "http://[::1]:8080/"]
  ]

  it.each(used)("%s is %s", (text, href) => {
    expect(merged(readRemoteAddress(text))).toBe(href)
    expect(merged(readRemoteAddress(href))).toBe(href)
  })

  const refused: ReadonlyArray<readonly [text: string, reason: AddressRefusal]> = [
    ["", "address"],
    ["a.example", "address"],
    ["//a.example/", "address"],
    ["/mcp", "address"],
    ["https:", "address"],
    ["https://", "address"],
    ["https:a.example", "address"],
    ["https:///a.example", "address"],
    ["ftp://a.example/", "address"],
    ["file:///etc/passwd", "address"],
    ["data:text/plain,x", "address"],
    ["javascript:alert(1)", "address"],
    [" https://a.example/", "address"],
    ["https://a.example/ ", "address"],
    ["https://a.example/a b", "address"],
    ["https://a.example/\n", "address"],
    ["https://a.ex\tample/", "address"],
    ["https://a.example\\@b.example/", "address"],
    ["https://a.example/\0", "address"],
    ["https://a.example:99999/", "address"],
    ["https://[::1/", "address"],
    ["https://user@a.example/", "credentials"],
    ["https://user:hush@a.example/", "credentials"],
    ["https://:hush@a.example/", "credentials"],
    ["https://a.example/#x", "fragment"],
    ["https://a.example/#", "fragment"],
    ["http://a.example/", "scheme"],
    ["http://localhost.a.example/", "scheme"],
    ["http://127.0.0.1.a.example/", "scheme"],
    ["http://10.0.0.1/", "scheme"],
    ["http://0.0.0.0/", "scheme"],
    ["http://128.0.0.1/", "scheme"],
    ["http://[::2]/", "scheme"],
    ["http://[::ffff:127.0.0.1]/", "scheme"]
  ]

  it.each(refused)("%j is refused for its %s", (text, reason) => {
    expect(merged(readRemoteAddress(text))).toBe(reason)
  })

  it("is not too long as it is stored", () => {
    expect(merged(readRemoteAddress(long(remoteAddressMax)))).toBe(long(remoteAddressMax))
    expect(merged(readRemoteAddress(long(remoteAddressMax + 1)))).toBe("length")
    expect(merged(readRemoteAddress(`https://a.example/${"ü".repeat(170)}`))).toBe("length")
  })
})

describe("a redirect", () => {
  const cases: ReadonlyArray<readonly [from: string, location: string, to: string]> = [
    ["https://a.example/x/y", "/z", "https://a.example/z"],
    ["https://a.example/x/y", "z", "https://a.example/x/z"],
    ["https://a.example/x/y", "//b.example/", "https://b.example/"],
    ["https://a.example/x", "https://b.example/z", "https://b.example/z"],
    ["http://localhost/x", "https://b.example/", "https://b.example/"],
    ["http://localhost/x", "http://127.0.0.1/", "http://127.0.0.1/"],
    ["http://localhost/x", "http://b.example/", "scheme"],
    ["https://a.example/", "http://localhost/", "scheme"],
    ["https://a.example/", "http://b.example/", "scheme"],
    ["https://a.example/", "https://user@b.example/", "credentials"],
    ["https://a.example/", "https://b.example/#x", "fragment"],
    ["https://a.example/", "ftp://b.example/", "address"],
    ["https://a.example/", "https://", "address"]
  ]

  it.each(cases)("from %s by %s leads to %s", (from, location, to) => {
    expect(merged(readRedirect(new URL(from), location))).toBe(to)
  })
})

describe("the documents", () => {
  const known = "/.well-known/oauth-protected-resource"
  const resources: ReadonlyArray<readonly [resource: string, ...documents: ReadonlyArray<string>]> = [
    ["https://a.example/", `https://a.example${known}`],
    ["https://a.example/?x=1", `https://a.example${known}`],
    ["https://a.example/mcp", `https://a.example${known}/mcp`, `https://a.example${known}`],
    ["https://a.example/mcp/?x=1", `https://a.example${known}/mcp/`, `https://a.example${known}`],
    ["http://localhost:3000/a/b", `http://localhost:3000${known}/a/b`, `http://localhost:3000${known}`]
  ]

  it.each(resources)("of the resource %s are at its origin, with its path", (resource, ...documents) => {
    expect(resourceDocuments(new URL(resource))).toEqual(documents)
  })

  const server = "/.well-known/oauth-authorization-server"
  const openid = "/.well-known/openid-configuration"
  const servers: ReadonlyArray<readonly [issuer: string, ...documents: ReadonlyArray<string>]> = [
    ["https://id.example", `https://id.example${server}`, `https://id.example${openid}`],
    ["https://id.example/", `https://id.example${server}`, `https://id.example${openid}`],
    ["https://id.example/t/1", `https://id.example${server}/t/1`, `https://id.example/t/1${openid}`],
    ["https://id.example/t/1/", `https://id.example${server}/t/1`, `https://id.example/t/1${openid}`]
  ]

  it.each(servers)("of the server %s are at its origin, and below it", (issuer, ...documents) => {
    expect(serverDocuments(new URL(issuer))).toEqual(documents)
  })

  it("of an issuer are the same with and without a slash at its end", () => {
    expect(trimmed(new URL("https://id.example/"))).toBe("https://id.example")
    expect(trimmed(new URL("https://ID.example/t//"))).toBe("https://id.example/t")
  })
})
