/** The scripts of package.json as a supervisor runs them: it signals only the process that it started. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterEach, describe, expect, it } from "vitest"
import { processesIn } from "../postgres/server.ts"
import { environment } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { beginRequest, freshDatabase, untilRefused } from "./support.ts"

/** Runs a script in a process group of its own, by which a test finds and ends what is left of it. */
const runScript = (script: string, settings: Readonly<Record<string, string>>) => {
  const child = spawn("npm", ["run", script], {
    env: { ...environment(), HOST: "127.0.0.1", PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  const group = -(child.pid ?? 0)
  cleanups.push(() => {
    if (isRunning(group)) process.kill(group, "SIGKILL")
  })
  const listening = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const port = /Listening on http:\/\/[^"\s]+:(\d+)/.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  return { child, group, listening, exited }
}

const isRunning = (group: number) => {
  try {
    return process.kill(group, 0)
  } catch {
    return false
  }
}

const cleanups: Array<() => void> = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const temporaryDirectory = () => {
  const path = mkdtempSync(join(tmpdir(), "forum-process-"))
  cleanups.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const credentials = JSON.stringify({ identifier: "odin", token: "correct horse battery" })

describe.each(["start", "dev"])("npm run %s", (script) => {
  it("passes SIGTERM on, and leaves no process behind", async () => {
    const dataDir = temporaryDirectory()
    const { child, exited, group, listening } = runScript(script, { DATA_DIR: dataDir })
    const port = await listening
    const request = beginRequest(port, "/api/auth/password/signup", credentials)
    await request.begun
    await sendTo(port, { path: "/readyz" })
    expect(processesIn(join(dataDir, "postgres"))).not.toEqual([])

    child.kill("SIGTERM")
    await untilRefused(port)
    request.finish()
    const { status, text } = await request.answer
    expect(status, text).toBe(200)
    expect(await exited).toBe(0)
    expect(isRunning(group)).toBe(false)
    expect(processesIn(join(dataDir, "postgres"))).toEqual([])
  })

  it("continues when the reader of its output has gone", async () => {
    const { child, exited, group, listening } = runScript(script, { DATABASE_URL: await freshDatabase() })
    const port = await listening
    child.stdout.destroy()
    child.stderr.destroy()
    // The log is written in batches. This many requests take longer than several of them.
    for (let request = 0; request < 100; request++) {
      expect((await sendTo(port, { path: "/api/version" })).status).toBe(200)
    }
    child.kill("SIGTERM")
    expect(await exited).toBe(0)
    expect(isRunning(group)).toBe(false)
  })
})
