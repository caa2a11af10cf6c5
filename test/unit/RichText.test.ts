import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RichText from "../../src/domain/text/RichText.ts"
import { hostileMarkup } from "./hostile-markup.ts"
import { audit, xssCorpus } from "./xss-corpus.ts"

const fromHtml = (html: string) => Effect.runSync(RichText.read(html)).document

/** Checks that browsers see only allowed markup, exactly as written, and that sanitising is idempotent. */
const expectSafe = (input: string) => {
  const document = fromHtml(input)
  const seen = audit(document)
  expect(seen.faults).toEqual([])
  expect(seen.depth).toBeLessThanOrEqual(100)
  expect(tagsOf(document)).toEqual(tagsOf(seen.markup))
  expect(fromHtml(document)).toBe(document)
}

const tagsOf = (html: string) => html.match(/<\/?[a-z][a-z0-9]*/g)

const thread = "d0q2m9k7h4v8s6e3b1c0"

describe("the document", () => {
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
    expect(fromHtml(input)).toBe(`<body>${content}</body>`)
    expectSafe(input)
  })

  it.each([
    ["unknown elements are replaced by their contents", "<main>a<data>b</data></main>", "ab"],
    [
      "some elements are removed with their contents",
      "a<script>b</script><object>c<object>d</object>e</object>f",
      "af"
    ],
    ["tags that browsers ignore in a body are ignored", "a<frameset><p>b</frameset><frame>c", "a<p>bc</p>"],
    [
      "raw text stays text",
      "<xmp><b>x</b></xmp><title><i>y</i></title>",
      "&lt;b&gt;x&lt;/b&gt;&lt;i&gt;y&lt;/i&gt;"
    ],
    [
      "options and SVG elements are replaced by their text",
      "<select><option>a</select><svg><text>b</text></svg>",
      "ab"
    ],
    ["comments are removed", "a<!-- b --><!DOCTYPE c><?d?>e", "ae"],
    [
      "attributes for presentation, event handlers and ids are removed",
      `<p id=a class=b style=c onclick=d target=e>x</p>`,
      "<p>x</p>"
    ],
    [
      "attributes allowed everywhere are kept",
      `<p dir=rtl lang=he title=t data-x-1="y">x</p>`,
      `<p dir="rtl" lang="he" title="t" data-x-1="y">x</p>`
    ],
    [
      "names of data attributes are simple",
      `<p xdata-a=1 data-=2 data-a:b=3 data-a_.-9=4>x</p>`,
      `<p data-a_.-9="4">x</p>`
    ],
    ["attributes are allowed per element", "<p href=x src=y open cite=z dir=up>x</p>", "<p>x</p>"],
    [
      "of the classes of code, those that name its language are kept",
      `<pre class="x language-c++ y"><code class="hljs language-ts\n language-x_1.#-">z</code></pre>`,
      `<pre class="language-c++"><code class="language-ts language-x_1.#-">z</code></pre>`
    ],
    [
      "other classes are removed, and those of other elements",
      `<code class="lang-ts language- Language language-é language-a&quot;b">x</code><p class=language-ts>y</p>`,
      "<code>x</code><p>y</p>"
    ],
    [
      "the first number of a list and its direction are kept",
      `<ol start=-3 reversed type=a class=x><li>x</ol><ol start=1e3><li>y</ol><ul start=2><li>z</ul>`,
      `<ol start="-3" reversed="" type="a"><li>x</li></ol><ol><li>y</li></ol><ul><li>z</li></ul>`
    ],
    ["keys are kept", "Press <kbd title=Control>Ctrl</kbd>", `Press <kbd title="Control">Ctrl</kbd>`],
    [
      "attributes without a value are kept",
      "<details open><summary>s</summary></details>",
      `<details open=""><summary>s</summary></details>`
    ],
    ["links get rel=nofollow", `<a rel="me" href="/x">x</a>`, `<a href="/x" rel="nofollow">x</a>`],
    ["so do areas", `<area href=x rel=me alt=a>`, `<area href="x" alt="a" rel="nofollow">`],
    [
      "links without attributes are unwrapped",
      `<a href="javascript:x">a</a> <a>b</a> <a href="">c</a>`,
      "a b c"
    ],
    [
      "links without an allowed address keep other attributes",
      `<a href="data:x" title=t>a</a>`,
      `<a title="t">a</a>`
    ],
    ["images without attributes are removed", `<img><img src="data:x">`, ""],
    [
      "schemes become lower case and addresses are trimmed",
      `<a href=" HTTPS://x.example/\n">x</a>`,
      `<a href="https://x.example/" rel="nofollow">x</a>`
    ],
    [
      "addresses lose what browsers ignore in them",
      `<a href="\u0001 htt&Tab;ps://x\n.exa\rmple/a b&#31; ">x</a><img src="&#32;">`,
      `<a href="https://x.example/a b" rel="nofollow">x</a>`
    ],
    [
      "references are kept",
      `<a href="sdr:thread/${thread}">x</a>`,
      `<a href="sdr:thread/${thread}" rel="nofollow">x</a>`
    ],
    [
      "relative addresses are kept",
      `<img src="a/b:c"><img src="//x/y"><img src="?a:b">`,
      `<img src="a/b:c"><img src="//x/y"><img src="?a:b">`
    ],
    ["a colon in the first segment is a scheme", `<img alt=x src="a:b">`, `<img alt="x">`],
    ["the first of two attributes counts", `<a href=x href=y>x</a>`, `<a href="x" rel="nofollow">x</a>`],
    ["bad nesting is repaired as in browsers", "<b><i>x</b>y</i>", "<b><i>x</i></b><i>y</i>"],
    ["open paragraphs are closed", "<p>a<p>b<ul><li>c<li>d", "<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul>"],
    ["open formatting continues in the next block", "<p><b>a<p>c", "<p><b>a</b></p><p><b>c</b></p>"],
    [
      "text in tables is moved before them",
      "<table>a<tr><td>b</table>",
      "a<table><tbody><tr><td>b</td></tr></tbody></table>"
    ],
    ["raw text ends at its first end tag", `<noscript><i title="</noscript>x">y</i>`, `x"&gt;y`],
    [
      "links never nest",
      "<a href=1>a<table><a href=2>b",
      `<a href="1" rel="nofollow">a</a><a href="2" rel="nofollow">b</a><table></table>`
    ],
    ["a line break at the start of code is kept", "<pre>\n\n x</pre>", "<pre>\n\n x</pre>"],
    ["a single one is ignored", "<pre>\nx</pre>", "<pre>x</pre>"],
    [
      "one that becomes the first is kept",
      "<pre><!-- -->\na</pre><pre><main></main>\nb</pre><pre><i>\nc</i>\n</pre>",
      "<pre>\n\na</pre><pre>\n\nb</pre><pre><i>\nc</i>\n</pre>"
    ],
    ["an image tag is an img tag", "<image src=x>", `<img src="x">`],
    ["template contents are kept", "<template>a<p>b</p></template>", "a<p>b</p>"],
    ["options have only text", "<select><option><b>a</b></select>", "a"],
    [
      "SVG and MathML elements are replaced by their contents, whatever their name",
      `<svg><a href="https://x.example/">a</a><desc><p>b</p></desc></svg><math><mi><i>c</i></mi></math>`,
      "a<p>b</p><i>c</i>"
    ],
    [
      "scripts and styles of SVG are removed with their contents",
      "<svg>a<style>b</style><script>c</script><title>d</title></svg>",
      "ad"
    ],
    [
      "an object that is not closed ends with its table cell",
      "<table><tr><td>a<object>b</table>c",
      "<table><tbody><tr><td>a</td></tr></tbody></table>c"
    ],
    ["unknown blocks end paragraphs", "<main><p>a</main>b", "<p>a</p>b"],
    ["paragraphs in removed buttons are not nested", "<p>a<button><p>b", "<p>a</p><p>b</p><p></p>"]
  ])("%s", (_, input, content) => {
    expect(fromHtml(input)).toBe(`<body>${content}</body>`)
    expectSafe(input)
  })

  it.each(
    `abbr acronym article aside b bdi bdo blockquote cite code dd del details dfn div dl dt em figcaption figure
    h1 h2 h3 h4 h5 h6 hgroup i ins kbd li mark meter ol p pre progress q rp rt ruby s samp section small span
    strike strong sub summary sup time tt u ul var`.split(/\s+/)
  )("keeps the element %s", (name) => {
    const written = `<${name}>x</${name}>`
    expect(fromHtml(written)).toBe(`<body>${written}</body>`)
  })

  it.each([
    ...["area", "br", "hr", "wbr"].map((name) => `a<${name}>b`),
    `<a href="/x" title="t" rel="nofollow">a</a>`,
    `<a href="mailto:a@b.example" rel="nofollow">a</a>`,
    `<img src="https://x.example/i.png" alt="a" width="1" height="2" align="left">`,
    `<area alt="a" coords="0,0,1,1" href="/x" shape="rect" rel="nofollow">`,
    `<blockquote cite="https://x.example/">x</blockquote><q cite="/x">x</q>`,
    `<del cite="/x" datetime="2026-01-01">x</del><ins cite="/x" datetime="2026-01-01">x</ins>`,
    `<time datetime="2026-01-01">x</time>`,
    `<details open="" title="t"><summary lang="en">s</summary>x</details>`,
    `<ol type="a" start="2" reversed=""><li type="i" value="3">x</li></ol><ul type="disc"><li>x</li></ul>`,
    `<meter value="1" min="0" max="2" low="0" high="2" optimum="1">x</meter><progress value="1" max="2">x</progress>`,
    `<table width="1" height="2" align="left"><caption align="top">c</caption><colgroup span="2" width="3" align="left" valign="top"><col span="1" width="4" align="left" valign="top"></colgroup><thead align="left" valign="top"><tr align="left" valign="top"><th colspan="2" rowspan="1" headers="a" scope="col" width="1" height="2" align="left" valign="top">h</th></tr></thead><tbody align="left" valign="top"><tr><td colspan="2" rowspan="1" headers="a" scope="row" width="1" height="2" align="left" valign="top">d</td></tr></tbody><tfoot align="left" valign="top"><tr><td>f</td></tr></tfoot></table>`
  ])("keeps %s as it is", (written) => {
    expect(fromHtml(written)).toBe(`<body>${written}</body>`)
  })

  it.each("script style iframe noscript noframes noembed object".split(" "))(
    "removes the element %s with its contents",
    (name) => expect(fromHtml(`a<${name}>x<p>y</p></${name}>b`)).toBe("<body>ab</body>")
  )

  it.each("audio button canvas dialog embed font footer form header label main marquee nav video".split(" "))(
    "removes the element %s and keeps its text",
    (name) => expect(fromHtml(`<${name}>x</${name}>`)).toBe("<body>x</body>")
  )

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

  it("keeps only allowed markup of any text", () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 25 }), (parts) => expectSafe(parts.join(""))),
      { numRuns: 2000 }
    )
  })

  it("keeps plain text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const plain = text.replace(/[<&\0\r]/g, "")
        expect(RichText.analyse(fromHtml(plain)).plaintext).toBe(plain)
      })
    )
  })
})

