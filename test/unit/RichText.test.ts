import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RichText from "../../src/domain/shared/RichText.ts"
import { audit, xssCorpus } from "./xss-corpus.ts"

/** Checks that browsers see allowed markup only, exactly as written, and that sanitising again changes nothing. */
const expectSafe = (input: string) => {
  const document = RichText.fromHtml(input)
  const seen = audit(document)
  expect(seen.faults).toEqual([])
  expect(seen.depth).toBeLessThanOrEqual(100)
  expect(tagsOf(document)).toEqual(tagsOf(seen.markup))
  expect(RichText.fromHtml(document)).toBe(document)
}

const tagsOf = (html: string) => html.match(/<\/?[a-z][a-z0-9]*/g)

const thread = "d0q2m9k7h4v8s6e3b1c0"

describe("fromHtml", () => {
  it.each([
    ["", ""],
    ["first reply", "first reply"],
    ["<p>this is a thread</p>", "<p>this is a thread</p>"],
    ["<body><p>x</p></body>", "<p>x</p>"],
    ["<!DOCTYPE html><html><head></head><body class=c><p>x</p></body></html>", "<p>x</p>"],
    ["I <3 this", "I &lt;3 this"],
    ["a < b & c > d", "a &lt; b &amp; c &gt; d"],
    [`it's a "test"`, `it's a "test"`],
    ["non\u00a0breaking", "non&nbsp;breaking"],
    ["half a \ud83d surrogate", "half a \ufffd surrogate"],
    ["zero \0 byte", "zero  byte"]
  ])("turns %j into a body with %j", (input, content) => {
    expect(RichText.fromHtml(input)).toBe(`<body>${content}</body>`)
    expectSafe(input)
  })

  it.each([
    ["unknown elements leave their text", "<main>a<kbd>b</kbd></main>", "ab"],
    ["others go with their contents", "a<script>b</script><object>c<object>d</object>e</object>f", "af"],
    ["a frameset goes with its contents", "a<frameset><p>b</frameset>c", "ac"],
    [
      "literal text stays text",
      "<xmp><b>x</b></xmp><title><i>y</i></title>",
      "&lt;b&gt;x&lt;/b&gt;&lt;i&gt;y&lt;/i&gt;"
    ],
    ["options and SVG leave their text", "<select><option>a</select><svg><text>b</text></svg>", "ab"],
    ["comments go", "a<!-- b --><!DOCTYPE c><?d?>e", "ae"],
    ["presentation, handlers and ids go", `<p id=a class=b style=c onclick=d target=e>x</p>`, "<p>x</p>"],
    [
      "general attributes stay",
      `<p dir=rtl lang=he title=t data-x-1="y">x</p>`,
      `<p dir="rtl" lang="he" title="t" data-x-1="y">x</p>`
    ],
    ["attributes belong to elements", "<p href=x src=y open cite=z dir=up>x</p>", "<p>x</p>"],
    [
      "flags stay",
      "<details open><summary>s</summary></details>",
      `<details open=""><summary>s</summary></details>`
    ],
    ["links are not vouched for", `<a rel="me" href="/x">x</a>`, `<a href="/x" rel="nofollow">x</a>`],
    ["areas neither", `<area href=x rel=me alt=a>`, `<area href="x" alt="a" rel="nofollow">`],
    [
      "links without attributes are unwrapped",
      `<a href="javascript:x">a</a> <a>b</a> <a href="">c</a>`,
      "a b c"
    ],
    ["links keep what else they have", `<a href="data:x" title=t>a</a>`, `<a title="t">a</a>`],
    ["images without attributes go", `<img><img src="data:x">`, ""],
    [
      "schemes are folded and addresses trimmed",
      `<a href=" HTTPS://x.example/\n">x</a>`,
      `<a href="https://x.example/" rel="nofollow">x</a>`
    ],
    [
      "references stay",
      `<a href="sdr:thread/${thread}">x</a>`,
      `<a href="sdr:thread/${thread}" rel="nofollow">x</a>`
    ],
    [
      "relative addresses stay",
      `<img src="a/b:c"><img src="//x/y"><img src="?a:b">`,
      `<img src="a/b:c"><img src="//x/y"><img src="?a:b">`
    ],
    ["a colon in the first segment is a scheme", `<img alt=x src="a:b">`, `<img alt="x">`],
    ["the first of two attributes counts", `<a href=x href=y>x</a>`, `<a href="x" rel="nofollow">x</a>`],
    ["bad nesting is repaired as browsers do", "<b><i>x</b>y</i>", "<b><i>x</i></b><i>y</i>"],
    ["open paragraphs are closed", "<p>a<p>b<ul><li>c<li>d", "<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul>"],
    ["formatting goes on in the next block", "<p><b>a<p>c", "<p><b>a</b></p><p><b>c</b></p>"],
    [
      "text in tables moves out",
      "<table>a<tr><td>b</table>",
      "a<table><tbody><tr><td>b</td></tr></tbody></table>"
    ],
    ["raw text ends at its first end tag", `<noscript><i title="</noscript>x">y</i>`, `x"&gt;y`],
    [
      "links never nest",
      "<a href=1>a<table><a href=2>b",
      `<a href="1" rel="nofollow">a</a><a href="2" rel="nofollow">b</a><table></table>`
    ],
    ["blank lines in code stay", "<pre>\n\n x</pre>", "<pre>\n\n x</pre>"]
  ])("%s", (_, input, content) => {
    expect(RichText.fromHtml(input)).toBe(`<body>${content}</body>`)
    expectSafe(input)
  })

  it("keeps only allowed markup of every known attack", () => {
    expect(xssCorpus.length).toBeGreaterThan(120)
    for (const vector of xssCorpus) {
      expectSafe(vector)
      expectSafe(`<p>before ${vector} after</p>`)
      expectSafe(`<table><tr><td>${vector}`)
    }
  })

  const nasty = fc.oneof(
    fc.constantFrom(...xssCorpus),
    fc
      .constantFrom(
        ..."a b i p br li ul table tr td caption col pre rt ruby h1 dd details font nobr svg math mtext style script template select textarea title noscript object form button body html frameset plaintext foreignObject annotation-xml".split(
          " "
        )
      )
      .chain((tag) => fc.constantFrom(`<${tag}>`, `</${tag}>`, `<${tag} href=x title="<p>"`, `<${tag}/`)),
    fc.constantFrom(
      "<!--",
      "-->",
      "--!>",
      "<![CDATA[",
      "]]>",
      '"',
      "'",
      "<",
      ">",
      "&",
      "&#13;",
      "&lt",
      "\n",
      "\0",
      "=",
      "/",
      " ",
      "x",
      "\ud800",
      "javascript:"
    ),
    fc.string({ maxLength: 5, unit: "binary" })
  )

  it("keeps only allowed markup of anything", () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 25 }), (parts) => expectSafe(parts.join(""))),
      { numRuns: 2000 }
    )
  })

  it("shows plain text as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const plain = text.replace(/[<&\0\r]/g, "")
        expect(RichText.plaintext(RichText.fromHtml(plain))).toBe(plain)
      })
    )
  })

  const numbered = (count: number, part: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => part(n)).join("")

  it.each([
    ["nested elements", "<div>x".repeat(100_000)],
    ["nested quotes", `<blockquote cite="x">`.repeat(50_000)],
    ["angle brackets", "<".repeat(1_000_000)],
    ["open tags without end", "<b ".repeat(300_000)],
    ["attributes", `<a ${numbered(100_000, (n) => `a${n}="x" `)}>`],
    ["spaces in an address", `<a href="${" ".repeat(1_000_000)}x y">`],
    ["open formatting", numbered(50_000, (n) => `<p><b title=${n}></p>`)],
    ["large open formatting", `<p><b title="${"x".repeat(500_000)}"></p>${"<p>x</p>".repeat(50_000)}`],
    ["crossing formatting", `${"<b><i><u>".repeat(50_000)}${"</b><p></i></u>".repeat(50_000)}`],
    ["crossing links", "<a href=x><table>".repeat(50_000)],
    ["end tags", "</p></br></b>".repeat(80_000)],
    ["objects", `${"<object>".repeat(100_000)}${"</object>".repeat(100_000)}x`]
  ])("takes a megabyte of %s", (_, input) => {
    // Processor time, so that what else the machine does is not counted.
    const started = process.cpuUsage()
    const document = RichText.fromHtml(input)
    RichText.analyse(document)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000)
    expect(document.length).toBeLessThan(6 * input.length)
    expect(RichText.fromHtml(document)).toBe(document)
  })

  it("keeps the text of elements nested too deep", () => {
    const document = RichText.fromHtml(`${"<div>".repeat(500)}deep${"</div>".repeat(500)}`)
    expect(document).toBe(`<body>${"<div>".repeat(100)}deep${"</div>".repeat(100)}</body>`)
  })
})

