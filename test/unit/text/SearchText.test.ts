import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import fc from "fast-check"
import { textOf } from "../../../src/domain/text/DocumentText.ts"
import * as RichText from "../../../src/domain/text/RichText.ts"
import { formOfKey, searchForm, searchFormOf, searchKey } from "../../../src/domain/text/SearchText.ts"
import { hostileMarkup } from "../hostile-markup.ts"
import { mutationCorpus } from "../mutation-corpus.ts"
import { xssCorpus } from "../xss-corpus.ts"

describe("the form in which texts are compared", () => {
  it.each([
    ["Ärger", "arger"],
    ["ärger", "arger"],
    ["a\u0308rger", "arger"],
    ["ΟΔΟΣ", "οδοσ"],
    ["οδος", "οδοσ"],
    ["όδος", "οδοσ"],
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["ﬁne", "fine"],
    ["Ｗｉｄｅ", "wide"],
    ["①", "1"],
    ["İstanbul", "istanbul"],
    ["ısı", "isi"],
    ["Æsir Øre Łódź", "aesir ore lodz"],
    ["soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"],
    ["two\n\t lines\u00a0here", "two lines here"],
    ["a\u0000b\u0001c", "a b c"],
    // Marks that are parts of letters stay.
    ["がか", "がか"],
    ["한국어", "한국어"],
    ["हिन्दी", "हिन्दी"],
    [" plain   ASCII ~ ", " plain ascii ~ "],
    ["", ""]
  ])("of %j is %j", (text, form) => {
    assert.strictEqual(searchForm(text), form)
  })

  const assertStable = (text: string) => {
    const form = searchForm(text)
    for (const variant of [form, ...["NFC", "NFD", "NFKC", "NFKD"].map((normal) => text.normalize(normal))]) {
      if (searchForm(variant) !== form) assert.fail(JSON.stringify([text, variant, form]))
    }
    // What separates the texts of a thread, and words in a key.
    if (/[\nø]/.test(form)) assert.fail(JSON.stringify([text, form]))
    if (formOfKey(searchKey(form)) !== form) assert.fail(JSON.stringify([text, form]))
  }

  it("is the same for every normal form of a text, and is its own form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => assertStable(text.toWellFormed())),
      { numRuns: 2000 }
    )
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point)
      if (!/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) assertStable(`${character}\u0338\u0301`)
    }
  })
})

describe("the form of printable characters", () => {
  it("is that of the same characters among others", () => {
    const printable = fc.string({ unit: "grapheme-ascii", maxLength: 40 })
    fc.assert(
      fc.property(printable, (text) => {
        assert.strictEqual(`${searchForm(text)}λ`, searchForm(`${text}Λ`))
      })
    )
  })
})

describe("what is searched of a body", () => {
  it.effect.each([
    ["<p>one</p><p>two</p>", "one two"],
    ["<ul><li>one</li><li>two</li></ul>", "one two"],
    ["line<br>break", "line break"],
    ["w<b>or</b>d", "word"],
    ['<a href="https://a.test/?x=%3E&amp;body=1" title="a > b">shown</a>', "shown"],
    ['<p>a</p><img src="https://a.test/x.png" alt="not shown"><p>b</p>', "a b"],
    ["1 &lt; 2 &amp;amp; 3&nbsp;&gt; 2", "1 < 2 &amp; 3 > 2"],
    ["plain & simple", "plain & simple"],
    ["", ""]
  ] as const)("%s", ([html, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual(searchFormOf((yield* RichText.read(html)).document), expected)
    })
  )
})

describe("what is searched of a long body", () => {
  const formOf = (text: string) =>
    Effect.map(RichText.read(`<p>${text}</p>`), ({ document }) => searchFormOf(document))

  it.effect("is all of it, and no letter loses its marks", () =>
    Effect.gen(function* () {
      for (const words of ["e\u0301\u0316", "a \u{1f600} ", "Straße und mehr, "]) {
        const text = words.repeat(Math.floor(300_000 / words.length)).trim()
        assert.isTrue((yield* formOf(text)) === searchForm(text), words)
      }
    })
  )

  it.effect("takes little time whatever marks its letters have", () =>
    Effect.gen(function* () {
      const form = yield* formOf(`a${"&#x316;&#x301;".repeat(40_000)}b`)
      assert.isBelow(form.length, 100)
      assert.isTrue(form.startsWith("a") && form.endsWith("b"))
    })
  )

  it.effect("is little longer than the longest body, whatever its characters stand for", () =>
    Effect.gen(function* () {
      const form = yield* formOf("\ufdfa".repeat(600 * 1024))
      assert.isAtLeast(form.length, 640 * 1024)
      assert.isBelow(form.length, (640 + 20 * 16) * 1024)
      assert.isTrue(form.startsWith(searchForm("\ufdfa")))
    })
  )
})

describe("the text of a stored document", () => {
  const readings = (html: string) => Effect.runSync(Effect.option(RichText.read(html)))

  const assertRead = (html: string) => {
    for (const { analysis, document } of Option.toArray(readings(html))) {
      assert.strictEqual(
        textOf(document, () => ""),
        analysis.plaintext,
        html
      )
    }
  }

  it("is what a parser reads", () => {
    for (const html of [...xssCorpus, ...Object.values(mutationCorpus).flat()]) assertRead(html)
    fc.assert(fc.property(hostileMarkup, assertRead))
  })
})
