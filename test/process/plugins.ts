/** Plugins of services in processes of their own: what they note, and what of them runs. */
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { zipOf } from "../plugin/archives/zip.ts"
import { least } from "../plugin/manifest.ts"
import { processesWith } from "../plugin/processes/support.ts"

export const wait = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Waits until something is so, which it must be in a minute. */
export const waitUntil = async (what: string, isSo: () => boolean | Promise<boolean>) => {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`In a minute it did not happen that ${what}`)
    await wait(20)
  }
}

const program = readFileSync(join(import.meta.dirname, "../plugin/programs/notes.mjs"))

/** A plugin that notes what happens to it, and text that only command lines of its processes contain. */
export const notingPlugin = () => {
  const marker = `marked-${randomBytes(8).toString("hex")}`
  const told = { command: "node", args: ["notes.mjs", marker], events_consumed: ["EventThreadPublished"] }
  const archive = zipOf([
    { name: "manifest.json", data: JSON.stringify({ ...least, ...told }) },
    { name: "notes.mjs", data: program }
  ])
  return { marker, archive }
}

const noteOf = Schema.decodeUnknownSync(
  Schema.Struct({
    run: Schema.String,
    at: Schema.Finite,
    what: Schema.Literals(["runs", "connected", "told"]),
    id: Schema.optionalKey(Schema.String)
  })
)

/** One process of a plugin, or one connection: since when it was connected, and the ids that it was told. */
export interface Told {
  readonly first: number
  last: number
  connectedAt: number | undefined
  readonly events: Array<string>
}

/** What each process of a plugin has noted, in the order in which they began. */
export const notesOf = (dataDir: string, id: string): ReadonlyArray<Told> => {
  const path = join(dataDir, "plugins", id, "notes.jsonl")
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []
  const runs = new Map<string, Told>()
  for (const line of lines) {
    const { at, id: told, run, what } = noteOf(JSON.parse(line))
    const found = runs.get(run) ?? { first: at, last: at, connectedAt: undefined, events: [] }
    runs.set(run, found)
    found.last = at
    if (what === "connected") found.connectedAt = at
    if (what === "told") found.events.push(told ?? "")
  }
  return [...runs.values()]
}

/** The processes that have a marker, by their ids. */
export const pidsWith = (marker: string): ReadonlyArray<number> =>
  processesWith(marker).map((line) => Number.parseInt(line, 10))

const parentOf = (pid: number) => {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const isBelow = (pid: number, ancestor: number): boolean => {
  const parent = parentOf(pid)
  return parent === ancestor || (parent > 1 && isBelow(parent, ancestor))
}

/** The processes with a marker that a service has started. */
export const pidsBelow = (service: number, marker: string) =>
  pidsWith(marker).filter((pid) => isBelow(pid, service))

/** The process that is the plugin itself, and not what started it. */
export const pluginItself = (marker: string): number | undefined =>
  pidsWith(marker).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("node\0notes.mjs\0")
    } catch {
      return false
    }
  })

const kinds = ["mnt", "net", "pid", "ipc", "uts"]

const namespaceOf = (pid: number | string, kind: string) => {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`)
  } catch {
    return ""
  }
}

/** The namespaces of a process that the tests are not in. */
export const namespacesOf = (pid: number): ReadonlyArray<string> =>
  kinds
    .map((kind) => namespaceOf(pid, kind))
    .filter((name, at) => name !== "" && name !== namespaceOf(process.pid, kinds[at] ?? ""))

/** Whether any process is in one of these namespaces. */
export const areUsed = (namespaces: ReadonlyArray<string>): boolean =>
  readdirSync("/proc").some(
    (name) => /^\d+$/.test(name) && kinds.some((kind) => namespaces.includes(namespaceOf(name, kind)))
  )

const identified = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))
const shown = Schema.decodeUnknownSync(
  Schema.Struct({
    id: Schema.String,
    status: Schema.Struct({ active_state: Schema.String }),
    connection: Schema.Struct({ mode: Schema.String, token: Schema.optionalKey(Schema.String) })
  })
)

/** The founder of a forum, at a service that listens on a port. */
export const founderAt = async (port: () => number) => {
  const address = (path: string) => `http://127.0.0.1:${port()}/api${path}`
  const json = { "content-type": "application/json" }
  const signedUp = await fetch(address("/auth/password/signup"), {
    method: "POST",
    headers: json,
    body: JSON.stringify({ identifier: "founder", token: "correct horse battery" })
  })
  const cookie = signedUp.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""

  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(address(path), {
      method,
      headers: { ...(body instanceof Uint8Array ? { "content-type": "application/zip" } : json), cookie },
      ...(body === undefined
        ? {}
        : { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }

  return {
    send,
    /** Opens a thread, of which plugins are told. */
    openThread: async () => {
      const opened = await send("POST", "/threads", { title: "T", visibility: "published" })
      return identified(opened).id
    },
    addPlugin: async (what: object) => shown(await send("POST", "/plugins", what)),
    activate: async (id: string) => shown(await send("PATCH", `/plugins/${id}/active`, { active: "active" })),
    stateOf: async (id: string) => shown(await send("GET", `/plugins/${id}`)).status.active_state,
    remove: (id: string) => send("DELETE", `/plugins/${id}`)
  } as const
}