const analyse = (html: string) => RichText.analyse(RichText.fromHtml(html))

describe("analyse", () => {
  it("finds web links, images and references in order, each once", () => {
    const found = analyse(`
      <a href="https://b.example/">b</a> <a href="http://a.example/x?y=1&z=2">a</a> <a href="HTTPS://b.example/">b</a>
      <a href="/x">x</a> <a href="//y.example">y</a> <a href="mailto:a@b.example">m</a>
      <img src="https://b.example/i.png"> <img src="/j.png"> <img alt="none"> <img src="sdr:node/${thread}">
      <a href="sdr:profile/${thread}">@a</a> <a href="sdr:profile/${thread}">@a</a>
      <a href="sdr:profile/short">m</a> <a href="sdr:robot/${thread}">m</a> <a href="sdr:thread/${thread}x">m</a>`)
    expect(found.links).toEqual(["https://b.example/", "http://a.example/x?y=1&z=2"])
    expect(found.media).toEqual(["https://b.example/i.png", "/j.png", `sdr:node/${thread}`])
    expect(found.references).toEqual([
      { kind: "node", id: thread },
      { kind: "profile", id: thread }
    ])
  })

  it("joins blocks as they stand in the plain text", () => {
    expect(analyse("<h1>a</h1><p>b &amp; c</p>\n<aside>d</aside>").plaintext).toBe("ab & c\nd")
  })
})

