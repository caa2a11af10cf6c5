/** A browser without a window, driven over its DevTools protocol. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isMessage = (value: unknown): value is Message => isObject(value)

/** A field of an object that has it. */
export const field = (value: unknown, name: string): unknown => {
  if (!isObject(value) || !(name in value)) throw new Error(`There is no ${name} in ${JSON.stringify(value)}`)
  return value[name]
}

/** What an event of the browser says went wrong on the page; nothing if it is about something else. */
const errorIn = ({ method, params }: Message): string | undefined => {
  if (method === "Runtime.exceptionThrown") return JSON.stringify(field(params, "exceptionDetails"))
  if (method === "Log.entryAdded") {
    const entry = field(params, "entry")
    return field(entry, "level") === "error" ? String(field(entry, "text")) : undefined
  }
  const isError = method === "Runtime.consoleAPICalled" && field(params, "type") === "error"
  return isError ? JSON.stringify(field(params, "args")) : undefined
}

const loaded = `new Promise((done) =>
  document.readyState === "complete" ? done(true) : addEventListener("load", () => done(true)))`

const millisecondsToStart = 30_000
const millisecondsToGo = 20_000

const keys = {
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " }
} as const
export type Key = keyof typeof keys

const addressOf = (browser: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let said = ""
    const failed = (why: string) => reject(new Error(`${why}\n${said}`))
    const timer = setTimeout(() => failed("The browser did not start"), millisecondsToStart)
    browser.stderr?.on("data", (chunk) => {
      said += chunk
      const [, address] = /DevTools listening on (ws:\/\/\S+)/.exec(said) ?? []
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
    browser.once("error", (error) => failed(error.message))
    browser.once("exit", (code) => failed(`The browser ended with ${code}`))
  })

const connected = (address: string) =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(address)
    socket.addEventListener("open", () => resolve(socket))
    socket.addEventListener("error", () => reject(new Error("The browser takes no connection")))
  })

/** Starts a browser with one page. */
export const launch = async (executable: string) => {
  const profile = mkdtempSync(join(tmpdir(), "forum-browser-"))
  const browser = spawn(
    executable,
    [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank"
    ],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  const ended = new Promise<void>((resolve) => browser.once("exit", () => resolve()))
  const close = async () => {
    browser.kill("SIGKILL")
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const socket = await connected(await addressOf(browser))
    const waiting = new Map<number, PromiseWithResolvers<unknown>>()
    const errors: Array<string> = []
    /** Those who wait until a page is loaded. */
    const loads: Array<() => void> = []
    let sent = 0
    socket.addEventListener("message", ({ data }) => {
      const message: unknown = JSON.parse(String(data))
      if (!isMessage(message)) return
      if (message.id === undefined) {
        const error = errorIn(message)
        if (error !== undefined) errors.push(error)
        if (message.method === "Page.loadEventFired") for (const resolve of loads.splice(0)) resolve()
        return
      }
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.error === undefined) asked?.resolve(message.result)
      else asked?.reject(new Error(message.error.message))
    })
    const send = (method: string, params: object = {}, sessionId?: unknown) => {
      const asked = Promise.withResolvers<unknown>()
      sent += 1
      waiting.set(sent, asked)
      socket.send(
        JSON.stringify({ id: sent, method, params, ...(sessionId === undefined ? {} : { sessionId }) })
      )
      return asked.promise
    }
    const targetId = field(await send("Target.createTarget", { url: "about:blank" }), "targetId")
    const session = field(await send("Target.attachToTarget", { targetId, flatten: true }), "sessionId")
    const page = (method: string, params: object = {}) => send(method, params, session)

    /** The value of an expression on the page, or of its promise. */
    const evaluate = async (expression: string) => {
      const answer = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
      if (isObject(answer) && "exceptionDetails" in answer)
        throw new Error(JSON.stringify(answer.exceptionDetails))
      return field(field(answer, "result"), "value")
    }
    for (const domain of ["Page", "Runtime", "Log"]) await page(`${domain}.enable`)

    /** Goes to a page and waits until it is loaded. */
    const open = async (url: string) => {
      errors.length = 0
      const { errorText } = Object(await page("Page.navigate", { url }))
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`)
      await evaluate(loaded)
    }

    /** Does something by which the page goes to another one, and waits until that is loaded. */
    const going = async (act: () => Promise<unknown>) => {
      const arrived = Promise.withResolvers<void>()
      const timer = setTimeout(() => arrived.reject(new Error("The page went nowhere")), millisecondsToGo)
      loads.push(arrived.resolve)
      await act()
      await arrived.promise
      clearTimeout(timer)
    }

    const press = async (key: Key) => {
      await page("Input.dispatchKeyEvent", { type: "keyDown", ...keys[key] })
      await page("Input.dispatchKeyEvent", { type: "keyUp", ...keys[key] })
    }

    const type = (text: string) => page("Input.insertText", { text })

    /** Keeps what the page looks like in a file. */
    const picture = async (file: string) => {
      const { data } = Object(await page("Page.captureScreenshot", { captureBeyondViewport: true }))
      writeFileSync(file, Buffer.from(String(data), "base64"))
    }

    return { page, evaluate, open, going, press, type, picture, errors, close } as const
  } catch (error) {
    await close()
    throw error
  }
}
