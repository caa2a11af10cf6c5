/** A large forum is exported with little memory, and whatever ends the command leaves nothing. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { environment } from "../support/child.ts"
import { freshDatabase } from "./support.ts"

type Settings = Readonly<Record<string, string>>

const mebibyte = 1024 * 1024

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-export-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const replies = 300
const lengthOfFile = 300 * mebibyte
const [account, thread, asset] = ["a", "b", "c"].map((letter) => letter.padStart(20, "0"))

const fill = (url: string) =>
  PgClient.PgClient.use((sql) =>
    Effect.gen(function* () {
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        values (${account}, now(), now(), 'odin', 'odin', 'Odin')`
      yield* sql`insert into threads (id, created_at, author_id, visibility, active_at)
        values (${thread}, now(), ${account}, 'published', now())`
      yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, title, slug,
          body, description)
        select case n when 0 then ${thread}::text else lpad(to_hex(4096 + n), 20, '0') end, ${thread}, n, ${account},
          now(), now(), 'published', case n when 0 then 'Large' end, case n when 0 then 'large' end,
          repeat(md5(n::text), ${mebibyte / 32}::int), ''
        from generate_series(0, ${replies}::int) n`
      yield* sql`insert into assets (id, created_at, account_id, filename, original_name, mime_type, size, store)
        values (${asset}, now(), ${account}, ${asset}, 'large', 'application/octet-stream', ${lengthOfFile}, 'disk')`
    })
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.scoped)

/** A file that is long, and cannot be made short: what follows its beginning takes no room. */
const writeLarge = async (dataDir: string) => {
  const folder = join(dataDir, "assets", "files")
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(join(folder, asset ?? ""), "wx", 0o600)
  await file.write(randomBytes(8 * mebibyte))
  await file.truncate(lengthOfFile)
  await file.close()
}

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
  /** The most memory that the process had, in MiB. */
  readonly memory: number
}

const memoryOf = (pid: number | undefined) => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

interface How {
  /** Ends it as it says that it has begun with this step. */
  readonly stopped?: readonly [signal: NodeJS.Signals, step: string]
  /** How many KiB a file may have. */
  readonly fileMax?: number
}

/** The command, as a process of its own. */
const forumExport = (settings: Settings, target: string, { fileMax, stopped }: How = {}) =>
  Effect.promise(async (): Promise<Ended> => {
    const command = [
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      "src/operator/main.ts",
      "export"
    ]
    const limited = `ulimit -f ${fileMax ?? "unlimited"}; exec "$@"`
    const child = spawn("bash", ["-c", limited, "bash", ...command, target], {
      env: { ...environment(), NO_COLOR: "1", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let memory = 0
    const looking = setInterval(() => {
      memory = Math.max(memory, memoryOf(child.pid))
    }, 20)
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    let errors = ""
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      errors += more
      if (stopped !== undefined && errors.includes(`"step":"${stopped[1]}"`)) child.kill(stopped[0])
    })
    const output = await text(child.stdout)
    const code = await ended
    clearInterval(looking)
    return { code, output, errors, memory }
  })

// What the program takes by itself is about half of this, and the data are 600 MiB.
const memoryMax = 450

it.live("a large forum is exported with little memory, or not at all", () =>
  Effect.gen(function* () {
    const [dataDir, targets] = yield* Effect.all([directory, directory])
    const settings = { DATABASE_URL: yield* Effect.promise(freshDatabase), DATA_DIR: dataDir }
    yield* fill(settings.DATABASE_URL)
    yield* Effect.promise(() => writeLarge(dataDir))
    const names = ["export", "export.tar.zst"]

    for (const name of names) {
      const target = join(targets, name)
      const cases: ReadonlyArray<How> = [
        { stopped: ["SIGINT", "replies"] },
        { stopped: ["SIGTERM", "assets"] },
        { fileMax: 2048 }
      ]
      for (const how of cases) {
        const { code, errors } = yield* forumExport(settings, target, how)
        assert.notStrictEqual(code, 0, errors)
        if (how.fileMax !== undefined) assert.match(errors, /Nothing was exported: .*EFBIG/)
        assert.deepStrictEqual(readdirSync(targets), [])
      }
    }

    for (const name of names) {
      const { code, errors, memory, output } = yield* forumExport(settings, join(targets, name))
      assert.strictEqual(code, 0, errors)
      assert.match(output, /^ {2}1 threads$/m)
      assert.match(output, /^ {2}300 replies$/m)
      assert.match(output, /^ {2}1 different files \(315 MB\)$/m)
      assert.match(errors, /^\{"step":"replies","bytes":\d+,"percent":\d+\}$/m)
      assert.isAbove(memory, 50)
      assert.isBelow(memory, memoryMax)
    }
    const [file] = readdirSync(join(targets, "export", "files"))
    assert.strictEqual(statSync(join(targets, "export", "files", file ?? "")).size, lengthOfFile)
    assert.deepStrictEqual(readdirSync(targets).toSorted(), names)
    assert.strictEqual((yield* forumExport(settings, join(targets, "export"))).code, 1)
  }).pipe(Effect.scoped)
)
