/** Guests read a replica as long as it is there and not late, and all others what is written. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import { type Pair, startPair } from "../support/replicas.ts"

const dataDir = mkdtempSync(join(tmpdir(), "forum-replicas-"))
let pair: Pair
let service: Service
let address: string
let cookie: string | undefined

const call = (path: string, options: RequestInit = {}) =>
  fetch(`${address}/api${path}`, { ...options, signal: AbortSignal.timeout(60_000) })

const asOdin = (method: string, path: string, body?: object) =>
  call(path, {
    method,
    headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const openThread = async (title: string) => {
  const { status } = await asOdin("POST", "/threads", { title, visibility: "published" })
  assert.strictEqual(status, 200)
}

const titlesIn = async (answer: Response) => {
  assert.strictEqual(answer.status, 200)
  const { threads } = (await answer.json()) as { readonly threads: ReadonlyArray<{ readonly title: string }> }
  return threads.map(({ title }) => title)
}
const shownToGuests = async () => titlesIn(await call("/threads"))
const shownToOdin = async () => titlesIn(await asOdin("GET", "/threads"))

/** Waits until guests are shown a thread, and answers how long that took in milliseconds. */
const untilShown = async (title: string) => {
  const begun = performance.now()
  while (!(await shownToGuests()).includes(title)) await setTimeout(20)
  return performance.now() - begun
}

/** Waits until the service has said so once more than `before`. */
const untilSaid = async (what: RegExp, before = 0) => {
  while (service.lines.filter((line) => what.test(line)).length <= before) await setTimeout(20)
}
const isRead = /The replica .* is read/
const timesSaid = (what: RegExp) => service.lines.filter((line) => what.test(line)).length

beforeAll(async () => {
  pair = await startPair()
  service = startService({
    DATABASE_URL: pair.url,
    DATABASE_REPLICA_URLS: pair.other.url(),
    DATA_DIR: dataDir,
    LOG_LEVEL: "Info"
  })
  address = `http://127.0.0.1:${await service.listening()}`
  const answer = await asOdin("POST", "/auth/password/signup", {
    identifier: "odin",
    token: "a long password"
  })
  cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0]
  await openThread("Before")
  await untilSaid(isRead)
  await untilShown("Before")
}, 120_000)

afterAll(async () => {
  service?.process.kill("SIGKILL")
  await pair?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

it("guests are shown what a replica has, accounts what they wrote", { timeout: 120_000 }, async () => {
  await pair.other.rows("select pg_wal_replay_pause()")
  await openThread("Paused")
  assert.deepStrictEqual(await shownToOdin(), ["Paused", "Before"])
  assert.deepStrictEqual(await shownToGuests(), ["Before"])
  const thread = await call("/threads?q=Paused")
  assert.deepStrictEqual(await titlesIn(thread), [])
  // A credential that is none is looked for where the account would be.
  const stranger = await call("/threads", { headers: { authorization: "Bearer nobody" } })
  assert.deepStrictEqual(await titlesIn(stranger), ["Paused", "Before"])
})

it("a replica that is late is not read", { timeout: 120_000 }, async () => {
  const late = await untilShown("Paused")
  assert.isBelow(late, 8000)
  await untilSaid(/is not read for the time being: it is more than 5s late/)
  const before = timesSaid(isRead)
  await pair.other.rows("select pg_wal_replay_resume()")
  await untilSaid(isRead, before)
})

it("guests read on while the primary is away", { timeout: 120_000 }, async () => {
  await pair.one.lose()
  const answer = await asOdin("POST", "/threads", { title: "Between", visibility: "published" })
  assert.strictEqual(answer.status, 503)
  for (let n = 0; n < 20; n++) {
    assert.deepStrictEqual(await shownToGuests(), ["Paused", "Before"])
    await setTimeout(50)
  }
  await pair.other.rows("select pg_promote()")
  await untilSaid(/is not read for the time being: it is no standby/)
  assert.deepStrictEqual(await shownToGuests(), ["Paused", "Before"])
})

it("what a replica does not answer, the primary does", { timeout: 120_000 }, async () => {
  await pair.rejoin(pair.one)
  const before = timesSaid(isRead)
  // It is the replica again.
  await pair.other.lose()
  await pair.one.rows("select pg_promote()")
  await pair.rejoin(pair.other)
  await untilSaid(isRead, before)
  pair.other.freeze()
  const begun = performance.now()
  assert.deepStrictEqual(await shownToGuests(), ["Paused", "Before"])
  assert.isBelow(performance.now() - begun, 5000)
  pair.other.thaw()
})
