/**
 * The example of a live page in a real browser: it signs in, and shows what others write as they write it:
 * `node test/browser/live.ts <address> <address of the page> <path of Chromium>`.
 */
import assert from "node:assert/strict"
import { setTimeout } from "node:timers/promises"
import { serve } from "../../examples/live/serve.ts"
import { apiAt, password } from "./api.ts"
import { launch } from "./devtools.ts"

const [address = "", page = "", executable = ""] = process.argv.slice(2)

const { call, signUp } = apiAt(address)

const idOf = async (answer: Response) => String(Object(await answer.json()).id)

const writer = await signUp("idun")
await signUp("bragi")
const thread = await idOf(await call("/threads", { title: "Live", visibility: "published" }, writer))
const reply = (body: string) => call(`/threads/${thread}/replies`, { body }, writer)

const server = await serve(Number(new URL(page).port), address)
const browser = await launch(executable)

/** Waits until the page says something somewhere. */
const until = async (selector: string, text: string) => {
  const read = `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ innerText }) => innerText).join("\\n")`
  const end = performance.now() + 60_000
  for (let said = ""; ; said = String(await browser.evaluate(read))) {
    if (said.includes(text)) return said
    if (performance.now() > end) throw new Error(`${selector} says ${JSON.stringify(said)}, not ${text}`)
    await setTimeout(50)
  }
}

const fillIn = async (selector: string, text: string) => {
  await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus() === undefined`)
  await browser.type(text)
}

try {
  await browser.open(page)
  await until("#threads", "Live")

  await fillIn("#sign-in [name=identifier]", "bragi")
  await fillIn("#sign-in [name=token]", "another password")
  await browser.press("Enter")
  await until("#message", "The password is wrong")
  await browser.evaluate(`document.querySelector("#sign-in [name=token]").value = ""`)
  await fillIn("#sign-in [name=token]", password)
  await browser.press("Enter")
  await until("#message", "Signed in as bragi")

  await reply("Before it is read")
  await browser.evaluate(`document.querySelector("#threads button").click() === undefined`)
  await until("#thread article", "Before it is read")
  const id = await idOf(await reply("As it is <em>written</em>"))
  await until("#thread article", "As it is written")
  await call(`/posts/${id}`, { body: "As it is changed" }, writer, "PATCH")
  await until("#thread article", "As it is changed")

  await fillIn("#reply [name=body]", "Written here")
  await browser.press("Enter")
  const shown = await until("#thread article", "Written here")
  assert.deepEqual(
    shown.split("\n").filter((line) => line !== ""),
    ["idun", "Before it is read", "idun", "As it is changed", "bragi", "Written here"]
  )
  process.stdout.write("The live page shows what is written as it is written\n")
} finally {
  await browser.close()
  server.close()
  server.closeAllConnections()
}
