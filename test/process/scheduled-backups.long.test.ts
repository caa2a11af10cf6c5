/** Backups that a service makes by its settings, and what is left of one that is ended half-way. */
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { connect } from "../../src/operator/shared/Session.ts"
import { begin, cookieOf, directory, forum, running } from "./operators.ts"
import { freshDatabase } from "./support.ts"

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await setTimeout(20)
}

/** Holds what removes files, so that each backup of a database waits in its middle until the scope closes. */
const holdBackups = Effect.fnUntraced(function* (url: string) {
  const session = yield* connect({ url: Redacted.make(url) })
  yield* Effect.promise(() => session.begin())
  yield* Effect.promise(() => session.run("select pg_advisory_xact_lock(731620090, 0)"))
  const waiting = `select count(*)::int as waiting from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and l.locktype = 'advisory' and l.classid = 731620090 and not l.granted`
  const numberWaiting = async () => (await session.rows<{ waiting: number }>(waiting))[0]?.waiting ?? 0
  return { untilWaiting: () => until(async () => (await numberWaiting()) > 0) }
})

const backupsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith(".tar.zst"))

describe("a backup that is ended half-way", () => {
  it.live.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s leaves nothing", (signal) =>
    Effect.gen(function* () {
      const [url, one, made] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      const settings = { DATABASE_URL: url, DATA_DIR: one, DISK_RESERVE_MEGABYTES: "0" }
      const { untilWaiting } = yield* holdBackups(url)
      // As people and timers run it: one program that starts another.
      const { child, ended } = begin(settings, ["backup", "--keep", "2", made], {
        program: "src/operator/forum.js"
      })
      yield* Effect.promise(untilWaiting)
      assert.match(
        readdirSync(made).join(),
        /^localhost_8000-\d{8}T\d{6}Z\.tar\.zst\.[0-9a-f]{12}\.unfinished$/
      )
      child.kill(signal)
      assert.notStrictEqual(yield* Effect.promise(() => ended), 0)
      assert.deepStrictEqual(readdirSync(made), [])
    })
  )

  it.live("by the stop of the service leaves nothing, and the next start makes it up", () =>
    Effect.gen(function* () {
      const [url, one, made] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      const settings = {
        DATABASE_URL: url,
        DATA_DIR: one,
        DISK_RESERVE_MEGABYTES: "0",
        BACKUP_DIR: made,
        BACKUP_EVERY: "24h",
        BACKUP_KEEP: "2"
      }
      yield* Effect.gen(function* () {
        const { untilWaiting } = yield* holdBackups(url)
        const { exited, stop } = yield* running(settings)
        yield* Effect.promise(untilWaiting)
        stop()
        assert.strictEqual(yield* Effect.promise(() => exited), 0)
        assert.deepStrictEqual(readdirSync(made), [])
      }).pipe(Effect.scoped)

      const { service } = yield* running(settings)
      yield* Effect.promise(() => until(() => service.lines.some((line) => line.includes("It takes"))))
      const [name = ""] = backupsIn(made)
      assert.match(name, /^localhost_\d+-\d{8}T\d{6}Z\.tar\.zst$/)
      const checked = yield* forum(settings, "restore", "--check", join(made, name))
      assert.strictEqual(checked.code, 0, checked.errors)
    }).pipe(Effect.scoped)
  )
})

describe("a backup of a schedule", () => {
  it.live("that fails is in the audit log, and the service goes on", () =>
    Effect.gen(function* () {
      const [url, one, parent] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      const made = join(parent, "backups")
      mkdirSync(made)
      const { send } = yield* running({
        DATABASE_URL: url,
        DATA_DIR: one,
        DISK_RESERVE_MEGABYTES: "100000000",
        BACKUP_DIR: made,
        BACKUP_EVERY: "1m"
      })
      yield* Effect.promise(async () => {
        const entered = await send(
          "/auth/password/signup",
          {},
          { identifier: "odin", token: "correct horse battery" }
        )
        const cookie = { cookie: cookieOf(entered.answer) }
        const failures = async () =>
          (await send("/admin/audit-events?types=internal_error", cookie)).json.events.filter(
            ({ where }: { where: string }) => where === "backup"
          )
        await until(async () => (await failures()).length > 0)
        const [{ message }] = await failures()
        assert.match(message, /^A scheduled backup was not made: The disk of .* are kept free/)
        assert.strictEqual((await send("/threads", {})).answer.status, 200)
      })
      assert.deepStrictEqual(readdirSync(made), [])
    }).pipe(Effect.scoped)
  )

  it.live("is made by the command until that is stopped, which is no failure", () =>
    Effect.gen(function* () {
      const [url, one, made] = yield* Effect.all([Effect.promise(freshDatabase), directory, directory])
      const settings = { DATABASE_URL: url, DATA_DIR: one, DISK_RESERVE_MEGABYTES: "0" }
      const { child, ended } = begin(settings, ["backup", "--every", "24h", "--keep", "2", made])
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (more: string) => {
        output += more
      })
      yield* Effect.promise(() => until(() => output.includes("It takes")))
      assert.lengthOf(backupsIn(made), 1)
      const again = yield* forum(settings, "backup", "--every", "24h", "--once", made)
      assert.strictEqual(again.code, 0, again.errors)
      assert.match(again.output, /is the newest backup\. The next one is due at \d{4}-/)
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => ended), 0)
      const wrong = yield* Effect.all([
        forum(settings, "backup", "--every", "1s", made),
        forum(settings, "backup", "--keep", "0", made),
        forum(settings, "backup", "--once", made)
      ])
      assert.deepStrictEqual(
        wrong.map(({ code }) => code),
        [2, 2, 1]
      )
      assert.lengthOf(readdirSync(made), 1)
    })
  )
})
