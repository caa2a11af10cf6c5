import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toLine } from "../../../src/domain/field/Text.ts"
import { decodePage, lineWithin, readHead } from "../../../src/domain/link/PageHead.ts"

const at = "https://page.test/dir/page.html"

const read = (html: string) => Effect.runSync(readHead(html, at)).page

const pictures = (html: string) => Effect.runSync(readHead(html, at)).pictures

const bytes = (text: string, encoding: BufferEncoding = "utf8") => new Uint8Array(Buffer.from(text, encoding))

describe("the title of a page", () => {
  it.each([
    ['<meta property="og:title" content="Graph"><title>Element</title>', "Graph"],
    ['<title>Element</title><meta property="og:title" content="Graph">', "Graph"],
    ['<meta name="og:title" content="Graph">', "Graph"],
    ['<META PROPERTY="OG:Title" CONTENT="Graph">', "Graph"],
    ['<meta name="title" content="Meta"><title>Element</title>', "Meta"],
    ["<title>Element</title>", "Element"],
    ['<meta property="og:site_name" content="Site">', "Site"],
    ['<meta property="og:url" content="https://a.test/">', "https://a.test/"],
    ['<meta property="og:title" content=" "><title>Element</title>', "Element"],
    ['<meta property="og:title" content="\u200b"><title>Element</title>', "Element"],
    ['<meta property="og:title" content="One"><meta property="og:title" content="Two">', "One"],
    ["<title>One</title><title>Two</title>", "One"],
    ["<title>a &amp; b &lt;c&gt; &#x1F600; &eacute;</title>", "a & b <c> 😀 é"],
    ['<meta property="og:title" content="a &amp; &quot;b&quot;">', 'a & "b"'],
    ["<title>\n  many \t lines\r\nhere </title>", "many lines here"],
    ["<title>a<b>c</title>", "a<b>c"],
    ["<!doctype html><html lang=de><head><title>Full</title></head><body><title>No</title>", "Full"],
    ["<script>'<title>no</title>'</script><title>Yes</title>", "Yes"],
    ["<style><title>no</title></style><title>Yes</title>", "Yes"],
    ["<!-- <title>no</title> --><title>Yes</title>", "Yes"],
    ["<head></head><title>after the head</title>", ""],
    ["<body><title>in the body</title>", ""],
    ["<div><title>in the body</title>", ""],
    ['<svg><title>icon</title></svg><meta property="og:title" content="no">', ""],
    ["<title>never closed", "never closed"],
    ["plain text", ""],
    ["", ""]
  ])("of %j", (html, title) => expect(read(html).title).toBe(title))

  it("has no characters that nobody sees, that turn the text around or that cannot be stored", () => {
    const html = "<title>a\u0000b\u0007c\u202Ed\u200Be&#0;f&#xD800;g&#x202E;h\u{E0041}</title>"
    expect(read(html).title).toBe("abcde\uFFFDf\uFFFDgh")
  })
})

describe("the description of a page", () => {
  it.each([
    ['<meta property="og:description" content="Graph"><meta name="description" content="Meta">', "Graph"],
    ['<meta name="description" content="Meta"><meta property="og:description" content="Graph">', "Graph"],
    ['<meta name="Description" content="Meta">', "Meta"],
    ['<meta name="twitter:description" content="Other">', ""],
    ["<meta name=description content=>", ""],
    ["<meta name=description>", ""]
  ])("of %j", (html, description) => expect(read(html).description).toBe(description))
})