describe("description", () => {
  it.each([
    ["<p>this is a thread</p>", "this is a thread"],
    ["<h1>Nodes</h1><p>Rich text content.</p>", "Rich text content."],
    ["<p> a \n\t b&nbsp;c </p><aside>d</aside>", "a b c"],
    ["", ""],
    ["x".repeat(128), "x".repeat(128)],
    ["x".repeat(129), `${"x".repeat(128)}...`],
    [`${"x".repeat(128)} y`, `${"x".repeat(128)}...`],
    [`${"x".repeat(100)}, ${"y".repeat(100)}`, `${"x".repeat(100)}...`],
    [`${"x".repeat(64)} ${"y".repeat(100)}`, `${"x".repeat(64)}...`],
    [`${"x".repeat(63)} ${"y".repeat(100)}`, `${"x".repeat(63)} ${"y".repeat(64)}...`],
    ["🦋".repeat(128), "🦋".repeat(128)],
    ["🦋".repeat(129), `${"🦋".repeat(128)}...`],
    [`x${"👨‍👩‍👧".repeat(60)}`, `x${"👨‍👩‍👧".repeat(25)}...`]
  ])("of %j is %j", (html, expected) => {
    expect(RichText.description(RichText.fromHtml(html))).toBe(expected)
  })

  it("is one line of at most 131 characters without broken ones", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => {
        const { description } = analyse(text)
        expect(description.isWellFormed()).toBe(true)
        expect(Array.from(description).length).toBeLessThanOrEqual(131)
        expect(description).toBe(description.replace(/\s+/g, " "))
      })
    )
  })
})
