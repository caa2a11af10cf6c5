/** The command of those who run the service, as a process of its own, beside the service and without it. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { processesIn } from "../postgres/server.ts"
import { type Service, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const password = "correct horse battery"

const directory = mkdtempSync(join(tmpdir(), "forum-operator-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let service: Service | undefined
afterEach(async () => {
  service?.process.kill("SIGTERM")
  await service?.exited
  service = undefined
})

type Settings = Readonly<Record<string, string>>

interface Run {
  readonly args: ReadonlyArray<string>
  readonly settings: Settings
  readonly input?: string
  readonly program?: string
}

/** Runs the program that package.json names, or what that runs. */
const forum = async ({ args, input = "", program = "src/operator/main.ts", settings }: Run) => {
  const { HOME = "", PATH = "" } = process.env
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
    env: { HOME, PATH, NO_COLOR: "1", ...settings },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const code = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, output, errors }
}

const json = { "content-type": "application/json" }

const signIn = async (port: number, identifier: string, token: string) =>
  await sendTo(port, {
    method: "POST",
    path: "/api/auth/password/signin",
    headers: json,
    body: JSON.stringify({ identifier, token })
  })

const cookieOf = ({ headers }: Awaited<ReturnType<typeof signIn>>) =>
  headers["set-cookie"]?.split(";", 1)[0] ?? ""

const ownAccount = async (port: number, cookie: string) =>
  await sendTo(port, { path: "/api/accounts", headers: { cookie } })

const startOn = async (settings: Settings) => {
  service = startService(settings)
  return await service.listening()
}

