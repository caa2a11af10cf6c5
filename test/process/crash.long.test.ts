/** What holds when a process is killed at any moment: acknowledged writes are kept, and each is notified of once. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { afterAll, expect, it } from "vitest"
import { environment } from "../support/child.ts"
import { freePort } from "./support.ts"

const kills = 10
const writers = 4
const password = "correct horse battery"

const dataDir = mkdtempSync(join(tmpdir(), "forum-crash-"))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const port = await freePort()
const api = `http://127.0.0.1:${port}/api`

const exited = (service: ChildProcess) =>
  service.exitCode === null && service.signalCode === null
    ? new Promise<void>((resolve) => service.once("exit", () => resolve()))
    : Promise.resolve()

const startService = () =>
  spawn(process.execPath, ["src/main.js"], {
    env: { ...environment(), DATA_DIR: dataDir, HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "Error" },
    stdio: ["ignore", "ignore", "inherit"]
  })

const untilServing = async () => {
  for (;;) {
    const answered = await fetch(`${api}/version`).then(
      (answer) => answer.ok,
      () => false
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const send = async (path: string, body: unknown, cookie = "") =>
  await fetch(`${api}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body)
  })

const read = async (path: string, cookie = "") =>
  await (await fetch(`${api}${path}`, { headers: { cookie } })).json()

const identified = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const threadPage = Schema.decodeUnknownSync(
  Schema.Struct({
    replies: Schema.Struct({
      replies: Schema.Array(Schema.Struct({ id: Schema.String })),
      next_page: Schema.optionalKey(Schema.Int)
    })
  })
)
const notificationPage = Schema.decodeUnknownSync(
  Schema.Struct({
    notifications: Schema.Array(Schema.Struct({ id: Schema.String })),
    next_page: Schema.optionalKey(Schema.Int)
  })
)

const signUp = async (identifier: string) => {
  const answer = await send("/auth/password/signup", { identifier, token: password })
  return answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
}

const repliesOf = async (threadId: string) => {
  const replies: Array<{ readonly id: string }> = []
  for (let page: number | undefined = 1; page !== undefined; ) {
    const thread: ReturnType<typeof threadPage> = threadPage(await read(`/threads/${threadId}?page=${page}`))
    replies.push(...thread.replies.replies)
    page = thread.replies.next_page
  }
  return replies.map(({ id }) => id)
}

const countNotifications = async (cookie: string) => {
  const ids = new Set<string>()
  for (let page: number | undefined = 1; page !== undefined; ) {
    const list: ReturnType<typeof notificationPage> = notificationPage(
      await read(`/notifications?page=${page}`, cookie)
    )
    for (const { id } of list.notifications) ids.add(id)
    page = list.next_page
  }
  return ids.size
}

it("keeps every acknowledged reply and notifies of each exactly once, through ten kills", {
  timeout: 240_000
}, async () => {
  let service = startService()
  try {
    await untilServing()
    const author = await signUp("author")
    const writer = await signUp("writer")
    const thread = identified(
      await (await send("/threads", { title: "T", visibility: "published" }, author)).json()
    )

    const acknowledged: Array<string> = []
    let writing = true
    const write = async () => {
      while (writing) {
        const reply = await send(`/threads/${thread.id}/replies`, { body: "still here" }, writer).then(
          async (answer) => (answer.ok ? identified(await answer.json()) : undefined),
          () => undefined
        )
        if (reply === undefined) await new Promise((resolve) => setTimeout(resolve, 25))
        else acknowledged.push(reply.id)
      }
    }
    const written = Promise.all(Array.from({ length: writers }, write))

    for (let kill = 0; kill < kills; kill++) {
      const before = acknowledged.length
      while (acknowledged.length < before + 3 + kill * 2)
        await new Promise((resolve) => setTimeout(resolve, 5))
      service.kill("SIGKILL")
      await exited(service)
      service = startService()
      await untilServing()
    }
    writing = false
    await written

    const kept = await repliesOf(thread.id)
    expect(new Set(kept).size).toBe(kept.length)
    expect(acknowledged.length).toBeGreaterThan(kills * 3)
    expect(kept).toEqual(expect.arrayContaining(acknowledged))

    while ((await countNotifications(author)) < kept.length)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await countNotifications(author)).toBe(kept.length)
  } finally {
    service.kill("SIGTERM")
    await exited(service)
  }
})

it("answers 503 while its database restarts, and recovers by itself", async () => {
  const service = startService()
  try {
    await untilServing()
    const postmaster = Number(
      readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0]
    )
    process.kill(postmaster, "SIGKILL")

    const failures: Array<Response> = []
    for (;;) {
      const answer = await fetch(`${api}/threads`)
      if (answer.ok && failures.length > 0) break
      if (!answer.ok) failures.push(answer)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect([...new Set(failures.map(({ status }) => status))]).toEqual([503])
    expect(failures[0]?.headers.get("retry-after")).toBe("1")
    expect(await failures[0]?.json()).toMatchObject({
      type: "/api/problems/storage-unavailable",
      status: 503
    })
    expect(service.exitCode).toBe(null)
  } finally {
    service.kill("SIGTERM")
    await exited(service)
  }
})
