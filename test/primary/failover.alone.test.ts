/** The service goes on at the server that is promoted, wherever the one before has gone. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterAll, assert, beforeAll, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import { type Machine, type Pair, startPair } from "../support/replicas.ts"

/** From the end of the promotion until something is written, in milliseconds. */
const resumedWithin = 5000

const dataDir = mkdtempSync(join(tmpdir(), "forum-failover-"))
let pair: Pair
let service: Service
let address: string
let cookie: string

const call = (method: string, path: string, body?: unknown) =>
  fetch(`${address}/api${path}`, {
    method,
    headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000)
  })

const openThread = (title: string) => call("POST", "/threads", { title, visibility: "published" })

const titles = async () => {
  const answer = await call("GET", "/threads")
  const { threads } = (await answer.json()) as { readonly threads: ReadonlyArray<{ readonly title: string }> }
  return threads.map(({ title }) => title)
}

/** Writes until something is written. Answers how long that took. */
const untilWritten = async (title: string) => {
  const begun = performance.now()
  for (;;) {
    const { status } = await openThread(title)
    if (status === 200) return performance.now() - begun
    assert.strictEqual(status, 503)
    await setTimeout(20)
  }
}

const promote = async (machine: Machine) => {
  await machine.rows("select pg_promote()")
  return performance.now()
}

beforeAll(async () => {
  pair = await startPair()
  service = startService({ DATABASE_URL: pair.url, DATA_DIR: dataDir })
  address = `http://127.0.0.1:${await service.listening()}`
  const answer = await call("POST", "/auth/password/signup", { identifier: "odin", token: "a long password" })
  cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  assert.strictEqual((await openThread("Before")).status, 200)
}, 120_000)

afterAll(async () => {
  service?.process.kill("SIGKILL")
  await pair?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

it("a primary that is lost is followed by its standby", { timeout: 120_000 }, async () => {
  await pair.one.lose()
  const answer = await openThread("Between")
  assert.strictEqual(answer.status, 503)
  assert.isNotNull(answer.headers.get("retry-after"))
  await promote(pair.other)
  assert.isBelow(await untilWritten("After"), resumedWithin)
  assert.deepStrictEqual(await titles(), ["After", "Before"])
  await pair.rejoin(pair.one)
})

it("a primary that answers nothing any more keeps no connection busy", { timeout: 120_000 }, async () => {
  pair.other.freeze()
  await setTimeout(100)
  await promote(pair.one)
  assert.isBelow(await untilWritten("Thawed"), resumedWithin)
  assert.include(await titles(), "Thawed")
  // It takes itself for the primary again, and nobody goes back to it.
  pair.other.thaw()
  await setTimeout(1500)
  assert.strictEqual((await openThread("Stayed")).status, 200)
  assert.include(await titles(), "Thawed")
  await pair.other.lose()
  await pair.rejoin(pair.other)
})

it("what no standby has confirmed is not acknowledged, and reads go on", { timeout: 120_000 }, async () => {
  pair.other.freeze()
  const pending = openThread("Confirmed")
  const first = await Promise.race([pending, setTimeout(3000)])
  const seen = await titles()
  pair.other.thaw()
  assert.isUndefined(first)
  assert.notInclude(seen, "Confirmed")
  assert.strictEqual((await pending).status, 200)
  assert.include(await titles(), "Confirmed")
})

it("a primary that was demoted refuses with 503, and the other is found", { timeout: 120_000 }, async () => {
  // The service knows the first one as primary, and asks once a second.
  await pair.one.stop()
  await promote(pair.other)
  await pair.rejoin(pair.one)
  assert.isBelow(await untilWritten("Demoted"), resumedWithin)
})
