/** The service as a process of its own, as it is deployed. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { inject } from "vitest"
import manifest from "../../package.json" with { type: "json" }

export interface Service {
  readonly process: ChildProcess
  /** What it has logged so far, a line each. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  /** Answers the port once it serves. */
  readonly listening: () => Promise<number>
  /** Answers its exit code. */
  readonly exited: Promise<number | null>
}

/** The flags with which `npm start` starts Node. */
export const startFlags = manifest.scripts.start.split(" ").filter((word) => word.startsWith("--"))

/** What processes get of the environment of the tests; not what that says of databases. */
export const environment = (): Readonly<Record<string, string>> => {
  const { HOME = "", PATH = "" } = process.env
  const compiled = inject("compiled")
  return { HOME, PATH, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled }) }
}

/** For services whose own compilation matters. */
export const compilingAll = { NODE_DISABLE_COMPILE_CACHE: "1" }

const listening = /Listening on http:\/\/[^"\s]+:(\d+)/

// Other tests make the event loop late, for which nothing is refused here.
const patient = { SHED_DELAY_MILLISECONDS: "60000" }

/** Starts the service with these settings, and these flags of Node, on any free port; or what else runs the service. */
export const startService = (
  settings: Readonly<Record<string, string>>,
  flags: ReadonlyArray<string> = [],
  program: ReadonlyArray<string> = ["src/main.js"]
): Service => {
  const child = spawn(process.execPath, [...flags, ...program], {
    env: { ...environment(), HOST: "127.0.0.1", PORT: "0", ...patient, ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const lines: Array<string> = []
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
  const served = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line)
      const port = listening.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
  const ended = (code: number | null): never => {
    throw new Error(`The service ended with ${code}: ${errors}`)
  }
  return {
    process: child,
    lines,
    errors: () => errors,
    exited,
    listening: () => Promise.race([served, exited.then(ended)])
  }
}
