import { describe, expect, it } from "vitest"
import { codeLetter, resetLetter } from "../../../src/domain/authentication/EmailText.ts"

const title = `Tom & <b>"Jerry's"</b>\r\nBcc: all@forum.test`
const inOneLine = `Tom & <b>"Jerry's"</b> Bcc: all@forum.test`
const inHtml = "Tom &amp; &lt;b&gt;&quot;Jerry&#39;s&quot;&lt;/b&gt; Bcc: all@forum.test"

describe("the letter with a code", () => {
  const letter = codeLetter("Asgard", "odin", { code: "012345", minutes: 60 })

  it("has the code where clients look for it, as text and as HTML", () => {
    expect(letter.subject).toBe("Welcome to Asgard!")
    expect(letter.text).toMatch(/verify your account: 012345\n/)
    expect(letter.html).toContain("<strong>012345</strong>")
  })

  it("says for which account it is, and for how long", () => {
    for (const body of [letter.text, letter.html]) {
      expect(body).toContain("the account odin on Asgard")
      expect(body).toContain("one hour")
    }
  })

  it("has the title of the instance in one line and without markup", () => {
    const { html, subject, text } = codeLetter(title, "odin", { code: "012345", minutes: 60 })
    expect(subject).toBe(`Welcome to ${inOneLine}!`)
    expect(text).toContain(inOneLine)
    expect(html).toContain(inHtml)
    expect(html).not.toContain("<b>")
  })
})

describe("the letter with a link", () => {
  const link = `https://forum.test/reset?a=1&token=x'"`

  it("has the link, which in HTML leads there", () => {
    const { html, subject, text } = resetLetter("Asgard", "odin", link)
    expect(subject).toBe("Reset your password on Asgard!")
    expect(text).toContain(`\n${link}\n`)
    const address = "https://forum.test/reset?a=1&amp;token=x&#39;&quot;"
    expect(html).toContain(`<a href="${address}">${address}</a>`)
  })

  it("has the title of the instance in one line and without markup", () => {
    const { html, subject, text } = resetLetter(title, "odin", link)
    expect(subject).toBe(`Reset your password on ${inOneLine}!`)
    expect(text).toContain(inOneLine)
    expect(html).toContain(inHtml)
  })
})