describe("the pictures of a page", () => {
  it.each([
    ["", "https://page.test/favicon.ico"],
    ['<link rel="icon" href="i.png">', "https://page.test/dir/i.png"],
    ['<link rel="shortcut icon" href="//cdn.test/i.png">', "https://cdn.test/i.png"],
    ['<LINK REL="Icon" HREF=" /i.png ">', "https://page.test/i.png"],
    ['<link rel="icon" href="/1.png"><link rel="icon" href="/2.png">', "https://page.test/1.png"],
    ['<link rel="icon" href=""><link rel="icon" href="/2.png">', "https://page.test/2.png"],
    ['<link rel="apple-touch-icon" href="/a.png">', "https://page.test/favicon.ico"],
    ['<link rel="stylesheet" href="/a.css">', "https://page.test/favicon.ico"],
    ['<link rel="icon" href="data:image/png;base64,AAAA">', "https://page.test/favicon.ico"],
    ['<link rel="icon" href="javascript:alert(1)">', "https://page.test/favicon.ico"],
    [`<link rel="icon" href="/${"x".repeat(2048)}">`, "https://page.test/favicon.ico"],
    ['<body><link rel="icon" href="/b.png">', "https://page.test/favicon.ico"]
  ])("in %j have the icon %s", (html, favicon) => expect(pictures(html).favicon).toBe(favicon))

  it.each([
    ["", undefined],
    ['<meta property="og:image" content="/p.png">', "https://page.test/p.png"],
    ['<meta property="og:image:url" content="https://cdn.test/p.png">', "https://cdn.test/p.png"],
    ['<meta property="og:image:secure_url" content="p.png">', "https://page.test/dir/p.png"],
    ['<meta property="og:image" content="/1"><meta property="og:image" content="/2">', "https://page.test/1"],
    ['<meta property="og:image" content="data:image/png;base64,AAAA">', undefined],
    ['<meta property="og:image" content="http://[">', undefined]
  ])("in %j have the picture %s", (html, image) => expect(pictures(html).primaryImage).toBe(image))
})

describe("the base of a page", () => {
  it.each([
    ['<base href="https://cdn.test/assets/">', "https://cdn.test/assets/p.png"],
    ['<BASE TARGET=_top HREF=" //cdn.test/assets/x.html ">', "https://cdn.test/assets/p.png"],
    ['<base href="/other/">', "https://page.test/other/p.png"],
    ['<base href="http://cdn.test">', "http://cdn.test/p.png"],
    ['<base href="https://cdn.test/?q#part">', "https://cdn.test/p.png"],
    // The first that has an address counts, be it of use or not.
    [
      "<base target=_top><base href=https://one.test/><base href=https://two.test/>",
      "https://one.test/p.png"
    ],
    ["<base href=data:text/html,x><base href=https://two.test/>", "https://page.test/dir/p.png"],
    ['<base href=""><base href=https://two.test/>', "https://page.test/dir/p.png"],
    ['<base href="javascript:alert(1)">', "https://page.test/dir/p.png"],
    ['<base href="file:///etc/">', "https://page.test/dir/p.png"],
    ['<base href="http://[">', "https://page.test/dir/p.png"],
    [`<base href="https://cdn.test/${"x".repeat(2048)}/">`, "https://page.test/dir/p.png"],
    ["<!-- <base href=https://cdn.test/> -->", "https://page.test/dir/p.png"],
    ["<script>'<base href=https://cdn.test/>'</script>", "https://page.test/dir/p.png"]
  ])("%s decides relative addresses of pictures", (base, expected) => {
    const relative = '<link rel="icon" href="p.png"><meta property="og:image" content="p.png">'
    // Before what is relative to it, and after.
    for (const html of [base + relative, relative + base]) {
      expect(pictures(html)).toEqual({ favicon: expected, primaryImage: expected })
    }
  })

  it("decides nothing else", () => {
    const base = "<base href=https://cdn.test/assets/>"
    expect(pictures(base)).toEqual({ favicon: "https://page.test/favicon.ico", primaryImage: undefined })
    expect(pictures(`${base}<meta property=og:image content=https://page.test/p.png>`).primaryImage).toBe(
      "https://page.test/p.png"
    )
    expect(pictures(`<body>${base}<meta property=og:image content=p.png>`).primaryImage).toBe(undefined)
    expect(pictures(`<meta property=og:image content=p.png><body>${base}`).primaryImage).toBe(
      "https://page.test/dir/p.png"
    )
  })

  it("leaves no address too long", () => {
    const html = `<base href="https://cdn.test/${"x".repeat(2000)}/"><meta property=og:image content=${"p".repeat(100)}>`
    expect(pictures(html).primaryImage).toBe(undefined)
  })
})

