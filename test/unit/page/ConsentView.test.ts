import { assert, describe, it } from "@effect/vitest"
import { type Scope, scopes } from "../../../src/domain/vocabulary/Scope.ts"
import {
  type Asked,
  codeConsentPage,
  deviceConsentPage,
  deviceDecidedPage,
  deviceEntryPage,
  noConsentPage
} from "../../../src/http/page/ConsentView.ts"
import { html } from "../../../src/http/page/Html.ts"
import { documentOf, type PageContent } from "../../../src/http/page/Layout.ts"
import { languages, textsFor } from "../../../src/http/page/texts/Texts.ts"
import { attribute, pageOf, textIn } from "../../page/visitor.ts"

const root = "../"
const texts = textsFor("en")

const rendered = (content: PageContent, language = "en") => {
  const text = String(
    documentOf(content, { texts: textsFor(language), root, instance: "Asgard", style: html`` })
  )
  return pageOf({ request: "", status: 200, headers: {}, text, json: undefined }, "/oauth/consent")
}

const client: Asked = {
  clientId: "foc_valhalla",
  clientName: "Valhalla",
  requested: ["openid", "CREATE_POST"],
  granted: ["openid", "CREATE_POST"],
  inherits: false
}

const shown = { texts, root, handle: "odin" }

const forProgram = (asked: Partial<Asked>, redirect = "https://app.example/callback?a=b", language = "en") =>
  rendered(
    codeConsentPage({
      ...shown,
      texts: textsFor(language),
      asked: { ...client, ...asked },
      requestId: "r-1",
      redirect
    }),
    language
  )

const itemsOf = (page: ReturnType<typeof rendered>) =>
  page.all("li").map((item) => textIn(item).replace(/\s+/g, " ").trim())

describe("the page to decide about a program", () => {
  it("names the program, what it may do, who decides and where it leads", () => {
    const page = forProgram({})
    assert.deepStrictEqual(page.heading, ["Allow access?"])
    assert.include(page.text, "Valhalla wants to use your account.")
    assert.include(page.text, "foc_valhalla")
    assert.deepStrictEqual(itemsOf(page), [texts.scopes.openid, texts.scopes.CREATE_POST])
    assert.include(page.text, "You then go on to: https://app.example/callback?a=b")
    assert.include(page.text, "signed in as odin")
    assert.deepStrictEqual(page.forms[0], {
      method: "POST",
      action: "../oauth/authorize/consent",
      fields: { request_id: "r-1" },
      buttons: ["Allow", "Do not allow"]
    })
  })

  it("describes every scope in every language", () => {
    for (const language of languages) {
      const page = forProgram({ requested: scopes, granted: scopes }, undefined, language)
      const expected = scopes.map((scope: Scope) => textsFor(language).scopes[scope])
      assert.sameMembers([...itemsOf(page)], expected)
      assert.strictEqual(itemsOf(page)[0], textsFor(language).scopes.ADMINISTRATOR)
    }
  })

  it("tells apart what was asked for and is not granted", () => {
    const page = forProgram({ granted: ["openid"] })
    assert.deepStrictEqual(itemsOf(page), [texts.scopes.openid, texts.scopes.CREATE_POST])
    assert.include(page.text, `${texts.consent.notGranted} ${texts.scopes.CREATE_POST}`)
  })

  it("says that a program may do everything that the account may do, and nothing of single permissions", () => {
    const page = forProgram({
      requested: ["openid"],
      granted: ["openid", "CREATE_POST", "ADMINISTRATOR"],
      inherits: true
    })
    assert.include(page.text, texts.consent.inherits)
    assert.deepStrictEqual(itemsOf(page), [texts.scopes.openid])
  })

  it("says that a program may do nothing", () => {
    assert.include(forProgram({ requested: [], granted: [] }).text, texts.consent.mayNothing)
  })

  it("shows a scope that it does not know as it is", () => {
    assert.deepStrictEqual(itemsOf(forProgram({ requested: ["<x>"], granted: ["<x>"] })), ["<x>"])
  })

  const addresses: ReadonlyArray<readonly [address: string, emphasised: string, label: string]> = [
    ["https://app.example/cb?x=1", "app.example", texts.consent.leadsTo],
    ["https://app.example:8443", "app.example:8443", texts.consent.leadsTo],
    ["HTTPS://App.Example?a", "App.Example", texts.consent.leadsTo],
    ["https://good.example.evil.example/good.example", "good.example.evil.example", texts.consent.leadsTo],
    ["https://localhost.evil.example/", "localhost.evil.example", texts.consent.leadsTo],
    ["https://xn--80ak6aa92e.example/", "xn--80ak6aa92e.example", texts.consent.leadsTo],
    ["http://127.0.0.1:51004/cb", "127.0.0.1:51004", texts.consent.leadsHere],
    ["http://localhost/cb", "localhost", texts.consent.leadsHere],
    ["http://[::1]:8080/", "[::1]:8080", texts.consent.leadsHere],
    ["com.example.app:/cb?a=%22", "com.example.app:", texts.consent.leadsToProgram],
    ["myapp://good.example/", "myapp:", texts.consent.leadsToProgram],
    [`https://${"a.".repeat(500)}example/`, `${"a.".repeat(500)}example`, texts.consent.leadsTo],
    ["https://app.example/'&lt;<script>\"", "app.example", texts.consent.leadsTo]
  ]

  it.each(addresses)("shows exactly where it leads, and to whom: %s", (address, emphasised, label) => {
    const page = forProgram({}, address)
    const [place] = page.all("p").filter((one) => /\baddress\b/.test(attribute(one, "class") ?? ""))
    assert.strictEqual(place === undefined ? "" : textIn(place), address)
    assert.strictEqual(place === undefined ? "" : attribute(place, "dir"), "ltr")
    const strong = page.all("strong").map(textIn)
    assert.include(strong, emphasised)
    assert.include(page.text, label)
    assert.deepStrictEqual(page.all("script"), [])
  })

  const names = [
    "<script>alert(1)</script>",
    `"><img src=x onerror=alert(1)>`,
    "\u202eallahlaV\u2066",
    "a".repeat(100),
    "Your bank\u200b\u2800 ",
    "</bdi></strong><h1>Approved</h1>",
    "&lt;b&gt;"
  ]

  it.each(names)("shows a name as a name, whatever it is: %j", (clientName) => {
    const page = forProgram({ clientName, clientId: clientName })
    assert.deepStrictEqual(page.heading, ["Allow access?"])
    assert.deepStrictEqual(page.all("script"), [])
    assert.lengthOf(page.all("img"), 1)
    const [bdi] = page.all("bdi").filter((one) => textIn(one) !== "Asgard")
    assert.strictEqual(
      bdi === undefined ? "" : textIn(bdi),
      clientName.replace(/[\u202e\u2066\u200b]/g, "").trim()
    )
    assert.notMatch(page.html, /[\u202a-\u202e\u2066-\u2069]/)
  })
})

