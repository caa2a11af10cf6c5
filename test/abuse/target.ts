/** The service that is attacked: in a process of its own, with a forum that has grown. */
import { readFileSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "vitest"
import { freshDatabase } from "../process/support.ts"
import { startService } from "../support/child.ts"
import { call, wait } from "./clients.ts"
import { members, seed } from "./seed.ts"

type Headers = Readonly<Record<string, string>>

export interface Target {
  readonly port: number
  readonly pid: number
  /** The thread that everybody reads. */
  readonly thread: string
  /** Another of the same member, which an attack may change. */
  readonly spare: string
  /** The headers of the administrator, of a member, and of any number of others. */
  readonly admin: Headers
  readonly member: Headers
  readonly members: (n: number) => { readonly id: string; readonly headers: Headers }
  /** Names of files that are arriving, and of those that were kept. */
  readonly files: (folder: "incoming" | "files") => Promise<ReadonlyArray<string>>
  readonly stop: () => Promise<number | null>
}

/** Pages that the service fetches may be on this machine, at an address where nothing else of it is. */
export const outside = "127.0.0.3"

const residentMegabytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

export const memoryOf = ({ pid }: Target) => residentMegabytes(pid)

/** By how many megabytes the service grew meanwhile, at most. */
export const growthDuring = async (target: Target, attack: Promise<unknown>) => {
  const before = memoryOf(target)
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, memoryOf(target))
  }, 20)
  await attack.finally(() => clearInterval(looking))
  return most - before
}

/** The flags and the variables of `npm start`. */
const startOptions = () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
  const words = String(scripts.start).split(" ")
  const variables = words.flatMap((word) => [...word.matchAll(/^([A-Z_]+)=(.*)$/g)])
  return {
    flags: words.filter((word) => word.startsWith("--")),
    variables: Object.fromEntries(variables.map(([, name = "", value = ""]) => [name, value]))
  }
}

const signUp = async (port: number, identifier: string) => {
  const { json, status } = await call(port, {
    method: "POST",
    path: "/api/auth/password/signup",
    body: { identifier, token: "a long password" }
  })
  assert.strictEqual(status, 200)
  return { cookie: String(json.cookie) }
}

/** Starts a service with half a gigabyte of heap, and a forum with a member and two threads beside what is seeded. */
export const startTarget = async (more: ReadonlyArray<string> = []): Promise<Target> => {
  const directory = await mkdtemp(join(tmpdir(), "forum-abuse-"))
  const database = await freshDatabase()
  const { flags, variables } = startOptions()
  const service = startService(
    { DATABASE_URL: database, DATA_DIR: directory, OUTBOUND_NETWORKS: `${outside}/32`, ...variables },
    [...flags, "--max-old-space-size=512"]
  )
  const port = await service.listening()
  const admin = await signUp(port, "founder")
  const member = await signUp(port, "member")
  await seed(database, more)
  const write = async (title: string) => {
    const { json } = await call(port, {
      method: "POST",
      path: "/api/threads",
      headers: member,
      body: { title, body: "<p>Something to read.</p>", visibility: "published" }
    })
    return String(json.id)
  }
  const thread = await write("Everybody reads this")
  for (let n = 0; n < 50; n++) {
    const path = `/api/threads/${thread}/replies`
    await call(port, {
      method: "POST",
      path,
      headers: member,
      body: { body: `<p>Reply ${n}, of ordinary length.</p>` }
    })
  }
  return {
    port,
    pid: service.process.pid ?? 0,
    thread,
    spare: await write("This one changes"),
    admin,
    member,
    members,
    files: (folder) => readdir(join(directory, "assets", folder)).catch(() => []),
    stop: async () => {
      service.process.kill("SIGTERM")
      const code = await service.exited
      await rm(directory, { recursive: true, force: true })
      return code
    }
  }
}

/** A thread with replies that are as long as they may be, and hard to search. */
export const openLongThread = async ({ member, port }: Target, replies: number) => {
  const { json } = await call(port, {
    method: "POST",
    path: "/api/threads",
    headers: member,
    body: { title: "Long", body: "<p>Long.</p>", visibility: "published" }
  })
  const body = `<p>${"a".repeat(60_000)}</p>`
  const path = `/api/threads/${json.id}/replies`
  for (let n = 0; n < replies; n++)
    await call(port, { method: "POST", path, headers: member, body: { body } })
  return String(json.id)
}

// Consumers and workers have what the attacks left to do, and memory is given back when the service is quiet.
const quietWithin = 90

/** Waits until the memory of the process is within so many megabytes of `start`; fails after a minute and a half. */
export const untilMemoryReturns = async (target: Target, start: number, within: number) => {
  for (let second = 0; second < quietWithin && memoryOf(target) > start + within; second++) await wait(1000)
  const now = memoryOf(target)
  process.stdout.write(`memory: ${Math.round(start)} MB at the start, ${Math.round(now)} MB at the end\n`)
  assert.isAtMost(now, start + within)
}
