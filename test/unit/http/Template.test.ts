import { describe, expect, it } from "vitest"
import { encoded, joined, pieces, TemplateWriter } from "../../../src/http/bytes/Template.ts"

const written = new TemplateWriter()
  .text("“Ω”: ")
  .slot("first", "usual")
  .text(", 😀 ")
  .slot("second", "")
  .text("!")
  .done()

describe.each([
  ["a template", written],
  ["a template as UTF-8", encoded(written)]
])("%s", (_, template) => {
  const textFor = (differences: ReadonlyMap<string, string>) =>
    Buffer.from(joined(pieces(template, differences))).toString()

  it("is completed with the usual text where a viewer has no other", () => {
    expect(textFor(new Map())).toBe("“Ω”: usual, 😀 !")
    expect(textFor(new Map([["second", "é"]]))).toBe("“Ω”: usual, 😀 é!")
    expect(
      textFor(
        new Map([
          ["second", "é"],
          ["first", "ü"]
        ])
      )
    ).toBe("“Ω”: ü, 😀 é!")
  })

  it("ignores texts for slots that it does not have", () => {
    expect(textFor(new Map([["third", "x"]]))).toBe("“Ω”: usual, 😀 !")
  })
})

describe("pieces", () => {
  it("are joined in their order, whether they are text or UTF-8", () => {
    const ascii = encoded(new TemplateWriter().text("a").slot("b", "b").text("c").done())
    const parts = ["“", ...pieces(ascii, new Map([["b", "Ω"]])), "😀", "”", ...pieces(ascii, new Map())]
    expect(Buffer.from(joined(parts)).toString()).toBe("“aΩc😀”abc")
    expect(joined([])).toHaveLength(0)
  })
})

describe("a template to be kept", () => {
  it("keeps no more memory than its bytes", () => {
    const { content } = encoded(written)
    expect(content.buffer.byteLength).toBe(content.byteLength)
  })
})
