import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { type DefaultTreeAdapterMap, parseFragment } from "parse5"
import { absoluteContent } from "../../../src/domain/feed/AbsoluteContent.ts"
import { webPages } from "../../../src/domain/feed/WebPages.ts"
import { read } from "../../../src/domain/text/RichText.ts"

const pages = webPages({ publicUrl: new URL("https://api.test/forum/"), webUrl: new URL("https://www.test") })
const page = "https://www.test/t/one"
const id = "dc0qdt7khh6uivg0002g"

const sanitised = (markup: string) => Effect.runSync(read(markup)).document

const absolute = (markup: string) => absoluteContent(sanitised(markup), page, pages)

type Element = DefaultTreeAdapterMap["element"]

const elementsIn = (node: DefaultTreeAdapterMap["parentNode"]): ReadonlyArray<Element> =>
  node.childNodes.flatMap((child) => ("tagName" in child ? [child, ...elementsIn(child)] : []))

const isAddress = ({ name }: { readonly name: string }) => ["href", "src", "cite"].includes(name)

/** Everything in a document but the addresses. */
const rest = (node: DefaultTreeAdapterMap["parentNode"]): unknown =>
  node.childNodes.map((child) => {
    if ("value" in child) return child.value
    if (!("tagName" in child)) return child.nodeName
    return [child.tagName, child.attrs.filter((attribute) => !isAddress(attribute)), rest(child)]
  })

describe("content with absolute addresses", () => {
  it("leads where the page would", () => {
    for (const [given, expected] of [
      ["/t/other?a=1&amp;b=2", "https://www.test/t/other?a=1&amp;b=2"],
      ["other", "https://www.test/t/other"],
      ["#part", "https://www.test/t/one#part"],
      ["//else.test/x", "https://else.test/x"],
      ["https://else.test/x", "https://else.test/x"],
      ["mailto:odin@forum.test", "mailto:odin@forum.test"],
      ["/api/assets/x.png", "https://api.test/forum/api/assets/x.png"],
      ["/apiary", "https://www.test/apiary"],
      [`sdr:thread/${id}`, `https://www.test/t/${id}`],
      [`sdr:node/${id}`, `https://www.test/l/${id}`],
      [`sdr:profile/${id}`, `https://www.test/m/${id}`],
      [`sdr:event/${id}`, `https://www.test/events/${id}`]
    ]) {
      assert.strictEqual(
        absolute(`<a href="${given}">x</a>`),
        `<a href="${expected}" rel="nofollow">x</a>`,
        given
      )
    }
  })

  it("has no address that leads nowhere", () => {
    for (const given of [`sdr:reply/${id}`, "sdr:thread/short", "http://[", "sdr:"]) {
      assert.strictEqual(absolute(`<a href="${given}">x</a>`), '<a rel="nofollow">x</a>', given)
    }
  })

  it("changes neither text nor other attributes, whatever is in them", () => {
    const value = fc.string({
      unit: fc.constantFrom(..."ab =\"'<>&/:#?\u00a0\n", ' href="', "src=", "&quot;", "<a ")
    })
    fc.assert(
      fc.property(value, value, value, fc.constantFrom("a", "img", "q", "p"), (one, two, text, tag) => {
        const quoted = (given: string) => `"${given.replaceAll('"', "&quot;")}"`
        const document = sanitised(
          `<${tag} title=${quoted(one)} href=${quoted(two)} src=${quoted(two)} cite=${quoted(two)} alt=${quoted(two)} data-x=${quoted(one)}>${text.replaceAll("<", "&lt;")}`
        )
        const before = parseFragment(document.replace(/^<body>|<\/body>$/g, ""))
        const after = parseFragment(absoluteContent(document, page, pages))
        assert.deepStrictEqual(rest(after), rest(before))
        for (const attribute of elementsIn(after).flatMap(({ attrs }) => attrs.filter(isAddress))) {
          assert.isTrue(URL.canParse(attribute.value), attribute.value)
        }
      }),
      { numRuns: 1000 }
    )
  })
})
