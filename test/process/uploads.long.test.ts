/** What uploads take of a service in its own process: memory, and what a crash leaves. */
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, readdir, rm, utimes } from "node:fs/promises"
import { type ClientRequest, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { type Service, startFlags, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const mebibyte = 1024 * 1024

const uploads = 10
const size = 45 * mebibyte

describe("uploads", () => {
  let service: Service
  let port: number
  let directory: string
  let DATABASE_URL: string
  let cookie: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "forum-uploads-"))
    DATABASE_URL = await freshDatabase()
    service = startService({ DATABASE_URL, DATA_DIR: directory }, startFlags)
    port = await service.listening()
    const answer = await sendTo(port, {
      method: "POST",
      path: "/api/auth/password/signup",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier: "odin", token: "correct horse battery" })
    })
    cookie = /forum-session=[^;]+/.exec(answer.headers["set-cookie"] ?? "")?.[0] ?? ""
  })
  afterAll(async () => {
    service.process.kill("SIGKILL")
    await service.exited
    await rm(directory, { recursive: true, force: true })
  })

  const begin = (length: number) =>
    request({
      host: "127.0.0.1",
      port,
      path: "/api/assets",
      method: "POST",
      agent: false,
      headers: { cookie, "content-length": length }
    })

  const answerTo = (sent: ClientRequest) =>
    new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
      sent.on("error", reject)
      sent.on("response", (message) =>
        text(message).then((text) => resolve({ status: message.statusCode, text }), reject)
      )
    })

  const write = (sent: ClientRequest, part: Buffer) =>
    new Promise<void>((resolve) => {
      sent.write(part, () => resolve())
    })

  const uploadOnce = async (length: number) => {
    const sent = begin(length)
    const answer = answerTo(sent)
    const part = Buffer.alloc(mebibyte, "x")
    for (let done = 0; done < length; done += mebibyte) await write(sent, part)
    sent.end()
    return answer
  }

  /** In bytes: the most that it ever was, and what it is. */
  const memory = (field: "VmHWM" | "VmRSS") => {
    const status = readFileSync(`/proc/${service.process.pid}/status`, "utf8")
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
  }

  it.runIf(existsSync("/proc/self/status"))(
    "let the service grow by less than 60 MB, ten of 45 MiB at a time",
    async () => {
      // What a first request loads is not what uploads take.
      const first = await uploadOnce(mebibyte)
      assert.strictEqual(first.status, 200, first.text)
      const before = memory("VmRSS")
      const answers = await Promise.all(Array.from({ length: uploads }, () => uploadOnce(size)))
      for (const { status, text } of answers) assert.strictEqual(status, 200, text)
      assert.isBelow(memory("VmHWM") - before, 60e6)
    }
  )

  it("that end with the service leave what the next start removes when it is old", async () => {
    const incoming = join(directory, "assets", "incoming")
    const sent = begin(10 * mebibyte)
    sent.on("error", () => {})
    await write(sent, Buffer.alloc(2 * mebibyte))
    while ((await readdir(incoming)).length === 0) await setTimeout(5)
    service.process.kill("SIGKILL")
    await service.exited
    const [left] = await readdir(incoming)
    assert.isDefined(left)
    await utimes(join(incoming, left ?? ""), 0, 0)
    service = startService({ DATABASE_URL, DATA_DIR: directory }, startFlags)
    port = await service.listening()
    while ((await readdir(incoming)).length > 0) await setTimeout(5)
  })
})