describe("the pages of a device", () => {
  it("take a code by an address, so that no form has to be sent again", () => {
    const page = rendered(deviceEntryPage(shown))
    assert.deepStrictEqual(page.heading, ["Connect a device"])
    assert.deepInclude(page.forms[0], {
      method: "GET",
      action: "../oauth/consent",
      fields: { user_code: "" }
    })
    const [input] = page.all("input")
    const described = input === undefined ? "" : attribute(input, "aria-describedby")
    assert.strictEqual(described, "user_code-hint")
    assert.isDefined(page.by("user_code-hint"))
  })

  it("say what is wrong with a code, and keep it", () => {
    const refusal = { text: texts.device.codeWrong, field: "user_code" } as const
    const page = rendered(deviceEntryPage({ ...shown, code: '<"AAAA', refusal }))
    assert.deepStrictEqual(page.alerts, [texts.device.codeWrong])
    assert.strictEqual(page.forms[0]?.fields.user_code, '<"AAAA')
    const [input] = page.all("input")
    assert.strictEqual(
      input === undefined ? "" : attribute(input, "aria-describedby"),
      "error user_code-hint"
    )
  })

  it("let people compare the code and warn them before they decide", () => {
    const page = rendered(deviceConsentPage({ ...shown, asked: client, userCode: "WDJB-MJHT" }))
    assert.include(page.text, "WDJB-MJHT")
    assert.include(page.text, texts.device.warning)
    assert.deepStrictEqual(page.forms[0], {
      method: "POST",
      action: "../oauth/consent",
      fields: { user_code: "WDJB-MJHT" },
      buttons: ["Allow", "Do not allow"]
    })
    // Nobody approves by a key that was meant for something else.
    assert.deepStrictEqual(
      page.elements.filter((one) => attribute(one, "autofocus") !== undefined),
      []
    )
  })

  it("say what was decided, and that nothing is left to do", () => {
    assert.include(rendered(deviceDecidedPage(texts, "approved")).text, texts.device.approved)
    assert.include(rendered(deviceDecidedPage(texts, "denied")).text, texts.device.denied)
  })

  it("say why there is nothing to decide", () => {
    const page = rendered(noConsentPage(shown, texts.consent.gone))
    assert.deepStrictEqual(page.alerts, [texts.consent.gone])
    assert.match(page.title, /^Error: /)
  })
})