describe("the length", () => {
  it("of a title and a description is limited, between words if possible", () => {
    const html = `<title>${"x".repeat(256)}</title><meta name=description content="${"word ".repeat(100)}">`
    const { description, title } = read(html)
    expect(title).toBe(`${"x".repeat(254)}…`)
    expect(description).toBe(`${"word ".repeat(59).trim()}…`)
    expect(read(`<title>${"\u{1F600}".repeat(255)}</title>`).title).toBe("\u{1F600}".repeat(255))
    expect(read(`<title>${"\u{1F600}".repeat(256)}</title>`).title).toBe(`${"\u{1F600}".repeat(254)}…`)
  })

  it("holds for every text, and what is left is a line", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.integer({ min: 2, max: 20 }),
        (text, max) => {
          const line = lineWithin(text, max)
          expect([...line].length).toBeLessThanOrEqual(max)
          expect(line.isWellFormed()).toBe(true)
          expect(toLine(line)).toBe(line)
        }
      )
    )
  })
})

describe("a page that is made to be slow to read", () => {
  const size = 1024 * 1024
  const filled = (part: string) => part.repeat(size / part.length)

  it.each([
    ["attributes", `<meta ${Array.from({ length: 150_000 }, (_, n) => `a${n}`).join(" ")}>`],
    ["one attribute", `<meta content="${"x".repeat(size)}">`],
    ["metas", filled('<meta name="a" content="b">')],
    ["different metas", Array.from({ length: 40_000 }, (_, n) => `<meta name=${n} content=a>`).join("")],
    ["nested elements that are closed out of order", filled("<noscript><template>") + filled("</head2>")],
    ["heads in heads", filled("<head>") + filled("</html2>")],
    ["end tags", filled("</a>")],
    ["comments", filled("<!--")],
    ["titles", filled("<title>")],
    ["a title of entities", `<title>${filled("&amp;")}`],
    ["a title of ligatures", `<title>${"\ufdfa".repeat(size / 3)}`],
    ["a title of marks", `<title>${"\u0301".repeat(size / 3)}`],
    ["opening brackets", filled("<")]
  ])("by %s", (_, html) => {
    const before = process.threadCpuUsage()
    read(html)
    // Far more than it takes, and far less than a reader that takes quadratic time.
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1500)
  })
})

describe("the encoding of a page", () => {
  it.each([
    ["text/html", bytes("<title>ä</title>"), "<title>ä</title>"],
    ["text/html; charset=utf-8", bytes("ä"), "ä"],
    ['text/html; charset="ISO-8859-1"', bytes("ä", "latin1"), "ä"],
    ["text/html", bytes("<meta charset=windows-1252>ä", "latin1"), "<meta charset=windows-1252>ä"],
    [
      "text/html",
      bytes('<meta http-equiv="content-type" content="text/html; charset=iso-8859-1">ä', "latin1"),
      '<meta http-equiv="content-type" content="text/html; charset=iso-8859-1">ä'
    ],
    ["text/html; charset=shift_jis", new Uint8Array([0x93, 0xfa]), "日"],
    ["text/html; charset=iso-8859-1", bytes("\ufeffä"), "ä"],
    ["text/html; charset=nonsense", bytes("ä"), "ä"],
    ["text/html; charset=nonsense", bytes("<meta charset=latin1>ä", "latin1"), "<meta charset=latin1>ä"],
    ["text/html", new Uint8Array([0x61, 0xff, 0x62]), "a\uFFFDb"]
  ])("of %s is found", (contentType, page, text) => expect(decodePage(page, contentType)).toBe(text))
})
