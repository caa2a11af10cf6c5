import { domainToASCII, domainToUnicode } from "node:url"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readableHost } from "../../../src/domain/text/Punycode.ts"

describe("readableHost", () => {
  it.each([
    ["example.org", "example.org"],
    ["xn--bcher-kva.example", "bücher.example"],
    ["www.xn--80abb2ajx7d.xn--p1ai", "www.бабочки.рф"],
    ["xn--fiqs8s", "中国"],
    // Nothing that stands for anything.
    ["xn--.example", ".example"],
    ["xn--99999999999.example", "xn--99999999999.example"]
  ])("reads %j", (host, expected) => {
    expect(readableHost(host)).toBe(expected)
  })

  it("reads what Node does", () => {
    const letter = fc.constantFrom(..."aäzß9éжяשع中国語한😀")
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 12 }), (letters) => {
        const ascii = domainToASCII(`${letters.join("")}.example`)
        fc.pre(ascii !== "")
        expect(readableHost(ascii)).toBe(domainToUnicode(ascii))
      })
    )
  })
})
