/** Texts of the largest size that are built to be expensive, and what becomes of each: accepted, or the limit it exceeds. */

export const largestSize = 640 * 1024

export const numbered = (count: number, part: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join("")

/** As much of a repeated text as may be sent. */
export const fill = (part: string, before = "") =>
  `${before}${part.repeat(Math.ceil(largestSize / part.length))}`.slice(0, largestSize)

export const largeMarkup: ReadonlyArray<
  readonly [name: string, markup: string, outcome: "accepted" | "size" | "steps" | "depth"]
> = [
  ["letters", fill("x"), "accepted"],
  ["words", fill("x "), "steps"],
  ["angle brackets", fill("<"), "size"],
  ["ampersands", fill("&"), "size"],
  ["character references", fill("&#160;"), "accepted"],
  ["line breaks", fill("\r"), "accepted"],
  ["comments", fill("<!---->"), "steps"],
  ["open tags without end", fill("<b "), "accepted"],
  ["end tags", fill("</p></br></b>"), "steps"],
  ["end tags that match nothing", fill("</b>"), "accepted"],
  ["attributes", `<a ${numbered(70_000, (n) => `a${n} `)}>`, "steps"],
  ["equal attributes", fill("a ", "<a "), "accepted"],
  ["spaces in an address", `<a href="${" ".repeat(largestSize - 20)}x y">`, "accepted"],
  ["links", numbered(25_000, (n) => `<a href=http://x/${n}>`), "size"],
  ["nested elements", fill("<div>x"), "steps"],
  ["nested quotes", fill(`<blockquote cite="x">`), "depth"],
  ["nested lists", fill("<ul><li>"), "steps"],
  ["nested objects", fill("<object>"), "steps"],
  ["nested SVG", fill("<svg><g>"), "steps"],
  ["nested templates", fill("<template><tr>"), "steps"],
  ["nested tables", fill("<table><tr><td>"), "steps"],
  ["formatting in tables", fill("<table><tr><b>"), "steps"],
  ["formatting in list items", fill("<dd><b><i>"), "steps"],
  ["open formatting", fill("<b><i>"), "steps"],
  ["open formatting with attributes", numbered(40_000, (n) => `<b title=${n}>`), "depth"],
  ["formatting left open in blocks", numbered(30_000, (n) => `<p><b title=${n}></p>`), "steps"],
  [
    "large formatting left open",
    fill("<p>x</p>", `<p><b title="${"x".repeat(largestSize / 2)}"></p>`),
    "steps"
  ],
  ["crossing formatting", fill("</b><p></i></u>", "<b><i><u>".repeat(30_000)), "steps"],
  ["crossing links", fill("<a href=x><table>"), "steps"],
  ["crossing links and formatting", fill("<a><b><i><p></a></b></i>"), "steps"],
  ["elements moved out of a table", fill("<br>", "<table>"), "steps"],
  ["words moved out of a table", fill("x ", "<table>"), "steps"],
  ["unknown names", numbered(70_000, (n) => `<x${n}>`), "steps"]
]
