import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSlug } from "../../../src/domain/shared/Slug.ts"
import { linkAddresses, readLinkAddress } from "../../../src/domain/text/LinkAddress.ts"

const read = (text: string) => {
  const address = readLinkAddress(text)
  return typeof address === "string" ? undefined : address
}

describe("readLinkAddress", () => {
  it.each([
    ["https://ogp.me", "https://ogp.me/", "ogp-me", "ogp.me"],
    ["https://ogp.me/", "https://ogp.me/", "ogp-me", "ogp.me"],
    [
      "http://www.example.com/A/b?c=d#e",
      "http://www.example.com/A/b?c=d",
      "example-com-a-b",
      "www.example.com"
    ],
    ["HTTPS://Example.COM:8443/x", "https://example.com:8443/x", "example-com-x", "example.com:8443"],
    ["https://a.test:443/x/./y/../z?", "https://a.test/x/z?", "a-test-x-z", "a.test"],
    ["  https://a.test/#  ", "https://a.test/", "a-test", "a.test"],
    ["https://a.test/?q#a#b", "https://a.test/?q", "a-test", "a.test"],
    [
      "https://бабочки.рф/путь",
      "https://xn--80abb2ajx7d.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C",
      "бабочки-рф-путь",
      "xn--80abb2ajx7d.xn--p1ai"
    ],
    ["https://BÜCHER.example/", "https://xn--bcher-kva.example/", "bücher-example", "xn--bcher-kva.example"],
    ["https://a.test/a%2Fb/%FF", "https://a.test/a%2Fb/%FF", "a-test-a-2fb-ff", "a.test"],
    ["https://[::1]:80/x", "https://[::1]:80/x", "1-x", "[::1]:80"],
    ["http://_/", "http://_/", "link", "_"],
    ["https://a.test/user@b", "https://a.test/user@b", "a-test-user-b", "a.test"]
  ])("reads %j", (text, url, slug, domain) => {
    expect(read(text)).toEqual({ url, slug, domain })
  })

  it.each([
    ["", "address"],
    ["example.com", "address"],
    ["/path", "address"],
    ["//example.com", "address"],
    ["ftp://example.com", "scheme"],
    ["mailto:a@example.com", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["data:text/html,x", "scheme"],
    ["sdr:profile/00000000000000000000", "scheme"],
    ["http://", "address"],
    ["https://exa mple.com", "address"],
    ["https://example.com:99999", "address"],
    ["https://user:pass@a.test/x", "credentials"],
    ["https://user@a.test/x", "credentials"],
    ["https://:pass@a.test/x", "credentials"],
    [`https://a.test/${"x".repeat(2034)}`, "length"],
    [`https://a.test/${"я".repeat(400)}`, "length"]
  ])("refuses %j", (text, rule) => {
    expect(readLinkAddress(text)).toBe(rule)
  })

  it("counts the characters of the address without its fragment", () => {
    expect(read(`https://a.test/${"x".repeat(2033)}#${"y".repeat(100)}`)?.url.length).toBe(2048)
  })

  it("gives every address a valid slug that is short enough for an index, and one form", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true, size: "+1" }), (text) => {
        const link = read(text)
        expect(link).toBeDefined()
        if (link === undefined) return
        expect(isSlug(link.slug)).toBe(true)
        expect(Array.from(link.slug).length).toBeLessThanOrEqual(200)
        expect(link.url).not.toContain("#")
        expect(read(link.url)).toEqual(link)
      })
    )
  })

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void read(`https://${text}`)))
  })
})

describe("linkAddresses", () => {
  it("has each link once, in the order in which they appear first", () => {
    const texts = ["https://b.test#1", "https://a.test/", "nothing", "https://b.test/", "https://B.test"]
    expect(linkAddresses(texts).map(({ url }) => url)).toEqual(["https://b.test/", "https://a.test/"])
  })
})
