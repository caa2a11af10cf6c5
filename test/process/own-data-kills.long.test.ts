/** Own data that is collected while its process is killed: somebody else makes it, once, and nothing else is left. */
import { createHash, randomBytes } from "node:crypto"
import { readdirSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { connect, type Session } from "../../src/operator/shared/Session.ts"
import { filesOfZip, path } from "../owndata/support.ts"
import { cookieOf, directory, jsonOf, running } from "./operators.ts"
import { freshDatabase } from "./support.ts"

type Running = Effect.Success<ReturnType<typeof running>>

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await setTimeout(20)
}

/** The files below a directory, by their paths in it. */
const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(root.length + 1))
    .toSorted()

const connected = (url: string) => connect({ url: Redacted.make(url) })

/** Waits until something else waits for what a session holds. */
const untilWaitedFor = async (looking: Session, holding: Session) => {
  const [own] = await holding.rows<{ pid: number }>("select pg_backend_pid() as pid")
  await until(async () => {
    const [found] = await looking.rows<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and $1 = any(pg_blocking_pids(pid))`,
      [own?.pid]
    )
    return (found?.waiting ?? 0) > 0
  })
}

/** How often it was taken, and whether it has an archive or belongs to who took it. */
const rowOf = async (session: Session) => {
  const [row] = await session.rows<{ turn: number; key: string | null; belongs: boolean }>(
    "select turn, key, next_at > now() + interval '1 minute' as belongs from own_data_exports"
  )
  return row
}

const kill = async ({ service }: Running) => {
  service.process.kill("SIGKILL")
  await service.exited
}

/** Somebody with a large file who asks for their own data. `holdArchive` runs before they ask. */
const asked = async ({ address, send }: Running, holdArchive: () => Promise<void>) => {
  const entered = await send(
    "/auth/password/signup",
    {},
    { identifier: "odin", token: "correct horse battery" }
  )
  const cookie = { cookie: cookieOf(entered.answer) }
  const file = randomBytes(3_000_000)
  const uploaded = await fetch(`${address}/assets`, { method: "POST", headers: cookie, body: file })
  assert.strictEqual(uploaded.status, 200)
  const asset = await jsonOf(uploaded)
  await holdArchive()
  const { answer } = await send("/accounts/self/export", cookie, {})
  assert.strictEqual(answer.status, 200)
  return { asset, cookie, file }
}

type Asked = Awaited<ReturnType<typeof asked>>

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Downloads the archive, which has to be whole. */
const downloaded = async ({ address, send }: Running, { cookie, file }: Asked) => {
  await until(async () => (await send("/accounts/self/export", cookie)).json.state === "ready")
  const answer = await fetch(`${address}${path}/archive`, { headers: cookie })
  assert.strictEqual(answer.status, 200)
  const zip = Buffer.from(await answer.arrayBuffer())
  const { size } = (await send("/accounts/self/export", cookie)).json
  assert.strictEqual(zip.length, size)
  const files = await Effect.runPromise(filesOfZip(zip))
  const { files: counted, missing_files, parts } = JSON.parse(String(files.get("contents.json")))
  assert.deepStrictEqual([counted, missing_files], [{ number: 1, bytes: file.length }, 0])
  assert.isTrue(files.get(`files/${sha256Of(file)}`)?.equals(file))
  for (const { bytes, name, sha256 } of parts) {
    const part = files.get(name) ?? Buffer.alloc(0)
    assert.deepStrictEqual([part.length, sha256Of(part)], [bytes, sha256], name)
  }
  assert.strictEqual(files.size, parts.length + 3)
}

/** The owner is told once, and DATA_DIR has the archive beside what it had. */
const assertOnce = async (
  { send }: Running,
  { cookie }: Asked,
  { before, dataDir, looking }: { before: ReadonlyArray<string>; dataDir: string; looking: Session }
) => {
  const told = async () =>
    (await send("/notifications", cookie)).json.notifications.filter(
      ({ event }: { event: string }) => event === "account_export_ready"
    )
  await until(async () => (await told()).length > 0)
  const row = await rowOf(looking)
  const expected = [...before, join("assets", "files", row?.key ?? "")].toSorted()
  await until(() => filesIn(dataDir).length <= expected.length)
  assert.deepStrictEqual(filesIn(dataDir), expected)
  assert.deepStrictEqual(await looking.rows("select id from asset_uploads"), [])
  const events = `select count(*)::int as n from event_log where event ->> '_tag' = 'AccountExportReady'`
  assert.deepStrictEqual(await looking.rows(events), [{ n: 1 }])
  assert.lengthOf(await told(), 1)
}

// By then it belongs to nobody who is still there, and what they have left is old.
const letHoursPass = async (session: Session, arriving: ReadonlyArray<string>) => {
  await session.run(
    "update own_data_exports set next_at = next_at - interval '3 minutes'",
    "update asset_uploads set started_at = started_at - interval '3 hours'"
  )
  const old = new Date(Date.now() - 3 * 60 * 60 * 1000)
  for (const path of arriving) utimesSync(path, old, old)
}

const held = "lock table reacts in access exclusive mode"

describe("own data whose process is killed", () => {
  it.live("while it is read, and once its bytes are stored, is made once by one of those that are left", () =>
    Effect.gen(function* () {
      const [url, dataDir] = yield* Effect.all([Effect.promise(freshDatabase), directory])
      const settings = { DATABASE_URL: url, DATA_DIR: dataDir }
      const incoming = join(dataDir, "assets", "incoming")
      const files = join(dataDir, "assets", "files")
      const [looking, reading, storing] = yield* Effect.all([connected(url), connected(url), connected(url)])
      const before: Array<string> = []

      const first = yield* running(settings)
      const asking = yield* Effect.promise(async () => {
        const found = await asked(first, async () => {
          before.push(...filesIn(dataDir))
          // What it reads after the files of the account.
          await reading.begin()
          await reading.run(held)
        })
        await untilWaitedFor(looking, reading)
        const [name = ""] = readdirSync(incoming)
        const arriving = join(incoming, name)
        await until(() => statSync(arriving).size > 2_500_000)
        await kill(first)
        assert.deepStrictEqual(await rowOf(looking), { turn: 1, key: null, belongs: true })
        await letHoursPass(looking, [arriving])
        return found
      })

      const second = yield* running(settings)
      yield* Effect.promise(async () => {
        await until(async () => (await rowOf(looking))?.turn === 2)
        await untilWaitedFor(looking, reading)
        await storing.begin()
        await storing.run("select from own_data_exports for update")
        await reading.run("rollback")
        // Its bytes have their place, and where that is cannot be said yet.
        await until(() => readdirSync(files).length === 2)
        await untilWaitedFor(looking, storing)
        await kill(second)
        await storing.run("rollback")
        assert.deepStrictEqual(await rowOf(looking), { turn: 2, key: null, belongs: true })
        await letHoursPass(looking, [])
      })

      const others = yield* Effect.all([running(settings), running(settings)], { concurrency: 2 })
      yield* Effect.promise(async () => {
        for (const other of others) await downloaded(other, asking)
        assert.strictEqual((await rowOf(looking))?.turn, 3)
        for (const other of others) await assertOnce(other, asking, { before, dataDir, looking })
      })
    }).pipe(Effect.scoped)
  )
})