describe("forum", () => {
  it("lists its commands, says what each takes, and refuses what it does not know", async () => {
    const settings = { DATABASE_URL: "nonsense" }
    const asked = [["--help"], ["reset-password", "--help"], ["dance"], ["suspend", "--hard", "freya"]]
    const program = manifest.bin.forum
    const runs = asked.map((args) => forum({ args, program, settings }))
    const [help, own, unknown, misspelt] = await Promise.all(runs)
    const commands = ["doctor", "create-admin", "reset-password", "suspend", "reinstate", "migrate"]
    expect(help?.code, help?.errors).toBe(0)
    for (const command of [...commands, "retry-parked"]) expect(help?.output).toContain(command)
    expect(own?.code, own?.errors).toBe(0)
    for (const flag of ["--stdin", "--end-sessions", "--env-file"]) expect(own?.output).toContain(flag)
    expect(unknown?.code).toBe(2)
    expect(misspelt?.code).toBe(2)
  })

  it("does beside a running service what the service holds from the next request on", async () => {
    const settings = { DATA_DIR: directory, DATABASE_URL: await freshDatabase() }
    const port = await startOn(settings)
    const run = (args: ReadonlyArray<string>, input?: string) =>
      forum({ args, settings, ...(input === undefined ? {} : { input }) })

    const created = await run(["create-admin", "Odin"], `${password}\n`)
    expect(created).toEqual({ code: 0, output: "odin is an administrator.\n", errors: "" })
    const odin = cookieOf(await signIn(port, "odin", password))
    expect((await ownAccount(port, odin)).json.admin).toBe(true)
    const second = await run(["create-admin", "freya"], password)
    expect(second.code, second.errors).toBe(0)
    const freya = cookieOf(await signIn(port, "freya", password))
    expect((await ownAccount(port, freya)).json.admin).toBe(true)

    for (const [args, input, message] of [
      [["create-admin", "ODIN"], password, /Another account has this handle/],
      [["create-admin", "loki"], "x".repeat(100_000), /at most 10,000/],
      [["reset-password", "nobody"], "", /There is no such account/]
    ] as const) {
      const refused = await run(args, input)
      expect(refused.code, args.join(" ")).toBe(1)
      expect(refused.errors).toMatch(message)
      expect(refused.errors.trim().split("\n").length, refused.errors).toBe(1)
      expect(refused.output).toBe("")
    }

    const random = await run(["reset-password", "freya"])
    expect(random.code, random.errors).toBe(0)
    expect(random.output).toMatch(/^[\w-]{43}\n$/)
    expect((await signIn(port, "freya", password)).status).toBe(401)
    expect((await signIn(port, "freya", random.output.trim())).status).toBe(200)
    expect((await ownAccount(port, freya)).status).toBe(200)
    const chosen = await run(["reset-password", "freya", "--stdin", "--end-sessions"], "another long one\r\n")
    expect(chosen).toMatchObject({ code: 0, output: "" })
    expect((await ownAccount(port, freya)).status).toBe(401)
    expect((await signIn(port, "freya", "another long one")).status).toBe(200)

    const suspended = await run(["suspend", "freya"])
    expect(suspended).toEqual({ code: 0, output: "freya is suspended.\n", errors: "" })
    expect((await signIn(port, "freya", "another long one")).status).toBe(403)
    expect((await run(["reinstate", "freya"])).output).toBe("freya is reinstated.\n")
    expect((await signIn(port, "freya", "another long one")).status).toBe(200)

    const events = await auditUntil(port, odin, 4)
    expect(events.map(({ type }: { readonly type: string }) => type)).toEqual([
      "account_unsuspended",
      "account_suspended",
      "account_password_reset_token_issued",
      "account_password_reset_token_issued"
    ])
    for (const event of events) expect(event).not.toHaveProperty("enacted_by")

    expect((await run(["migrate"])).output).toBe("The database is up to date.\n")
  })

  it("finds the embedded database, with the service and without, and keeps its settings in a file", async () => {
    const dataDir = mkdtempSync(join(directory, "embedded-"))
    const file = join(directory, "settings")
    writeFileSync(file, `DATA_DIR=${dataDir}\nPUBLIC_URL="https://forum.example"\n`)
    const settings = { DATA_DIR: dataDir }

    const early = await forum({ args: ["suspend", "odin"], settings })
    expect(early.code).toBe(1)
    expect(early.errors).toMatch(/There is no database in /)

    const created = await forum({ args: ["create-admin", "odin"], settings, input: password })
    expect(created.code, created.errors).toBe(0)
    expect(created.errors).toBe(`Creating the database in ${dataDir}\n`)
    expect(processesIn(join(dataDir, "postgres"))).toEqual([])

    const port = await startOn(settings)
    expect((await signIn(port, "odin", password)).status).toBe(200)
    const reset = await forum({ args: ["reset-password", "odin"], settings })
    expect(reset.code, reset.errors).toBe(0)
    expect((await signIn(port, "odin", reset.output.trim())).status).toBe(200)
    const examined = await forum({ args: ["--env-file", file, "doctor"], settings: {} })
    expect(examined.code, examined.output + examined.errors).toBe(0)
    expect(examined.output).toMatch(/^ok {4}database +PostgreSQL 18/m)
    expect(examined.output).toMatch(/^warn {2}proxies /m)

    service?.process.kill("SIGTERM")
    await service?.exited
    const without = await forum({ args: ["doctor"], settings })
    expect(without.code, without.output + without.errors).toBe(0)
    expect(processesIn(join(dataDir, "postgres"))).toEqual([])
  })
})

