/** The first request of each kind makes what later ones use. It does not keep the others waiting meanwhile. */
import { once } from "node:events"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { compilingAll, type Service, startFlags, startService } from "../support/child.ts"
import { type RawRequest, sendTo } from "../support/raw.ts"
import { slowness } from "../support/slowness.ts"
import { freshDatabase } from "./support.ts"

/** In milliseconds. */
const turnMax = 50

const assertShort = (turn: number) => assert.isBelow(turn, turnMax * slowness())

let service: Service
let port: number
let cookie: string

const printed = /^longest turn: (.*)$/

/** The longest turn of its event loop since it was last asked. */
const longestTurn = async () => {
  const { length } = service.lines
  service.process.kill("SIGUSR2")
  for (;;) {
    const found = service.lines.slice(length).flatMap((line) => printed.exec(line)?.[1] ?? [])
    if (found.length > 0) return Number(found[0])
    await once(service.process.stdout ?? service.process, "data")
  }
}

const json = { "content-type": "application/json" }

beforeAll(async () => {
  service = startService({ DATABASE_URL: await freshDatabase(), ...compilingAll }, [
    ...startFlags,
    "--import",
    new URL("./turns.ts", import.meta.url).href
  ])
  port = await service.listening()
  await longestTurn()
})
afterAll(() => service.process.kill("SIGKILL"))

const account = JSON.stringify({ identifier: "odin", token: "correct horse battery" })

const signUp = async () => {
  const answer = await sendTo(port, {
    method: "POST",
    path: "/api/auth/password/signup",
    headers: json,
    body: account
  })
  cookie = answer.headers["set-cookie"]?.split(";", 1)[0] ?? ""
  return answer.status
}

const write = (path: string, body: object): RawRequest => ({
  method: "POST",
  path: `/api${path}`,
  headers: { ...json, cookie },
  body: JSON.stringify(body)
})

const read = (path: string, accept = "*/*"): RawRequest => ({
  path: `/api${path}`,
  headers: { cookie, accept }
})

// Nobody has signed it, which is found out as with any other.
const token = [{ alg: "RS256", kid: "0000000000000000" }, {}, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".")

const published = { visibility: "published" }

describe(`no turn of the event loop takes more than ${turnMax} ms with the first`, () => {
  const firsts: ReadonlyArray<readonly [string, () => RawRequest]> = [
    ["sign-in", () => write("/auth/password/signin", JSON.parse(account))],
    ["short text", () => write("/threads", { title: "One", body: "<p>One.</p>", ...published })],
    ["long text", () => write("/threads", { title: "Two", body: "<p>a</p>".repeat(40_000), ...published })],
    ["list of threads", () => read("/threads")],
    ["search", () => read("/threads?q=word")],
    ["page of the library", () => write("/nodes", { name: "Page", content: "<p>Text.</p>", ...published })],
    ["link", () => write("/links", { url: "http://127.0.0.1/" })],
    ["access token", () => ({ path: "/api/session", headers: { authorization: `Bearer ${token}` } })],
    ["passkey", () => read("/auth/webauthn/make/freya")],
    ["avatar", () => read("/accounts/odin/avatar")],
    ["icon", () => read("/info/icon/512x512")],
    ["banner", () => read("/info/banner")],
    ["file", () => ({ ...write("/assets", {}), headers: { cookie }, body: "plain text" })],
    ["settings", () => read("/admin")],
    ["list of problems", () => read("/problems", "text/html")],
    ["description", () => read("/openapi.json")],
    ["reference", () => read("/docs")]
  ]

  it("sign-up", async () => {
    assert.strictEqual(await signUp(), 200)
    assertShort(await longestTurn())
  })

  for (const [what, request] of firsts) {
    it(what, async () => {
      const { status, text } = await sendTo(port, request())
      assert.strictEqual(status, 200, text)
      assertShort(await longestTurn())
    })
  }
})
