/** Plugins that the attacks use: programs that connect, and archives of programs that the service runs. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { type ClientOptions, WebSocket } from "ws"
import { zipOf } from "../plugin/archives/zip.ts"
import { call, type Statuses, wait } from "./clients.ts"
import type { Target } from "./target.ts"

const manifest = {
  id: "misbehaves",
  name: "Misbehaves",
  author: "odin",
  description: "Does what it should not",
  version: "1.0.0",
  command: "node",
  events_consumed: ["EventPostLiked"]
}

export interface Added {
  readonly id: string
  /** The address that a program of it connects to. */
  readonly address: string
}

/** Adds an external plugin. */
export const addExternal = async ({ admin, port }: Target): Promise<Added> => {
  const { json, status } = await call(port, {
    method: "POST",
    path: "/api/plugins",
    headers: admin,
    body: { mode: "external", manifest }
  })
  assert.strictEqual(status, 200)
  return { id: json.id, address: `ws://127.0.0.1:${port}/rpc?token=${json.connection.token}` }
}

const program = readFileSync(join(import.meta.dirname, "programs/misbehaves.mjs"))

/** Adds a plugin that the service runs, and that behaves in some way. */
export const addSupervised = async ({ admin, port }: Target, behaviour: string): Promise<string> => {
  const described = JSON.stringify({ ...manifest, args: ["misbehaves.mjs", behaviour] })
  const { json, status } = await call(port, {
    method: "POST",
    path: "/api/plugins",
    headers: { ...admin, "content-type": "application/zip" },
    body: zipOf([
      { name: "manifest.json", data: described },
      { name: "misbehaves.mjs", data: program }
    ])
  })
  assert.strictEqual(status, 200)
  return json.id
}

export const setActive = ({ admin, port }: Target, id: string, active: "active" | "inactive") =>
  call(port, { method: "PATCH", path: `/api/plugins/${id}/active`, headers: admin, body: { active } })

export const remove = async ({ admin, port }: Target, id: string) => {
  const { status } = await call(port, { method: "DELETE", path: `/api/plugins/${id}`, headers: admin })
  assert.strictEqual(status, 204)
}

/** A program that connects; what goes wrong with its connection is seen by its end. */
export const dial = (address: string, options: ClientOptions = {}): WebSocket => {
  const socket = new WebSocket(address, options)
  socket.on("error", () => {})
  return socket
}

export const connected = async (address: string, options: ClientOptions = {}) => {
  const socket = dial(address, options)
  await once(socket, "open")
  return socket
}

/** The status that a program gets that wants to connect; 101 if it may, and 0 if nothing answers. */
export const knock = (address: string, options: ClientOptions = {}): Promise<number> =>
  new Promise((resolve) => {
    const socket = dial(address, options)
    socket.once("open", () => {
      socket.terminate()
      resolve(101)
    })
    socket.once("unexpected-response", (request, response) => {
      request.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.once("close", () => resolve(0))
  })

/** Asks again while the service has no room for those who connect, as programs do; fails after some seconds. */
export const connectedInTime = async (address: string, options: ClientOptions = {}) => {
  for (let tries = 0; tries < 40; tries++) {
    if ((await knock(address, options)) === 101) return
    await wait(100)
  }
  assert.fail("it could not connect")
}

export const frame = (content: object) => JSON.stringify({ jsonrpc: "2.0", ...content })

/** Connects a plugin that takes any configuration, and gives it one. */
export const configure = async ({ admin, port }: Target, { address, id }: Added, body: object) => {
  const socket = await connected(address)
  const isServed = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const { id, method } = JSON.parse(String(data))
      if (method === undefined) resolve()
      else socket.send(frame({ id, result: { method, ok: true } }))
    })
  })
  socket.send(frame({ id: "first", method: "get_config" }))
  await isServed
  const path = `/api/plugins/${id}/configuration`
  const { status } = await call(port, { method: "PATCH", path, headers: admin, body })
  assert.strictEqual(status, 200)
  socket.terminate()
}

/** How many bytes an attacker lets wait before it sends more. */
const waitingMax = 8 * 1024 * 1024

/** Connects plugins, each again when its connection ends, and sends as much as they take; counts how they were closed. */
export const flood = async (
  plugins: ReadonlyArray<Added>,
  lasting: number,
  {
    frames = 50,
    perMessageDeflate = false,
    ...does
  }: {
    readonly frameOf: (n: number) => string | Buffer
    readonly perMessageDeflate?: boolean
    /** Whether they take what they are sent. */
    readonly reads?: boolean
    /** How many frames are sent before it is looked what became of them; one that is the last of its connection alone. */
    readonly frames?: number
  }
): Promise<Statuses> => {
  const end = performance.now() + lasting
  const closings = new Map<number, number>()
  let sent = 0
  const one = async ({ address }: Added) => {
    while (performance.now() < end) {
      const socket = dial(address, { perMessageDeflate })
      let code: number | undefined
      socket.once("close", (closing) => {
        code = closing
        closings.set(closing, (closings.get(closing) ?? 0) + 1)
      })
      socket.once("open", () => does.reads === false && socket.pause())
      while (performance.now() < end && code === undefined) {
        const isOpen = socket.readyState === socket.OPEN
        for (let n = 0; isOpen && n < frames && socket.bufferedAmount < waitingMax; n++)
          socket.send(does.frameOf(sent++))
        await wait(5)
      }
      socket.terminate()
    }
  }
  await Promise.all(plugins.map(one))
  return closings
}
