/** What requests leave in memory: V8 frees it with the other young objects, without a full collection (docs/performance.md). */
import { Agent, get } from "node:http"
import { afterAll, assert, it } from "vitest"
import { compilingAll, type Service, startFlags, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const threads = 50
const readers = 16
const warmUp = 3000
const reads = 6000

let service: Service | undefined
const agent = new Agent({ keepAlive: true, maxSockets: readers })
afterAll(() => {
  agent.destroy()
  service?.process.kill("SIGKILL")
})

it("full collections are rare while a list is read again and again", async () => {
  const running = startService({ DATABASE_URL: await freshDatabase(), ...compilingAll }, [
    ...startFlags,
    "--trace-gc"
  ])
  service = running
  const port = await running.listening()
  const headers = { "content-type": "application/json" }
  const pair = JSON.stringify({ identifier: "odin", token: "correct horse battery" })
  const signUp = { method: "POST", path: "/api/auth/password/signup", headers, body: pair }
  const cookie = (await sendTo(port, signUp)).headers["set-cookie"]?.split(";", 1)[0] ?? ""
  for (let n = 0; n < threads; n++) {
    const body = JSON.stringify({
      title: `Thread ${n}`,
      body: `<p>${"text ".repeat(300)}</p>`,
      visibility: "published"
    })
    const path = "/api/threads"
    const { status, text } = await sendTo(port, {
      method: "POST",
      path,
      headers: { ...headers, cookie },
      body
    })
    assert.strictEqual(status, 200, text)
  }

  let bytes = 0
  const read = () =>
    new Promise<void>((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/api/threads", agent }, (answer) => {
        answer.on("data", (chunk) => {
          bytes += chunk.length
        })
        answer.on("end", () => (answer.statusCode === 200 ? resolve() : reject(answer.statusCode)))
      }).on("error", reject)
    })
  const readAll = async (count: number) => {
    let begun = 0
    const reader = async () => {
      while (begun++ < count) await read()
    }
    await Promise.all(Array.from({ length: readers }, reader))
  }
  const collections = () => running.lines.filter((line) => line.includes("Mark-Compact")).length

  await readAll(warmUp)
  const before = collections()
  bytes = 0
  await readAll(reads)
  // V8 starts a full collection for every 64 MB of answers that it cannot free otherwise.
  const expected = bytes / 64e6
  assert.isAbove(expected, 4)
  assert.isBelow(collections() - before, expected / 2)
})
