import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import * as RichText from "../../src/domain/text/RichText.ts"
import { fill, largeMarkup, largestSize as size } from "./large-markup.ts"

const read = (html: string) => Effect.runSync(Effect.result(RichText.read(html)))

/** The limit that a text exceeds, or that it is accepted. */
const outcome = (html: string) =>
  Result.match(read(html), { onFailure: ({ limit }) => limit, onSuccess: () => "accepted" as const })

describe("a text of the largest size", () => {
  it.each(largeMarkup)("of %s is read or refused at once", (_, input, expected) => {
    expect(input.length).toBeLessThanOrEqual(size)
    expect(outcome(input)).toBe(expected)
    // About 50 ms on a quiet machine. Processor time of this thread, so that other processes are not counted.
    const started = process.threadCpuUsage()
    read(input)
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(500)
  })
})

describe("the budget", () => {
  it("limits the characters of a text before it is parsed", () => {
    expect(outcome("x".repeat(size))).toBe("accepted")
    expect(read("x".repeat(size + 1))).toMatchObject({
      failure: { _tag: "TooComplex", limit: "size", maximum: size }
    })
  })

  it("limits the characters of what a text becomes", () => {
    expect(outcome("<".repeat(size / 4))).toBe("accepted")
    expect(outcome("<".repeat(size / 4 + 1))).toBe("size")
  })

  it("limits the elements around one with attributes", () => {
    // The root element of the parser is one of them.
    const around = (count: number, inner: string) => `${"<div>".repeat(count - 1)}${inner}`
    expect(outcome(around(512, "<p title=x>"))).toBe("accepted")
    expect(read(around(513, "<p title=x>"))).toMatchObject({ failure: { limit: "depth", maximum: 512 } })
    expect(outcome(around(513, "<p>"))).toBe("accepted")
  })

  it("counts open elements only", () => {
    expect(outcome("<div><b><p></b></p></div><p title=x>y</p>".repeat(1_000))).toBe("accepted")
    expect(outcome("<table><tr><td><a href=x>y<a href=z>".repeat(40))).toBe("accepted")
  })

  it("counts open elements of each reading alone", () => {
    expect(outcome(`<p title=x>y</p>${"<b>".repeat(600)}`)).toBe("accepted")
  })

  it("is spent by all readings of a text together", () => {
    expect(outcome("<i></i>".repeat(70_000))).toBe("accepted")
    expect(read("<I></I>".repeat(70_000))).toMatchObject({ failure: { limit: "steps", maximum: 520_000 } })
  })

  it("is charged for characters", () => {
    expect(outcome("<i></i>".repeat(74_000))).toBe("accepted")
    expect(outcome(`${"<i></i>".repeat(74_000)}${"x".repeat(100_000)}`)).toBe("steps")
  })

  it("is charged for the characters of attributes that are copied", () => {
    const text = (count: number) => `<p><b title=${"x".repeat(50_000)}></p>${"<p>x</p>".repeat(count)}`
    expect(outcome(text(5))).toBe("accepted")
    expect(outcome(text(100))).toBe("steps")
  })

  it("is charged more for elements of unknown names", () => {
    expect(outcome("<q></q>".repeat(60_000))).toBe("accepted")
    expect(outcome("<x></x>".repeat(60_000))).toBe("steps")
  })

  it("is a new one for each text", () => {
    for (let n = 0; n < 3; n++) expect(outcome("<i></i>".repeat(70_000))).toBe("accepted")
  })

  it("allows what was accepted to be sent again", () => {
    for (const input of [fill("x"), "<".repeat(size / 4), "<i></i>".repeat(70_000), "<p><b>".repeat(3_000)]) {
      const { document } = Effect.runSync(RichText.read(input))
      expect(Effect.runSync(RichText.read(document)).document).toBe(document)
    }
  })
})

describe("depth", () => {
  const fromHtml = (html: string) => Effect.runSync(RichText.read(html)).document

  it("keeps the contents of elements deeper than 100", () => {
    expect(fromHtml(`${"<div>".repeat(500)}deep${"</div>".repeat(500)}`)).toBe(
      `<body>${"<div>".repeat(100)}deep${"</div>".repeat(100)}</body>`
    )
  })

  it("counts elements that are kept", () => {
    const document = fromHtml(`${"<div><main><svg><desc>".repeat(100)}<p>x`)
    expect(document).toBe(`<body>${"<div>".repeat(100)}x${"</div>".repeat(100)}</body>`)
  })

  it("is no reason to fail, however deep a tree is", () => {
    expect(fromHtml("<b><i>".repeat(35_000)).length).toBeLessThan(1_000)
    expect(fromHtml(`${"<main>".repeat(30_000)}x`)).toBe("<body>x</body>")
  })
})
