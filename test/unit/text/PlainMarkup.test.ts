/** Markup that is read without a parser is what a parser makes of it. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxima } from "../../../src/domain/text/richtext/Budget.ts"
import { readPlainMarkup } from "../../../src/domain/text/richtext/PlainMarkup.ts"
import { sanitise } from "../../../src/domain/text/richtext/Sanitise.ts"
import { xssCorpus } from "../xss-corpus.ts"

const sanitised = (text: string) => sanitise(text, maxima.steps)

const elements = "p blockquote ul ol li strong em code b i u s a h1 pre div table td button script svg".split(
  " "
)

/** Pieces of markup, right and wrong, of which any may follow any. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...elements.flatMap((name) => [`<${name}>`, `</${name}>`])) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "<br>",
        "</br>",
        "<br/>",
        "<P>",
        "<p >",
        "<p class=x>",
        "&amp;",
        "&lt;",
        "&gt;",
        "&quot;",
        "&amp",
        "&nbsp;"
      ],
      ...[
        "\u00a0",
        "\r",
        "\n",
        "\0",
        "\u000c",
        "\ufeff",
        "\ud800",
        "<",
        ">",
        "&",
        '"',
        "'",
        "<!--",
        "-->",
        "<body>"
      ],
      ...["https://one.example/", "sdr:profile/", "00000000000000000020", "javascript:alert(1)"],
      '<a href="https://one.example/?a=1" rel="nofollow">',
      '<a href="sdr:profile/00000000000000000020" rel="nofollow">',
      '<a href="https://one.example/?a=1&amp;b" rel="nofollow">',
      '<a href="https://one.example/"x" rel="nofollow">',
      '<a href="javascript:x" rel="nofollow">',
      '<a href="https://one.example/">'
    )
  },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 2, arbitrary: fc.constantFrom("word", " ", "Two words, and more. ", "🙂") }
)

const { content } = fc.letrec<{ content: string; part: string }>((tie) => ({
  content: fc.array(tie("part"), { maxLength: 4, depthIdentifier: "markup" }).map((parts) => parts.join("")),
  part: fc.oneof(
    { depthIdentifier: "markup", maxDepth: 6, withCrossShrink: true },
    piece,
    fc
      .tuple(fc.constantFrom(...elements), tie("content"))
      .map(([name, inner]) =>
        name === "a"
          ? `<a href="https://one.example/" rel="nofollow">${inner}</a>`
          : `<${name}>${inner}</${name}>`
      )
  )
}))

/** A document of the simplest markup: of this, one is read. */
const inline = fc
  .array(
    fc.constantFrom(
      "Word ",
      "<b>bold</b>",
      "<em>so <code>it</code></em>",
      "<br>",
      "&amp;",
      "é",
      "x".repeat(90)
    )
  )
  .map((parts) => parts.join(""))
const plain = fc
  .array(
    inline.chain((text) =>
      fc.constantFrom(
        `<p>${text}</p>`,
        `<blockquote><p>${text}</p>${text}</blockquote>`,
        `<ul><li>${text}</li>\n<li><p>${text}</p><ol><li></li></ol></li></ul>`,
        `${text}<a href="https://one.example/${text.length}" rel="nofollow">${text}</a>`,
        `<p><a href="sdr:thread/0000000000000000002${text.length % 10}" rel="nofollow">x</a></p>`
      )
    ),
    { maxLength: 5 }
  )
  .map((parts) => parts.join(""))

const runs = Number(process.env.MARKUP_RUNS ?? 3000)

describe("markup that is read without a parser", () => {
  it("is what a parser makes of it, whatever there is", () => {
    const pieces = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(pieces, content, fc.constantFrom(...xssCorpus)), (text) => {
        const read = readPlainMarkup(text)
        if (read !== undefined) assert.deepStrictEqual(read, sanitised(text))
      }),
      { numRuns: runs }
    )
  })

  it("is read where it is of the simplest kind, as a document or as it is sent", () => {
    fc.assert(
      fc.property(plain, fc.boolean(), (text, isWrapped) => {
        const document = isWrapped ? `<body>${text}</body>` : text
        const read = readPlainMarkup(document)
        assert.isDefined(read)
        assert.deepStrictEqual(read, sanitised(document))
      }),
      { numRuns: runs / 3 }
    )
  })

  it.each([
    "<p>one<p>two</p></p>",
    "<b><p>one</p></b>",
    "<b>one<b>two</b></b>",
    "<li>one</li>",
    "<ul><b>one</b></ul>",
    "<p>one",
    "one</p>",
    "<p><b>one</p></b>",
    "a < b",
    "a & b",
    "a\u00a0b",
    "a\rb",
    "a\0b",
    "a\ud800b",
    '<a href="javascript:alert(1)" rel="nofollow">x</a>',
    '<a href="https://a.example/" onclick="x" rel="nofollow">x</a>',
    '<a href="https://a.example/">x</a>',
    '<a href="https://a.example/" >x</a>',
    '<a href="https://a.example/?a=1&amp;b=2" rel="nofollow">x</a>',
    '<a href="https://a.example/"x" rel="nofollow">x</a>',
    '<a href="https://a.example/ x" rel="nofollow">x</a>',
    '<a href="https://a.example/\\x" rel="nofollow">x</a>',
    '<a href="https://a.example/\u00a0" rel="nofollow">x</a>',
    "<script>x</script>",
    '<img src="x">',
    "<p onclick=x>one</p>",
    `${"<blockquote>".repeat(21)}${"</blockquote>".repeat(21)}`
  ])("is left to the parser: %s", (text) => {
    assert.isUndefined(readPlainMarkup(text))
  })
})
