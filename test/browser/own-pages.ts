/**
 * The pages of the service in a real browser, by the keyboard and without script, narrow and wide, light and dark:
 * `node test/browser/own-pages.ts <address> <path of Chromium> [<directory for pictures>]`.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { apiAt, password } from "./api.ts"
import { launch } from "./devtools.ts"

const [address = "", executable = "", pictures = ""] = process.argv.slice(2)

const { call, signUp } = apiAt(address)

const browser = await launch(executable)

/** Opens a page without the help of a script in it. */
const open = (place: string) =>
  browser.going(() => browser.page("Page.navigate", { url: `${address}${place}` }))

const says = (what: string) => process.stdout.write(`${what}\n`)

const widths = [360, 1280] as const
const schemes = ["light", "dark"] as const

const setWidth = (width: number) =>
  browser.page("Emulation.setDeviceMetricsOverride", {
    width,
    height: 800,
    deviceScaleFactor: 1,
    mobile: false
  })

const setScheme = (value: string) =>
  browser.page("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] })

/** What of a page everybody needs: nothing beyond its edges, and text that stands out from what is behind it. */
const look = () =>
  browser.evaluate(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number)
    const luminance = (colour) => {
      const [r, g, b] = channels(colour).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const behind = (element) => {
      const { backgroundColor } = getComputedStyle(element)
      if (channels(backgroundColor)[3] !== 0) return backgroundColor
      return element.parentElement === null ? "rgb(255, 255, 255)" : behind(element.parentElement)
    }
    const texts = [...document.body.querySelectorAll("*")].filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "") && !element.closest("style, script"))
    const faint = texts.filter((element) => {
      const [one, other] = [getComputedStyle(element).color, behind(element)].map(luminance)
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5
    })
    return {
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      faint: faint.map(({ textContent }) => textContent),
      isStyled: getComputedStyle(document.querySelector("main")).borderTopStyle
    }
  })()`)

/** Looks at the page that is there in all widths and colours. */
const checkLook = async (name: string) => {
  for (const width of widths) {
    for (const scheme of schemes) {
      await setWidth(width)
      await setScheme(scheme)
      const seen = await look()
      assert.deepEqual(seen, { overflow: 0, faint: [], isStyled: "solid" }, `${name} ${width} ${scheme}`)
      if (pictures !== "") await browser.picture(join(pictures, `${name}-${width}-${scheme}.png`))
    }
  }
  assert.deepEqual([...browser.errors], [], name)
}

/** What programs that read pages to people find: the roles and names of what there is. */
const readOut = async () => {
  const { nodes } = Object(await browser.page("Accessibility.getFullAXTree"))
  const all: ReadonlyArray<Record<string, { readonly value?: unknown }>> = nodes
  return all.map(({ description, name, role }) =>
    [role?.value, name?.value, description?.value]
      .filter((text) => text !== undefined && text !== "")
      .join(": ")
  )
}

const heading = () => browser.evaluate(`document.querySelector("h1").textContent`)
const focused = () =>
  browser.evaluate(`document.activeElement.textContent.trim() || document.activeElement.name`)
const path = () => browser.evaluate(`location.pathname + location.search`)

const assertRead = async (...expected: ReadonlyArray<string>) => {
  const found = await readOut()
  for (const one of expected) assert.ok(found.includes(one), `${one} is not among\n${found.join("\n")}`)
}

const cookieOf = async (name: string) => {
  const { cookies } = Object(await browser.page("Network.getCookies", { urls: [address] }))
  const all: ReadonlyArray<Record<string, unknown>> = cookies
  return all.find((cookie) => cookie.name === name)
}

/** Goes on by the keyboard until it is there. */
const tabTo = async (name: string) => {
  for (let n = 0; n < 20 && (await focused()) !== name; n++) await browser.press("Tab")
  assert.equal(await focused(), name)
}

/** Waits until what has the focus by itself has it: browsers give it with a frame after the page is loaded. */
const focusArrives = async (name: string) => {
  for (let n = 0; n < 100 && (await focused()) !== name; n++) await setTimeout(50)
  assert.equal(await focused(), name)
}

/** Signs in on the page that is there. */
const signIn = async () => {
  await focusArrives("identifier")
  await browser.type("odin")
  await browser.press("Tab")
  await browser.type(password)
  await browser.going(() => browser.press("Enter"))
}

const admin = await signUp("odin")

/** A program that browsers come back to, and that leads them on from there. */
const program = createServer(({ url = "" }, response) => {
  if (url.startsWith("/callback")) {
    response.statusCode = 302
    response.setHeader("location", url.replace("callback", "done"))
  }
  response.setHeader("content-type", "text/html")
  response.end(
    "<!doctype html><title>A program</title><link rel=icon href=data:,><h1>Back in the program</h1>"
  )
})
await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve))
const bound = program.address()
const back = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`

const client = Object(
  await (
    await call(
      "/admin/oauth/clients",
      {
        account_id: Object(
          await (await fetch(`${address}/api/accounts`, { headers: { cookie: admin } })).json()
        ).id,
        client_id: "archive",
        name: "The archive of everything that was ever said, אבג and <script>alert(1)</script>",
        type: "public",
        redirect_uris: [`${back}/callback`],
        allowed_scopes: ["openid", "profile", "offline_access", "CREATE_POST", "ADMINISTRATOR"],
        allowed_grants: ["authorization_code", "refresh_token"]
      },
      admin
    )
  ).json()
)

