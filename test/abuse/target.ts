/** The service that is attacked: in a process of its own, with a forum that has grown. */
import { readFileSync } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startFlags, startService } from "../support/child.ts"
import { call, wait } from "./clients.ts"
import { copyForum, type Forum, rowsOf } from "./forum.ts"
import { inspectable, inUse } from "./inspector.ts"
import { type Reader, startReader } from "./reader.ts"
import { members } from "./seed.ts"
import { openSilentMailServer, openTarpits, outside, type SilentServer } from "./tarpits.ts"

type Headers = Readonly<Record<string, string>>

export interface Target extends Omit<Forum, "database"> {
  readonly port: number
  readonly pid: number
  /** The headers of any number of other members. */
  readonly members: (n: number) => { readonly id: string; readonly headers: Headers }
  /** How many megabytes are left in use when it has collected its garbage. */
  readonly inUse: () => Promise<number>
  /** What a statement answers in its database. */
  readonly rows: (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Names of files that are arriving, and of those that were kept. */
  readonly files: (folder: "incoming" | "files") => Promise<ReadonlyArray<string>>
  /** Who reads while it is attacked. */
  readonly reader: Reader
  /** What it needs of others, who do not answer. */
  readonly mailServer: SilentServer
  readonly redis: SilentServer
  /** Answers the exit code. */
  readonly stop: () => Promise<number | null>
}

/** Where pages of the forum are. */
export const home = "http://forum.test"

const residentMegabytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

export const memoryOf = ({ pid }: Pick<Target, "pid">) => residentMegabytes(pid)

/** In milliseconds; Linux counts it in hundredths of a second. */
const cpuOf = (pid: number) => {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")
  const [user = 0, system = 0] = (fields[0] ?? "").split(" ").slice(11, 13).map(Number)
  return (user + system) * 10
}

/** How long a service must have nothing to do, in milliseconds, and what it may do meanwhile all the same. */
const idleFor = 500
const idleWork = 50

/** Waits until the service has done what the attacks left to do. */
export const untilIdle = async ({ pid }: Target) => {
  const end = performance.now() + 30_000
  for (let before = cpuOf(pid); performance.now() < end; ) {
    await wait(idleFor)
    const now = cpuOf(pid)
    if (now - before <= idleWork) return
    before = now
  }
}

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

/** Starts a service with half a gigabyte of heap for a copy of the forum, with some settings of its own. */
export const startTarget = async (
  more: ReadonlyArray<string> = [],
  own: Readonly<Record<string, string>> = {}
): Promise<Target> => {
  const directory = await mkdtemp(join(tmpdir(), "forum-abuse-"))
  const { database, ...forum } = await copyForum(more)
  const mailServer = await openSilentMailServer()
  const redis = await openTarpits(1)
  const settings = {
    DATABASE_URL: database,
    DATA_DIR: directory,
    PUBLIC_URL: home,
    OUTBOUND_NETWORKS: `${outside}/32`,
    // So that attackers can be many.
    TRUSTED_PROXIES: "127.0.0.1",
    SMTP_URL: `smtp://${mailServer.address}?tls=off`,
    MAIL_FROM: "Forum <forum@forum.test>",
    // No such host: each message waits to be tried again.
    SMS_URL: "https://texts.invalid/",
    REDIS_URL: `redis://${redis.address}`,
    // As it is when nothing is set.
    SHED_DELAY_MILLISECONDS: "100",
    ...own
  }
  const service = startService(settings, [...startFlags, "--max-old-space-size=512", inspectable])
  const port = await service.listening()
  const reader = startReader(`http://127.0.0.1:${port}/api/threads/${forum.thread}`)
  return {
    ...forum,
    port,
    pid: service.process.pid ?? 0,
    members,
    inUse: () => inUse(service),
    rows: (statement) => rowsOf(database, statement),
    files: (folder) => readdir(join(directory, "assets", folder)).catch(() => []),
    reader,
    mailServer,
    redis,
    stop: async () => {
      reader.leave()
      service.process.kill("SIGTERM")
      const code = await service.exited
      mailServer.close()
      redis.close()
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
  const reply = () => call(port, { method: "POST", path, headers: member, body: { body } })
  await Promise.all(Array.from({ length: replies }, reply))
  return String(json.id)
}
