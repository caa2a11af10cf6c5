/**
 * Pages in a real browser: those of a frontend that loads the theme of the service from another origin, and the
 * reference: `node test/browser/pages.ts <address> <address of the frontend> <path of Chromium>`.
 */
import assert from "node:assert/strict"
import { createServer } from "node:http"
import { apiAt } from "./api.ts"
import { field, launch } from "./devtools.ts"

const [address = "", frontend = "", executable = ""] = process.argv.slice(2)

const call = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${address}${path}`, init)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

const api = apiAt(address)

interface File {
  readonly path: string
  readonly integrity: string
}

const upload = async (cookie: string, filename: string, text: string) => {
  const headers = { cookie, "content-type": "application/octet-stream" }
  const answer = await call(`/api/assets?filename=${filename}`, {
    method: "POST",
    body: `${text}\n`,
    headers
  })
  return String(field(await answer.json(), "id"))
}

/** Gives the service a theme, and answers it as everybody reads it. */
const makeTheme = async () => {
  // The first account is the administrator.
  const cookie = await api.signUp("thor")
  const stylesheets = [
    await upload(cookie, "first.css", "body { background-color: rgb(1, 2, 3); color: rgb(4, 5, 6) }"),
    await upload(cookie, "second.css", "body { color: rgb(7, 8, 9) }")
  ]
  const scripts = [
    await upload(cookie, "first.js", `globalThis.ran = ["first"]`),
    await upload(cookie, "second.js", `globalThis.ran.push("second")`)
  ]
  await api.call("/admin/theme", { stylesheets, scripts }, cookie, "PUT")
  const theme: Record<"stylesheets" | "scripts", ReadonlyArray<File>> = Object(
    await (await call("/api/info/theme")).json()
  )
  assert.deepEqual([theme.stylesheets.length, theme.scripts.length], [2, 2])
  return theme
}

const theme = await makeTheme()

/** A page that loads the files of the theme from somewhere, as the service describes them. */
const pageFrom = (place: string) => {
  const attributes = ({ integrity }: File) => `integrity="${integrity}" crossorigin="anonymous"`
  const link = (file: File) => `<link rel="stylesheet" href="${place}${file.path}" ${attributes(file)}>`
  const script = (file: File) => `<script src="${place}${file.path}" ${attributes(file)}></script>`
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>A frontend</title>
    ${theme.stylesheets.map(link).join("")}<body><p>Hello</p>${theme.scripts.map(script).join("")}`
}

const changedPlace = "/changed"

/** A file of the service with one byte changed, which leaves what it says. */
const changed = async (path: string) => {
  const answer = await call(path)
  return {
    text: (await answer.text()).replace(/\n$/, " "),
    type: answer.headers.get("content-type") ?? ""
  }
}

const web = createServer(async ({ url = "" }, response) => {
  const served = await (url.startsWith(`${changedPlace}/`)
    ? changed(url.slice(changedPlace.length))
    : { text: pageFrom(url === changedPlace ? `${frontend}${changedPlace}` : address), type: "text/html" })
  response.setHeader("content-type", served.type)
  response.end(served.text)
})
await new Promise<void>((resolve) => web.listen(Number(new URL(frontend).port), "localhost", resolve))

const browser = await launch(executable)

const look = () =>
  browser.evaluate(`(() => {
    const { backgroundColor, color } = getComputedStyle(document.body)
    return { backgroundColor, color, ran: globalThis.ran ?? [] }
  })()`)

const says = (what: string) => process.stdout.write(`${what}\n`)

/** Answers the texts that are missing on the page, as soon as there are none, or when it takes too long. */
const missingOf = (texts: ReadonlyArray<string>) =>
  browser.evaluate(`new Promise((done) => {
    const missing = () => ${JSON.stringify(texts)}.filter((text) => !document.body.innerText.includes(text))
    const look = () => missing().length === 0 && done([])
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
    setTimeout(() => done(missing()), 20_000)
    look()
  })`)

try {
  await browser.open(frontend)
  assert.deepEqual(await look(), {
    backgroundColor: "rgb(1, 2, 3)",
    color: "rgb(7, 8, 9)",
    ran: ["first", "second"]
  })
  assert.deepEqual([...browser.errors], [])
  says("A page of another origin has the styles of the theme and runs its scripts, in their order")

  await browser.open(`${frontend}${changedPlace}`)
  assert.deepEqual(await look(), { backgroundColor: "rgba(0, 0, 0, 0)", color: "rgb(0, 0, 0)", ran: [] })
  const refused = browser.errors.filter((error) => error.includes("integrity"))
  for (const { path } of [...theme.stylesheets, ...theme.scripts]) {
    assert.ok(
      refused.some((error) => error.includes(path)),
      path
    )
  }
  says("Files with a changed byte are refused")

  await browser.open(`${address}/api/docs`)
  const listed = ["Forum service", "/problems/{name}", "Mark a thread as read"]
  assert.deepEqual(await missingOf(listed), [])
  // An operation has an address, at which it is shown in full, and can be tried.
  await browser.open("about:blank")
  await browser.open(`${address}/api/docs#/instance/GetInfo`)
  assert.deepEqual(await missingOf(["how people sign up and in", "Try it out"]), [])
  const click = (selector: string) =>
    browser.evaluate(`document.querySelector('#operations-instance-GetInfo ${selector}').click() ?? true`)
  await click(".try-out__btn")
  assert.deepEqual(await missingOf(["Execute"]), [])
  await click(".execute")
  assert.deepEqual(await missingOf(["Server response", `"onboarding_status"`]), [])
  assert.deepEqual([...browser.errors], [])
  says("The reference is shown and operations are tried in it, without errors")
} finally {
  await browser.close()
  web.close()
}
