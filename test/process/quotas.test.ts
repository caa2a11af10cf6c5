/** The settings that limit uploads, in a service of its own. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const mebibyte = 1024 * 1024

const services: Array<Service> = []
const directories: Array<string> = []
afterAll(async () => {
  for (const service of services) {
    service.process.kill("SIGKILL")
    await service.exited
  }
  for (const directory of directories) await rm(directory, { recursive: true, force: true })
})

/** A service with these settings, for clients that are behind a proxy. */
const start = async (settings: Readonly<Record<string, string>>) => {
  const directory = await mkdtemp(join(tmpdir(), "forum-quotas-"))
  directories.push(directory)
  const service = startService({
    DATABASE_URL: await freshDatabase(),
    DATA_DIR: directory,
    TRUSTED_PROXIES: "127.0.0.0/8",
    RATE_LIMIT_EXEMPT: "127.0.0.0/8, 203.0.113.0/24",
    ...settings
  })
  services.push(service)
  const port = await service.listening()

  /** Signs somebody up who uploads files of a mebibyte from one address: the statuses, and what the last says. */
  const uploads = async (handle: string, address: string, count: number) => {
    const signedUp = await sendTo(port, {
      method: "POST",
      path: "/api/auth/password/signup",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier: handle, token: "correct horse battery" })
    })
    const cookie = /forum-session=[^;]+/.exec(signedUp.headers["set-cookie"] ?? "")?.[0] ?? ""
    const answers = []
    for (let n = 0; n < count; n++) {
      answers.push(
        await sendTo(port, {
          method: "POST",
          path: "/api/assets",
          headers: { cookie, "x-forwarded-for": address },
          body: "x".repeat(mebibyte)
        })
      )
    }
    const { maximum, quota } = JSON.parse(answers.at(-1)?.text ?? "").metadata ?? {}
    return [...answers.map(({ status }) => status), quota, maximum]
  }

  return { port, uploads }
}

it("a service holds uploads to the quotas that its settings say", async () => {
  const { uploads } = await start({
    UPLOAD_MEGABYTES_PER_DAY: "4",
    UPLOAD_MEGABYTES_FIRST_DAY: "1",
    UPLOAD_MEGABYTES_PER_DAY_NETWORK: "6",
    UPLOAD_MEGABYTES_PER_DAY_INSTANCE: "7"
  })
  const [near, far] = ["203.0.113.1", "203.0.113.2"]
  const refused = 429
  // The first account is the administrator.
  const first = await uploads("odin", near, 5)
  assert.deepStrictEqual(first, [200, 200, 200, 200, refused, "account", 4 * mebibyte])
  assert.deepStrictEqual(await uploads("freya", near, 2), [200, refused, "first_day", mebibyte])
  assert.deepStrictEqual(await uploads("loki", near, 1), [200, undefined, undefined])
  assert.deepStrictEqual(await uploads("tyr", near, 1), [refused, "network", 6 * mebibyte])
  assert.deepStrictEqual(await uploads("thor", far, 1), [200, undefined, undefined])
  assert.deepStrictEqual(await uploads("sif", far, 1), [refused, "instance", 7 * mebibyte])
})

it("a service takes no files where the disk has less than its settings keep of it", async () => {
  const { port, uploads } = await start({ DISK_RESERVE_MEGABYTES: "100000000" })
  assert.deepStrictEqual(await uploads("odin", "203.0.113.1", 1), [507, undefined, undefined])
  const ready = await sendTo(port, { path: "/readyz" })
  assert.strictEqual(ready.status, 200)
  const { disk_free_bytes: free, ...details } = JSON.parse(ready.text)
  assert.deepStrictEqual(details, {
    uploads: "refused",
    reason: "storage-full",
    disk_reserve_bytes: 100_000_000 * mebibyte
  })
  assert.isAbove(free, 0)
})
