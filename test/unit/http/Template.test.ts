import { describe, expect, it } from "vitest"
import { pieces, TemplateWriter } from "../../../src/http/shared/Template.ts"

const template = new TemplateWriter()
  .text("“Ω”: ")
  .slot("first", "usual")
  .text(", 😀 ")
  .slot("second", "")
  .text("!")
  .done()

const textFor = (differences: ReadonlyMap<string, string>) =>
  Buffer.concat(pieces(template, differences)).toString()

describe("a template", () => {
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

  it("keeps no more memory than its bytes", () => {
    expect(template.bytes.buffer.byteLength).toBe(template.bytes.byteLength)
  })
})
