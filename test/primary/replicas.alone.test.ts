/** What is read comes from a replica as long as it is there, not late, and has what the reader wrote. */
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

type Person = "odin" | "freya"
const cookies = new Map<Person, string>()

const call = (path: string, options: RequestInit = {}) =>
  fetch(`${address}/api${path}`, { ...options, signal: AbortSignal.timeout(60_000) })

const as = (person: Person, method: string, path: string, body?: object) => {
  const cookie = cookies.get(person)
  return call(path, {
    method,
    headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
}

const signUp = async (person: Person) => {
  const answer = await as(person, "POST", "/auth/password/signup", {
    identifier: person,
    token: "a long password"
  })
  cookies.set(person, answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "")
}

const openThread = async (person: Person, title: string) => {
  const answer = await as(person, "POST", "/threads", { title, visibility: "published" })
  assert.strictEqual(answer.status, 200)
  const { slug } = (await answer.json()) as { readonly slug: string }
  return `/threads/${slug}`
}

const titlesIn = async (answer: Response) => {
  assert.strictEqual(answer.status, 200, service.lines.slice(-10).join("\n"))
  const { threads } = (await answer.json()) as { readonly threads: ReadonlyArray<{ readonly title: string }> }
  return threads.map(({ title }) => title)
}
const shownToGuests = async () => titlesIn(await call("/threads"))
const shownTo = async (person: Person) => titlesIn(await as(person, "GET", "/threads"))

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
  await signUp("odin")
  await signUp("freya")
  // Accounts that are so new read what is written.
  await pair.one.rows("update accounts set created_at = created_at - interval '1 minute'")
  await openThread("odin", "Before")
  await untilSaid(isRead)
  await untilShown("Before")
}, 120_000)

afterAll(async () => {
  service?.process.kill("SIGKILL")
  await pair?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Does something while the replica shows what it has now; it may do so for five seconds. */
const whilePaused = async (work: () => Promise<void>) => {
  await pair.other.rows("select pg_wal_replay_pause()")
  await work()
  await pair.other.rows("select pg_wal_replay_resume()")
}

const statusOf = async (person: Person, path: string) => (await as(person, "GET", path)).status

it("shows accounts what they wrote, and others what it has", { timeout: 120_000 }, async () => {
  await whilePaused(async () => {
    const paused = await openThread("odin", "First")
    assert.deepStrictEqual(await shownTo("odin"), ["First", "Before"])
    assert.strictEqual(await statusOf("odin", paused), 200)
    assert.deepStrictEqual(await shownTo("freya"), ["Before"])
    assert.strictEqual(await statusOf("freya", paused), 404)
    assert.deepStrictEqual(await shownToGuests(), ["Before"])
    assert.deepStrictEqual(await titlesIn(await call("/threads?q=First")), [])
    // A credential that is none is looked for where the account would be.
    const stranger = await call("/threads", { headers: { authorization: "Bearer nobody" } })
    assert.deepStrictEqual(await titlesIn(stranger), ["First", "Before"])
  })
  await untilShown("First")
})

it("is not read by who has just written, or is new", { timeout: 120_000 }, async () => {
  await whilePaused(async () => {
    await openThread("freya", "Second")
    const all = ["Second", "First", "Before"]
    assert.deepStrictEqual(await shownTo("freya"), all)
    await pair.one.rows("update account_writes set written_at = written_at - interval '1 minute'")
    assert.deepStrictEqual(await shownTo("freya"), all.slice(1))
    await pair.one.rows("update accounts set created_at = now() where handle = 'freya'")
    assert.deepStrictEqual(await shownTo("freya"), all)
    assert.deepStrictEqual(await shownToGuests(), all.slice(1))
  })
  await pair.one.rows("update accounts set created_at = created_at - interval '1 minute'")
  await untilShown("Second")
})

it("is read again once it has what somebody wrote", { timeout: 120_000 }, async () => {
  const placeSeen = "select count(*)::int as writes from account_writes"
  await openThread("freya", "Third")
  await untilShown("Third")
  assert.deepStrictEqual(await pair.other.rows(placeSeen), [{ writes: 2 }])
  // It is asked once a second how far it is.
  await setTimeout(2500)
  await whilePaused(async () => {
    await openThread("odin", "Fourth")
    assert.deepStrictEqual((await shownTo("freya"))[0], "Third")
    assert.deepStrictEqual((await shownTo("odin"))[0], "Fourth")
  })
  await untilShown("Fourth")
})

it("is all that is asked for what an account reads", { timeout: 120_000 }, async () => {
  const thread = await openThread("odin", "Fifth")
  await untilShown("Fifth")
  await pair.one.rows("update account_writes set written_at = written_at - interval '1 minute'")
  await whilePaused(async () => {
    // Whatever reads threads of the primary waits for this.
    const locked = pair.one.rows(
      "do $$ begin lock table threads, posts in access exclusive mode; perform pg_sleep(3); end $$"
    )
    const locks = "select count(*)::int as n from pg_locks where mode = 'AccessExclusiveLock' and granted"
    while ((await pair.one.rows(locks))[0]?.n === 0) await setTimeout(20)
    const begun = performance.now()
    assert.strictEqual(await statusOf("freya", thread), 200)
    assert.strictEqual((await shownTo("freya"))[0], "Fifth")
    assert.isBelow(performance.now() - begun, 2000)
    await locked
  })
  await untilShown("Fifth")
})

it("does not say what somebody may", { timeout: 120_000 }, async () => {
  await whilePaused(async () => {
    assert.strictEqual((await as("odin", "POST", "/admin/bans/freya")).status, 200)
    assert.strictEqual(await statusOf("freya", "/threads"), 403)
  })
})

it("is not read when it is late", { timeout: 120_000 }, async () => {
  await pair.other.rows("select pg_wal_replay_pause()")
  await openThread("odin", "Late")
  const late = await untilShown("Late")
  assert.isBelow(late, 8000)
  await untilSaid(/is not read for the time being: it is more than 5s late/)
  const before = timesSaid(isRead)
  await pair.other.rows("select pg_wal_replay_resume()")
  await untilSaid(isRead, before)
})

const titles = ["Late", "Fifth", "Fourth", "Third", "Second", "First", "Before"]

it("is read by guests while the primary is away", { timeout: 120_000 }, async () => {
  await pair.one.lose()
  const answer = await as("odin", "POST", "/threads", { title: "Between", visibility: "published" })
  assert.strictEqual(answer.status, 503)
  for (let n = 0; n < 20; n++) {
    assert.deepStrictEqual(await shownToGuests(), titles)
    await setTimeout(50)
  }
  await pair.other.rows("select pg_promote()")
  await untilSaid(/is not read for the time being: it is no standby/)
  assert.deepStrictEqual(await shownToGuests(), titles)
})

it("is replaced by the primary where it does not answer", { timeout: 120_000 }, async () => {
  await pair.rejoin(pair.one)
  const before = timesSaid(isRead)
  // It is the replica again.
  await pair.other.lose()
  await pair.one.rows("select pg_promote()")
  await pair.rejoin(pair.other)
  await untilSaid(isRead, before)
  pair.other.freeze()
  const begun = performance.now()
  assert.deepStrictEqual(await shownToGuests(), titles)
  assert.isBelow(performance.now() - begun, 5000)
  pair.other.thaw()
})
