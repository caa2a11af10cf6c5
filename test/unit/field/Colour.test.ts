import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { colour, colourOrNone, isColour } from "../../../src/domain/field/Colour.ts"
import { processorMillis } from "../../support/cpu.ts"

const colours = [
  ...["#fff", "#FFF8", "#2f6f5e", "#2F6F5Eff", "#000000", "#8fbc8f00"],
  ...[
    "red",
    "RebeccaPurple",
    "transparent",
    "grey",
    "gray",
    "lightgoldenrodyellow",
    "AliceBlue",
    "yellowgreen"
  ],
  ...["rgb(0,0,0)", "rgb( 12 , 34 , 56 )", "rgb(10%, 20%, 30.5%)", "rgba(1, 2, 3, 0.5)", "rgb(1, 2, 3, 50%)"],
  ...[
    "RGB(255 255 255)",
    "rgb(0 128 255 / 50%)",
    "rgba(0 128 255/.5)",
    "rgb(none 0 0 / none)",
    "rgb(10% 2 3)"
  ],
  ...["rgb(-1 300 1e2)", "rgb(+1.5 .5 0)", "rgb(1 2 3 / 1E-2)"],
  ...["hsl(157, 65%, 44%)", "hsla(120deg, 100%, 50%, 0.3)", "hsl(0.5turn,1%,2%)", "hsl(157 65% 44%)"],
  ...[
    "hsl(157 65 44)",
    "hsl(3.14rad 65% 44% / 1)",
    "hsl(none none none)",
    "hsl(-40grad 0% 0%)",
    "HSL(1DEG 2% 3%)",
    "hsla(1 2% 3% / .5)"
  ],
  ...["hwb(194 0% 0%)", "hwb(194deg 0% 0% / .5)", "hwb(none 1 2)"],
  ...["lab(29.2345% 39.3825 20.0664)", "lab(50 -40 60 / 0.5)", "oklab(59% 0.1 0.1)", "oklab(none 0 0)"],
  ...["lch(52.2345% 72.2 56.2)", "lch(50 30 270deg / 10%)", "oklch(60% 0.15 50)", "oklch(0.7 0.1 157.5deg)"],
  ...["oklch( 60%  0.15  none / none )"],
  ...[
    "color(srgb 1 0 0)",
    "color(display-p3 0.1 20% none / 0.5)",
    "color(xyz-d65 1 2 3)",
    "COLOR(REC2020 0 0 0)"
  ],
  ...["color(srgb-linear 0 0 0)", "color(a98-rgb .1 .2 .3)", "color(prophoto-rgb 0 0 0)", "color(xyz 0 0 0)"]
]

const others = [
  ...["#", "#ff", "#fffff", "#fffffff", "#123456789", "#ggg", "fff", "##fff", "#fff ", " #fff", "#fff;"],
  ...[
    "x",
    "reddish",
    "currentcolor",
    "CanvasText",
    "inherit",
    "initial",
    "none",
    "dark blue",
    "darkblue,",
    "ред"
  ],
  ...[
    "rgb",
    "rgb()",
    "rgb(1 2)",
    "rgb(1,2)",
    "rgb(1 2 3 4)",
    "rgb(1,2,3,4,5)",
    "rgb(1, 2 3)",
    "rgb(1 2 3, 0.5)"
  ],
  ...["rgb(1, 2, 3 / 0.5)", "rgb(10%, 2, 3)", "rgb(none, 0, 0)", "rgb(1, 2, 3, none)", "rgb(1deg 2 3)"],
  ...["rgb (1 2 3)", "rgb(1 2 3", "rgb 1 2 3)", "rgb(1 2 3))", "rgb(1. 2 3)", "rgb(1e 2 3)", "rgb(a b c)"],
  ...["rgb(1 2 3 /)", "rgb(calc(1) 2 3)", "rgb(var(--x))", "rgb(from red r g b)", "rgb(1\u00a02\u00a03)"],
  ...["hsl(157, 65, 44)", "hsl(157%, 65%, 44%)", "hsl(157 65deg 44%)", "hsl(1px 2% 3%)", "hwb(194, 0%, 0%)"],
  ...["hwba(194 0% 0%)", "lab(1, 2, 3)", "laba(1 2 3)", "lab(1 2 3deg)", "lch(1 2deg 3)", "lch(1 2 3%)"],
  ...[
    "oklch(60%, 0.15, 50)",
    "okrgb(1 2 3)",
    "color(1 0 0)",
    "color(srgb 1 0)",
    "color(srgb 1 0 0 0)",
    "color(srgb, 1, 0, 0)"
  ],
  ...["color(cmyk 1 0 0)", "color(--mine 1 0 0)", "color-mix(in srgb, red, blue)", "light-dark(red, blue)"],
  ...[
    "red; background: url(//elsewhere.example)",
    "red}",
    "red/**/",
    "url(x)",
    "expression(alert(1))",
    "red\n"
  ],
  ...["linear-gradient(red, blue)", "constructor", "__proto__"]
]

const taken = (schema: typeof colour, text: string) =>
  Effect.runSync(
    Effect.match(Schema.decodeEffect(schema)(text), { onFailure: String, onSuccess: (value) => ({ value }) })
  )

describe("a colour", () => {
  it.each(colours)("may be %j", (text) => {
    expect(isColour(text)).toBe(true)
  })

  it.each(others)("is not %j", (text) => {
    expect(isColour(text)).toBe(false)
  })

  it("is taken without white space around it, in a hundred characters", () => {
    const filled = (length: number) => `rgb(${" ".repeat(length - 11)}1 2 3) `
    expect(taken(colour, "  #fff\t")).toEqual({ value: "#fff" })
    expect(taken(colour, filled(101))).toEqual({ value: filled(101).trim() })
    expect(taken(colour, filled(102))).toContain("at most 100 characters")
    expect(taken(colour, "rgb(1\n2\t3)")).toEqual({ value: "rgb(1 2 3)" })
  })

  it("may be missing only where that is said", () => {
    expect(taken(colour, " ")).toContain("a colour of CSS")
    expect(taken(colourOrNone, " ")).toEqual({ value: "" })
    expect(taken(colourOrNone, "x")).toContain("or nothing")
  })

  it("is found out quickly, whatever the text", () => {
    const digits = "1".repeat(95)
    const texts = [`rgb(${digits}`, `rgb(${" ".repeat(95)}`, `rgb(${"1.".repeat(45)}`, `hsl(${digits}%,`]
    const milliseconds = processorMillis(() => {
      for (const text of texts) for (let n = 0; n < 100; n++) expect(isColour(text)).toBe(false)
    })
    expect(milliseconds).toBeLessThan(1_000)
  })

  it("fits the pattern that the description has", () => {
    const document = Schema.toJsonSchemaDocument(colour).schema
    const pattern = new RegExp(String(document.pattern))
    expect(colours.filter((text) => !pattern.test(text))).toEqual([])
    for (const text of ["#ff", "#12345", "dark blue", "rgb(", "rgb()", "red; x", "red/**/", "rgb((1) 2 3)"]) {
      expect(pattern.test(text)).toBe(false)
    }
    expect(pattern.test("")).toBe(false)
    expect(new RegExp(String(Schema.toJsonSchemaDocument(colourOrNone).schema.pattern)).test("")).toBe(true)
  })
})