const analyse = (html: string) => RichText.analyse(fromHtml(html))

describe("read", () => {
  it("gives the analysis that the document has", () => {
    fc.assert(
      fc.property(fc.oneof(hostileMarkup, fc.constantFrom(...xssCorpus)), (input) => {
        const { analysis, document } = Effect.runSync(RichText.read(input))
        expect(document).toBe(fromHtml(input))
        expect(analysis).toEqual(RichText.analyse(document))
      })
    )
  })

  it("counts a line break at the start of code once", () => {
    const { analysis, document } = Effect.runSync(RichText.read("<pre>\n\nx</pre>"))
    expect(document).toBe("<body><pre>\n\nx</pre></body>")
    expect(analysis.plaintext).toBe("\nx")
  })
})

describe("analyse", () => {
  it("finds web links, images and references in document order, each once", () => {
    const found = analyse(`
      <a href="https://b.example/">b</a> <a href="http://a.example/x?y=1&z=2">a</a> <a href="HTTPS://b.example/">b</a>
      <a href="/x">x</a> <a href="//y.example">y</a> <a href="mailto:a@b.example">m</a>
      <img src="https://b.example/i.png"> <img src="/j.png"> <img alt="none"> <img src="sdr:node/${thread}">
      <a href="sdr:profile/${thread}">@a</a> <a href="sdr:profile/${thread}">@a</a>
      <a href="sdr:profile/short">m</a> <a href="sdr:robot/${thread}">m</a> <a href="sdr:thread/${thread}x">m</a>`)
    expect(found.links.map(({ url }) => url)).toEqual(["https://b.example/", "http://a.example/x?y=1&z=2"])
    expect(found.media).toEqual(["https://b.example/i.png", "/j.png", `sdr:node/${thread}`])
    expect(found.references).toEqual([
      { kind: "node", id: thread },
      { kind: "profile", id: thread }
    ])
  })

  it("inserts nothing between blocks in the plain text", () => {
    expect(analyse("<h1>a</h1><p>b &amp; c</p>\n<aside>d</aside>").plaintext).toBe("ab & c\nd")
  })
})

describe("description", () => {
  it.each([
    ["<p>this is a thread</p>", "this is a thread"],
    ["<h1>Nodes</h1><p>Rich text content.</p>", "Rich text content."],
    ["<p> a \n\t b&nbsp;c </p><aside>d</aside>", "a b c"],
    ["<p>a</p><p>b</p>", "a b"],
    ["a<div>b</div>c<br>d<hr>e", "a b c d e"],
    ["<ul><li>a</li><li>b<ul><li>c</ul></ul>d", "a b c d"],
    ["<table><tr><td>a<td>b<tr><th>c</table>", "a b c"],
    ["<dl><dt>a<dd>b</dl><pre>c</pre><blockquote>d</blockquote>", "a b c d"],
    ["a<h1>b</h1>c<aside>d</aside>e", "a c e"],
    ["a<b>b</b><i>c</i><code>d</code><a href=x>e</a><img src=x>f", "abcdef"],
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
    expect(RichText.analyse(fromHtml(html)).description).toBe(expected)
  })

  it("is one well-formed line of at most 131 characters", () => {
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