/** Where the program sends browsers. */
const authorisation = `/api/oauth/authorize?${new URLSearchParams({
  response_type: "code",
  client_id: client.client_id,
  redirect_uri: `${back}/callback`,
  scope: "openid profile CREATE_POST ADMINISTRATOR MANAGE_POSTS",
  state: "harbour",
  code_challenge: createHash("sha256").update("v".repeat(43)).digest("base64url"),
  code_challenge_method: "S256"
})}`

try {
  await call(
    "/admin",
    {
      title: "The hall of those who have a very long name, with אבג and <b>",
      accent_colour: "oklch(85% 0.18 95)"
    },
    admin,
    "PATCH"
  )
  // Everything that follows is done without script. What is evaluated here is not of the page.
  await browser.page("Emulation.setScriptExecutionDisabled", { value: true })
  await browser.page("Network.enable")

  for (const [name, place, title] of [
    ["front", "/", "The API of a forum"],
    ["problems", "/api/problems", "Problems"],
    [
      "problem",
      "/api/problems/remote-discovery-failed",
      "The resource does not tell how to get tokens for it"
    ],
    ["not-signed-in", "/auth/oauth_oidc/callback?error=access_denied", "You were not signed in"]
  ] as const) {
    await open(place)
    assert.equal(await heading(), title)
    // The status of a refusal is an error for the browser's log alone.
    browser.errors.length = 0
    await checkLook(name)
  }
  says("The pages to read fit every width, light and dark")

  await open("/login")
  await checkLook("sign-in")
  assert.equal(await heading(), "Sign in")
  await assertRead("heading: Sign in", "textbox: Handle", "textbox: Password", "button: Sign in")
  says("The page to sign in fits every width, light and dark, and says what it has")

  await focusArrives("identifier")
  await browser.type("odin")
  await browser.press("Tab")
  assert.equal(await focused(), "password")
  await browser.type("not the password")
  await browser.going(() => browser.press("Enter"))
  await focusArrives("password")
  await assertRead("alert", "textbox: Password: The password is wrong.")
  // The status of a form that is refused is an error for the browser's log alone.
  browser.errors.length = 0
  await checkLook("sign-in-refused")
  says("What is wrong is announced, and the keyboard goes on there")

  await browser.type(password)
  await browser.press("Tab")
  assert.equal(await focused(), "Sign in")
  await browser.going(() => browser.press("Space"))
  assert.equal(await heading(), "You are signed in")
  assert.equal(await path(), "/login")
  const session = await cookieOf("forum-session")
  assert.deepEqual([session?.httpOnly, session?.sameSite], [true, "Lax"])
  await checkLook("signed-in")
  says("Somebody signs in by the keyboard alone, without script")

  await open("/oauth/remote/callback?state=x&code=x")
  assert.equal(await heading(), "Not connected")
  browser.errors.length = 0
  await checkLook("not-connected")

  await browser.page("Network.clearBrowserCookies")
  await open(authorisation)
  assert.equal(await path(), "/login")
  await signIn()
  assert.equal(await heading(), "Allow access?")
  assert.match(String(await path()), /^\/oauth\/authorize\/consent\?request_id=[\w-]{43}$/)
  await checkLook("consent")
  await assertRead("button: Allow", "button: Do not allow", "heading: Allow access?")
  await tabTo("Allow")
  await browser.going(() => browser.press("Space"))
  assert.equal(await heading(), "Back in the program")
  assert.match(String(await path()), /^\/done\?.*code=[\w-]+.*state=harbour/)
  assert.deepEqual([...browser.errors], [])
  says("Somebody whom a program sends signs in, allows it, and is led back to it and on from there")

  await open(authorisation)
  await tabTo("Do not allow")
  await browser.going(() => browser.press("Enter"))
  assert.match(String(await path()), /^\/done\?.*error=access_denied/)
  says("Somebody denies a program")

  const device = Object(
    await (
      await fetch(`${address}/api/oauth/device_authorization`, {
        method: "POST",
        body: new URLSearchParams({ client_id: "forum-cli", scope: "openid profile offline_access" })
      })
    ).json()
  )
  await browser.page("Network.clearBrowserCookies")
  await open("/oauth/consent")
  assert.equal(await path(), "/login")
  await signIn()
  assert.equal(await path(), "/oauth/consent")
  await checkLook("device")
  await tabTo("user_code")
  await browser.type("aaaa-aaaa")
  await browser.going(() => browser.press("Enter"))
  await tabTo("user_code")
  browser.errors.length = 0
  await checkLook("device-refused")
  await open("/oauth/consent")
  await tabTo("user_code")
  await browser.type(String(device.user_code).toLowerCase().replace("-", ""))
  await browser.going(() => browser.press("Enter"))
  assert.equal(await heading(), "Allow access?")
  await checkLook("device-consent")
  await tabTo("Allow")
  await browser.going(() => browser.press("Enter"))
  assert.equal(await heading(), "The device is connected")
  await checkLook("device-connected")
  says("Somebody connects a device by the code that it shows")
} finally {
  await browser.close()
  program.close()
}
