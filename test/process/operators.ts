/** The command of those who run the service, and a service beside it, as processes of their own. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { environment, startService } from "../support/child.ts"

export type Settings = Readonly<Record<string, string>>

/** A directory that goes when the scope closes. */
export const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The command, as a process of its own, by way of another program or with other flags of Node. */
export const begin = (
  settings: Settings,
  args: ReadonlyArray<string>,
  {
    flags = [],
    program = "src/operator/main.ts"
  }: { readonly flags?: ReadonlyArray<string>; readonly program?: string } = {}
) => {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ...flags, program, ...args],
    {
      env: { ...environment(), NO_COLOR: "1", ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, ended }
}

/** Runs the command to its end. */
export const forum = (settings: Settings, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { child, ended } = begin(settings, args)
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await ended, output, errors }
  })

/** Starts the command, and ends it as it says that it has begun with a step. */
export const stoppedAt = (
  signal: NodeJS.Signals,
  step: string,
  settings: Settings,
  ...args: ReadonlyArray<string>
) =>
  Effect.promise(async () => {
    const { child, ended } = begin(settings, args)
    let told = ""
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      told += more
      if (told.includes(`"step":"${step}"`)) child.kill(signal)
    })
    const code = await ended
    assert.include(told, `"step":"${step}"`)
    return code
  })

/** A service that people can send requests to, until the scope closes. */
export const running = Effect.fnUntraced(function* (settings: Settings) {
  const service = yield* Effect.acquireRelease(
    Effect.sync(() => startService({ ...settings, RATE_LIMIT_EXEMPT: "127.0.0.0/8" })),
    ({ exited, process }) =>
      Effect.promise(() => {
        process.kill("SIGTERM")
        return exited
      })
  )
  const port = yield* Effect.promise(service.listening)
  const address = `http://127.0.0.1:${port}/api`

  const send = async (path: string, headers: Settings, body?: unknown) => {
    const json = { "content-type": "application/json", ...headers }
    const how =
      body === undefined ? { headers } : { method: "POST", headers: json, body: JSON.stringify(body) }
    const answer = await fetch(`${address}${path}`, how)
    return { answer, json: await jsonOf(answer) }
  }

  return { address, send, service, stop: () => service.process.kill("SIGTERM"), exited: service.exited }
})

export const jsonOf = async (answer: Response) => JSON.parse((await answer.text()) || "null")

export const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
