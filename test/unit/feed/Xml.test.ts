import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { SaxesParser } from "saxes"
import { document, element } from "../../../src/http/feed/Xml.ts"

/** The text and the attribute that a strict parser finds in a document. */
const parse = (xml: string) => {
  const found = { text: "", attribute: "" }
  const parser = new SaxesParser()
  parser.on("error", (error) => {
    throw error
  })
  parser.on("text", (text) => {
    found.text += text
  })
  let text = ""
  parser.on("closetag", () => {
    text = found.text
  })
  parser.on("opentag", ({ attributes }) => {
    found.text = ""
    found.attribute = String(attributes.a ?? "")
  })
  parser.write(xml).close()
  return { ...found, text }
}

/** The characters that a document of XML 1.0 may have. */
const allowed = (text: string) =>
  Array.from(text)
    .filter((character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
      return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff
    })
    .join("")

const odd = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      ..."]]><&\"'\r\n\t\0\u0001\u000b\u001f\u007f\u0085\u2028\u202e\u200f\ufffe\uffff\ufffd",
      "\ud800",
      "\udc00",
      "😀",
      "&amp;",
      "<![CDATA[",
      "<!--"
    )
  })
)

describe("written XML", () => {
  it("says what it was given, but for what a document may not have", () => {
    fc.assert(
      fc.property(odd, odd, (text, attribute) => {
        const found = parse(document(element("e", { a: attribute }, text)))
        assert.strictEqual(found.text, allowed(text))
        assert.strictEqual(found.attribute, allowed(attribute))
      }),
      { numRuns: 2000 }
    )
  })

  it("nests only what is written", () => {
    assert.strictEqual(
      element("a", {}, [element("b", { c: "<" }, "&"), element("d", {})]).xml,
      '<a><b c="&lt;">&amp;</b><d/></a>'
    )
  })
})
