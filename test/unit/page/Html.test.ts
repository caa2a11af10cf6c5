import { assert, describe, it } from "@effect/vitest"
import { html, said } from "../../../src/http/page/Html.ts"

describe("a piece of HTML", () => {
  it("has what stands in its template as it is, and what is filled in escaped", () => {
    const text = `<script>alert("1")</script> & 'x' \`y\``
    assert.strictEqual(
      String(html`<p title="${text}">${text}</p>`),
      '<p title="&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;x&#39; &#96;y&#96;">&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62; &#38; &#39;x&#39; &#96;y&#96;</p>'
    )
    assert.strictEqual(String(html`${1}${0}${undefined}`), "10")
  })

  it("takes other pieces as they are, and lists of them", () => {
    const inner = html`<b>${"<"}</b>`
    assert.strictEqual(
      String(html`<p>${inner}${[inner, inner]}${[]}</p>`),
      `<p>${`<b>&#60;</b>`.repeat(3)}</p>`
    )
  })
})

describe("what others say of themselves", () => {
  it("has a direction of its own, in one line, without what cannot be seen", () => {
    assert.strictEqual(
      String(said("good\u202eelif\u2066\u200b.exe\n<b>\u0007")),
      "<bdi>goodelif.exe &#60;b&#62;</bdi>"
    )
    assert.strictEqual(String(said("שלום")), "<bdi>שלום</bdi>")
  })
})
