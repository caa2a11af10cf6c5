/** The community to look at, as a process of its own. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { environment, type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"

const parent = mkdtempSync(join(tmpdir(), "forum-demo-"))
afterAll(() => rmSync(parent, { recursive: true, force: true }))

let service: Service | undefined
const stop = async () => {
  service?.process.kill("SIGTERM")
  const code = await service?.exited
  service = undefined
  return code
}
afterEach(stop)

const quiet = "--disable-warning=ExperimentalWarning"

const startDemo = (directory: string) => {
  // What the environment says of a database is not for the demonstration.
  const settings = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/production" }
  service = startService(settings, [quiet], ["src/operator/main.ts", "demo", "--directory", directory])
  return service.listening()
}

const forumDemo = (...args: ReadonlyArray<string>) => {
  const program = [quiet, "src/operator/main.ts", "demo", ...args]
  return spawnSync(process.execPath, program, { env: { ...environment(), NO_COLOR: "1" }, encoding: "utf8" })
}

const read = async (port: number, path: string, cookie = "") => {
  const answer = await sendTo(port, { path: `/api/${path}`, headers: { cookie } })
  expect(answer.status, `${path}: ${answer.text}`).toBe(200)
  return answer.json
}

describe("forum demo", () => {
  it("makes a community with a past, starts it again as it was left, and removes it", async () => {
    const directory = join(parent, "community")
    const port = await startDemo(directory)
    const errors = service?.errors() ?? ""
    expect(errors).toContain("Sign in as mira")

    expect((await read(port, "profiles")).results).toBe(30)
    const { threads, total_pages } = await read(port, "threads")
    expect(total_pages).toBe(4)
    const ages = threads.map(({ createdAt }: { createdAt: string }) => Date.now() - Date.parse(createdAt))
    expect(Math.min(...ages)).toBeGreaterThan(0)
    expect(Math.max(...ages)).toBeGreaterThan(7 * 86_400_000)
    expect((await read(port, "categories")).categories.length).toBe(5)
    const { events } = await read(port, "events")
    expect(events.length).toBe(5)
    expect(
      events.every(({ participants }: { participants: Array<unknown> }) => participants.length > 2)
    ).toBe(true)
    const tools = await read(port, "nodes/tools/children?children_sort=Price")
    expect(tools.nodes.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual([
      "Multimeter",
      "Bench vice"
    ])
    const [file] = (await read(port, "nodes/safety")).assets
    expect((await sendTo(port, { path: file.path })).text).toContain("a tray for the screws")
    expect((await read(port, "datagraph?q=descaling&kind=node")).items.length).toBeGreaterThan(0)

    const password = /password (\S+)\./.exec(errors)?.[1]
    const signedIn = await sendTo(port, {
      method: "POST",
      path: "/api/auth/password/signin",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier: "mira", token: password })
    })
    expect(signedIn.status, signedIn.text).toBe(200)
    const mira = signedIn.headers["set-cookie"]?.split(";", 1)[0]
    expect((await read(port, "accounts", mira)).admin).toBe(true)
    expect((await read(port, "notifications", mira)).notifications.length).toBeGreaterThan(10)
    expect((await read(port, "reports", mira)).results).toBe(2)
    expect((await read(port, "nodes/drafts", mira)).drafts.length).toBe(1)

    const used = forumDemo("--directory", directory, "--remove")
    expect(used.status, used.stderr).toBe(1)
    expect(used.stderr).toContain("Another service uses")

    expect(await stop()).toBe(0)
    const again = await startDemo(directory)
    expect(service?.errors()).not.toContain("Making")
    expect((await read(again, "threads")).threads[0].id).toBe(threads[0].id)
    await stop()

    const removed = forumDemo("--directory", directory, "--remove")
    expect(removed.status, removed.stderr).toBe(0)
    expect(existsSync(directory)).toBe(false)
  })

  it("removes what was not finished", () => {
    const directory = mkdtempSync(join(parent, "unfinished-"))
    writeFileSync(join(directory, "forum-demo"), "unfinished")
    const removed = forumDemo("--directory", directory, "--remove")
    expect(removed.status, removed.stderr).toBe(0)
    expect(existsSync(directory)).toBe(false)
  })

  it("leaves alone what is no demonstration", () => {
    const directory = mkdtempSync(join(parent, "data-"))
    writeFileSync(join(directory, "postgres.password"), "needed")
    for (const args of [[], ["--remove"]]) {
      const refused = forumDemo("--directory", directory, ...args)
      expect(refused.status, refused.stderr).toBe(1)
      expect(refused.stderr.trim()).toBe(
        `${directory} holds something else than a demonstration. Name another --directory.`
      )
    }
    expect(readFileSync(join(directory, "postgres.password"), "utf8")).toBe("needed")
  })
})
