/** Attacks a running service while somebody else reads a thread, and holds what that reader sees. */
import { fork } from "node:child_process"
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { connect, type Socket } from "node:net"
import { assert, it } from "vitest"
import { freshDatabase } from "../process/support.ts"
import { startService } from "../support/child.ts"

/** How long each attack lasts, in milliseconds. */
const duration = 5000

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of any shape, of which attacks read an id here and there.
  readonly json: any
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly agent?: Agent
}

export interface Target {
  readonly port: number
  readonly pid: number
  /** The thread that everybody reads. */
  readonly thread: string
  /** Another of the same member, which an attack may change. */
  readonly spare: string
  /** The headers of a member who is signed in. */
  readonly member: Readonly<Record<string, string>>
  readonly stop: () => Promise<number | null>
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 })

/** Connections of another client than the attackers: they come from another address of this machine. */
export const somebodyElse = new Agent({ keepAlive: true, localAddress: "127.0.0.2" })

/** Sends a request and reads its answer; a body that is no text is sent as JSON. */
export const call = (
  port: number,
  { agent: from = agent, body, headers = {}, method = "GET", path }: Call
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: from,
        headers: {
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
          ...headers
        }
      },
      (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("error", reject)
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8")
          const isJson = /json/.test(response.headers["content-type"] ?? "")
          const cookie = response.headers["set-cookie"]?.[0]?.split(";")[0]
          resolve({
            status: response.statusCode ?? 0,
            json: { ...(isJson && text !== "" ? JSON.parse(text) : {}), cookie }
          })
        })
      }
    )
    sent.on("error", reject)
    sent.end(text)
  })

const print = (line: string) => process.stdout.write(`${line}\n`)

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Sends requests over so many connections, each the next when the last is answered, until time is up; counts statuses. */
export const flood = async (
  { port }: Target,
  connections: number,
  requestOf: (n: number) => Call
): Promise<ReadonlyMap<number, number>> => {
  const end = performance.now() + duration
  const statuses = new Map<number, number>()
  let sent = 0
  const loop = async () => {
    while (performance.now() < end) {
      const { status } = await call(port, requestOf(sent++)).catch(() => ({ status: 0 }))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return statuses
}

/** Opens raw connections that send this and read nothing, holds them until time is up, and closes them. */
export const hold = async (
  { port }: Target,
  connections: number,
  sent: (n: number) => ReadonlyArray<string | Uint8Array>
) => {
  const sockets = Array.from({ length: connections }, (_, n): Socket => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => {})
    socket.pause()
    for (const part of sent(n)) socket.write(part)
    return socket
  })
  await wait(duration)
  for (const socket of sockets) socket.destroy()
}

const residentMegabytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** The flags of `npm start`. */
const startFlags = () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
  return String(scripts.start)
    .split(" ")
    .filter((word) => word.startsWith("--"))
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

/** Starts a service with half a gigabyte of heap, and a forum with a member and two threads. */
export const startTarget = async (): Promise<Target> => {
  const service = startService({ DATABASE_URL: await freshDatabase() }, [
    ...startFlags(),
    "--max-old-space-size=512"
  ])
  const port = await service.listening()
  await signUp(port, "founder")
  const member = await signUp(port, "member")
  const open = async (title: string) => {
    const { json } = await call(port, {
      method: "POST",
      path: "/api/threads",
      headers: member,
      body: { title, body: "<p>Something to read.</p>", visibility: "published" }
    })
    return String(json.id)
  }
  const thread = await open("Everybody reads this")
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
    spare: await open("This one changes"),
    member,
    stop: () => {
      service.process.kill("SIGTERM")
      return service.exited
    }
  }
}

interface Probed {
  readonly latencies: ReadonlyArray<number>
  readonly failures: ReadonlyArray<string>
}

/** Reads the thread while an attack lasts, and for a second after it. */
const probing = async ({ port, thread }: Target, attack: Promise<unknown>) => {
  const probe = fork(new URL("probe.ts", import.meta.url), [`http://127.0.0.1:${port}/api/threads/${thread}`])
  const found = new Promise<Probed>((resolve, reject) => {
    probe.once("message", (message: Probed) => resolve(message))
    probe.once("exit", () => reject(new Error("The probe ended")))
  })
  // A probe that was left running would keep the tests from ending.
  found.catch(() => {})
  try {
    await attack
    await wait(1000)
    probe.send("stop")
    return await found
  } finally {
    probe.kill()
  }
}

/** What the reader may wait at most, for 99 of 100 answers, in milliseconds. */
const bound = 500

/** An attack during which everybody else must be served. */
export const attack = (title: string, target: () => Target, run: (target: Target) => Promise<unknown>) =>
  it(title, async () => {
    const found = target()
    const { failures, latencies } = await probing(found, run(found))
    const sorted = latencies.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY
    print(
      `${title}: ${sorted.length} reads, median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, 99 % within ${Math.round(p99)} ms, ${Math.round(residentMegabytes(found.pid))} MB`
    )
    assert.deepStrictEqual(failures, [])
    assert.isAbove(sorted.length, 20)
    assert.isBelow(p99, bound)
  })

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

/** Waits until the memory of the process is within so many megabytes of `start`; fails after a minute. */
export const untilMemoryReturns = async ({ pid }: Target, start: number, within: number) => {
  for (let second = 0; second < 60 && residentMegabytes(pid) > start + within; second++) await wait(1000)
  const now = residentMegabytes(pid)
  print(`memory: ${Math.round(start)} MB at the start, ${Math.round(now)} MB at the end`)
  assert.isAtMost(now, start + within)
}

export const memoryOf = ({ pid }: Target) => residentMegabytes(pid)