describe("forum doctor", () => {
  it("finds a sound service sound", async () => {
    const settings = { DATA_DIR: directory, DATABASE_URL: await freshDatabase() }
    await forum({ args: ["create-admin", "odin"], settings, input: password })
    const { code, errors, output } = await forum({ args: ["doctor"], settings })
    expect(code, output + errors).toBe(0)
    expect(output).not.toMatch(/^(warn|fail)/m)
    expect(output).toMatch(/^All is well\.$/m)
  })

  it.each([
    [{ PORT: "http" }, /^fail {2}settings +PORT: expected/m],
    [{ DATABASE_URL: "postgres://nobody:hush-hush@127.0.0.1:1/x" }, /^fail {2}database +DATABASE_URL: /m],
    [{ DATA_DIR: "/proc/1/nothing" }, /^(fail|warn) {2}\w+ +/m]
  ])("says what is wrong, and never a secret: %o", async (settings, line) => {
    const { code, errors, output } = await forum({ args: ["doctor"], settings })
    expect(output).toMatch(line)
    expect(`${output}${errors}`).not.toContain("hush-hush")
    if (!("DATA_DIR" in settings)) expect(code, output).toBe(1)
  })

  it("says so when the database is not there", async () => {
    const settings = { DATABASE_URL: "postgres://nobody:hush-hush@127.0.0.1:1/x" }
    const runs = [["suspend", "odin"], ["migrate"]].map((args) => forum({ args, settings }))
    for (const { code, errors } of await Promise.all(runs)) {
      expect(code).toBe(1)
      expect(errors).toMatch(/^DATABASE_URL: .+\n$/)
      expect(errors).not.toContain("hush-hush")
    }
  })
})

/** Runs statements in a database; answers the rows of the last one. */
const inDatabase = (url: string, ...statements: ReadonlyArray<string>) =>
  PgClient.PgClient.use((sql) => Effect.forEach(statements, (one) => sql.unsafe<object>(one))).pipe(
    Effect.map((results) => results.at(-1) ?? []),
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.scoped,
    Effect.runPromise
  )

describe("what a service has noted", () => {
  it("is found by the doctor, and events that are parked are handed over once more", async () => {
    const url = await freshDatabase()
    const settings = { DATA_DIR: directory, DATABASE_URL: url }
    const run = (...args: ReadonlyArray<string>) => forum({ args, settings })
    await forum({ args: ["create-admin", "odin"], settings, input: password })
    expect(await run("retry-parked")).toEqual({ code: 0, output: "No event is parked.\n", errors: "" })

    // Nobody's service runs, so that no consumer has read this.
    expect((await run("suspend", "odin")).code).toBe(0)
    const park = `insert into parked_events (consumer, event_id, since, tries, error)
      select 'audit of accounts', id, now(), 1, 'Error: no' from event_log where tag = 'AccountSuspended'`
    await inDatabase(
      url,
      park,
      `insert into internal_errors (hour, cause, audit_event_id, occurrences, last_at)
        values (date_trunc('hour', now() - interval '20 hours', 'UTC'), 'cause', 'entry', 3, now()),
          (date_trunc('hour', now() - interval '30 hours', 'UTC'), 'older', 'other', 1, now())`
    )
    const examined = await run("doctor")
    expect(examined.code, examined.output + examined.errors).toBe(0)
    expect(examined.output).toMatch(/^warn {2}accounts +No administrator can sign in$/m)
    expect(examined.output).toMatch(/^warn {2}events +1 could not be handled/m)
    expect(examined.output).toMatch(/^warn {2}errors +1 kinds of errors happened/m)
    expect(examined.output).toMatch(/^3 to look at\.$/m)

    expect(await run("retry-parked")).toEqual({
      code: 0,
      output: "No event is parked any more.\n",
      errors: ""
    })
    const entries = `select from audit_events where type = 'account_suspended'`
    expect(await inDatabase(url, entries)).toHaveLength(1)

    await inDatabase(url, `update event_log set event = event - 'id' where tag = 'AccountSuspended'`, park)
    const failed = await run("retry-parked")
    expect(failed).toMatchObject({ code: 1, output: "" })
    expect(failed.errors).toMatch(/^audit of accounts: 1 still parked\. .+\nSome events still fail\.\n$/s)
    expect(await inDatabase(url, entries)).toHaveLength(1)
    await run("reinstate", "odin")
    expect((await run("doctor")).output).toMatch(/^ok {4}accounts +1 administrator$/m)
  })
})

/** The audit log, when it has so many entries: they follow the actions. */
const auditUntil = async (port: number, cookie: string, count: number) => {
  for (;;) {
    const { json } = await sendTo(port, { path: "/api/admin/audit-events", headers: { cookie } })
    if (json.events.length >= count) return json.events
  }
}
