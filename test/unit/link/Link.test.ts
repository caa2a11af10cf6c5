import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linkAddress } from "../../../src/domain/link/Link.ts"
import { isSlug } from "../../../src/domain/shared/Slug.ts"

describe("linkAddress", () => {
  it.each([
    ["https://ogp.me", "https://ogp.me", "ogp-me", "ogp.me"],
    ["https://ogp.me/", "https://ogp.me/", "ogp-me", "ogp.me"],
    [
      "http://www.example.com/A/b?c=d#e",
      "http://www.example.com/A/b?c=d",
      "example-com-a-b",
      "www.example.com"
    ],
    ["HTTPS://Example.COM:8443/x", "HTTPS://Example.COM:8443/x", "example-com-x", "example.com:8443"],
    ["  https://a.test/#  ", "https://a.test/", "a-test", "a.test"],
    ["https://user:pass@a.test/x", "https://user:pass@a.test/x", "a-test-x", "a.test"],
    [
      "https://бабочки.рф/путь",
      "https://бабочки.рф/путь",
      "xn--80abb2ajx7d-xn--p1ai-d0-bf-d1-83-d1-82-d1-8c",
      "xn--80abb2ajx7d.xn--p1ai"
    ],
    ["https://[::1]:80/x", "https://[::1]:80/x", "1-x", "[::1]:80"]
  ])("reads %j", (text, url, slug, domain) => {
    const link = linkAddress(text)
    expect(link?.url).toBe(url)
    expect(link?.domain).toBe(domain)
    expect(link?.slug).toBe(slug.replaceAll("--", "-"))
  })

  it.each([
    "",
    "example.com",
    "/path",
    "//example.com",
    "ftp://example.com",
    "mailto:a@example.com",
    "javascript:alert(1)",
    "data:text/html,x",
    "sdr:profile/00000000000000000000",
    "http://",
    "https://exa mple.com",
    "https://example.com:99999",
    "http://_/"
  ])("refuses %j", (text) => {
    expect(linkAddress(text)).toBeUndefined()
  })

  it("gives every address a valid slug that is short enough for an index", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true, size: "+1" }), (text) => {
        const link = linkAddress(text)
        expect(link).toBeDefined()
        if (link === undefined) return
        expect(isSlug(link.slug)).toBe(true)
        expect(link.slug.length).toBeLessThanOrEqual(250)
        expect(link.url).not.toContain("#")
        expect(text.startsWith(link.url)).toBe(true)
      })
    )
  })

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void linkAddress(`https://${text}`)))
  })
})
