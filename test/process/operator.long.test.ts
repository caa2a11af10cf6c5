/** The command of those who run the service, as a process of its own, beside the service and without it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import manifest from "../../package.json" with { type: "json" }
import { processesIn } from "../postgres/server.ts"
import { environment, type Service, startService } from "../support/child.ts"
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
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
    env: { ...environment(), NO_COLOR: "1", ...settings },
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
      [["create-admin", "loki"], `${password}\n${password}\n`, /must be one line/],
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

    const audit = { path: "/api/admin/audit-events", headers: { cookie: odin } }
    const { events } = (await sendTo(port, audit)).json
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
    [
      { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", REDIS_URL: "redis://:hush-hush@127.0.0.1:1" },
      /^fail {2}redis +It does not answer.+ECONNREFUSED.*\n +.*REDIS_URL/m
    ],
    [
      { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", OTLP_URL: "http://127.0.0.1:1/hush-hush" },
      /^warn {2}collector +Does not accept traces: .+\n +.*OTLP_URL/m
    ],
    [{ DATA_DIR: "/proc/1/nothing" }, /^(fail|warn) {2}\w+ +/m]
  ])("says what is wrong, and never a secret: %o", async (settings, line) => {
    const { code, errors, output } = await forum({ args: ["doctor"], settings })
    expect(output).toMatch(line)
    expect(`${output}${errors}`).not.toContain("hush-hush")
    if (!("DATA_DIR" in settings)) expect(code, output).toBe(1)
  })

  it.each([
    [404, "NoSuchBucket", "Create the bucket forum-files, or correct S3_BUCKET."],
    [403, "SignatureDoesNotMatch", "See whether S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are right"]
  ])("says what is wrong with a bucket that answers %i", async (status, code, todo) => {
    const store = createServer((_request, response) =>
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>x</Message></Error>`)
    ).listen(0, "127.0.0.1")
    await once(store, "listening")
    const settings = {
      DATA_DIR: directory,
      DATABASE_URL: await freshDatabase(),
      S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
      S3_BUCKET: "forum-files",
      S3_ACCESS_KEY_ID: "KEY",
      S3_SECRET_ACCESS_KEY: "hush-hush"
    }
    const examined = await forum({ args: ["doctor"], settings })
    store.close()
    expect(examined.code, examined.errors).toBe(1)
    expect(examined.output).toContain(
      `Cannot be stored: BucketRefused: The bucket answered ${status}: ${code}`
    )
    expect(examined.output).toContain(todo)
    expect(`${examined.output}${examined.errors}`).not.toContain("hush-hush")
  })

  it.each([
    [200, /^ok {4}collector +Accepts traces$/m],
    [404, /^warn {2}collector +Does not accept traces: .*it answered 404\n +.*OTLP_URL/m]
  ])("asks a collector that answers %i", async (status, line) => {
    const paths: Array<string | undefined> = []
    const collector = createServer((request, response) => {
      paths.push(request.url)
      response.writeHead(status).end("{}")
    }).listen(0, "127.0.0.1")
    await once(collector, "listening")
    const OTLP_URL = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/collect/`
    const { output } = await forum({
      args: ["doctor"],
      settings: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/x", OTLP_URL }
    })
    collector.close()
    expect(output).toMatch(line)
    expect(paths).toContain("/collect/v1/traces")
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

    expect((await run("suspend", "odin")).code).toBe(0)
    // Nobody's service runs, so that no consumer has read this.
    const followed = `insert into event_log (occurred_at, event)
      select now(), jsonb_build_object('_tag', 'AccountFollowed', 'follower', id, 'followed', id) from accounts`
    const park = `insert into parked_events (consumer, event_id, since, tries, error)
      select 'follow notifications', id, now(), 1, 'Error: no' from event_log where tag = 'AccountFollowed'`
    await inDatabase(
      url,
      followed,
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
    const notifications = `select from notifications where event = 'follow'`
    expect(await inDatabase(url, notifications)).toHaveLength(1)

    await inDatabase(
      url,
      `update event_log set event = event - 'followed' where tag = 'AccountFollowed'`,
      park
    )
    const failed = await run("retry-parked")
    expect(failed).toMatchObject({ code: 1, output: "" })
    expect(failed.errors).toMatch(/^follow notifications: 1 still parked\. .+\nSome events still fail\.\n$/s)
    expect(await inDatabase(url, notifications)).toHaveLength(1)
    await run("reinstate", "odin")
    expect((await run("doctor")).output).toMatch(/^ok {4}accounts +1 administrator$/m)
  })
})
