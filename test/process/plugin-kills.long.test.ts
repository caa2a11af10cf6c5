/** What plugins are told, and what is left of them, when they and the service are killed at any moment. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { WebSocket } from "ws"
import { least } from "../plugin/manifest.ts"
import { type Service, startService } from "../support/child.ts"
import {
  areUsed,
  founderAt,
  namespacesOf,
  notesOf,
  notingPlugin,
  pidsWith,
  pluginItself,
  type Told,
  wait,
  waitUntil
} from "./plugins.ts"
import { freePort, freshDatabase } from "./support.ts"

const dataDir = mkdtempSync(join(tmpdir(), "forum-plugins-"))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/** A program elsewhere that connects again whenever its connection is lost, as libraries do. */
const startElsewhere = (address: string) => {
  const connections: Array<Told> = []
  const refusals: Array<string> = []
  let socket: WebSocket
  let isOver = false
  const dial = () => {
    const told: Told = { first: Date.now(), last: Date.now(), connectedAt: undefined, events: [] }
    socket = new WebSocket(address)
    const send = (frame: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))
    socket.on("open", () => {
      connections.push(told)
      send({ id: "first", method: "get_config" })
    })
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(String(data))
      told.last = Date.now()
      if (method === undefined) {
        told.connectedAt = Date.now()
        return
      }
      told.events.push(params.id)
      send({ id, result: { method, ok: true } })
    })
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      // A service that starts says so, and is asked again.
      if (statusCode !== 503) refusals.push(`status ${statusCode}`)
      socket.terminate()
    })
    socket.on("error", () => {})
    socket.on("close", (code) => {
      if (code === 1008) refusals.push("rejected")
      if (!isOver) setTimeout(dial, 100)
    })
  }
  dial()
  return {
    connections,
    refusals,
    kill: () => socket.terminate(),
    stop: () => {
      isOver = true
      socket.terminate()
    }
  }
}

interface Written {
  readonly id: string
  readonly begunAt: number
}

/** Holds that each connection was told a part of what was written without a gap, and nothing was told twice. */
const checkTold = (connections: ReadonlyArray<Told>, written: ReadonlyArray<Written>) => {
  const places = new Map(written.map(({ id }, place) => [id, place]))
  let before = -1
  for (const { connectedAt, events } of connections) {
    // The answers to some writes were lost with the service: these have no place, and are no gap.
    const told = events.flatMap((id) => places.get(id) ?? [])
    const [first] = told
    if (first === undefined) continue
    assert.isAbove(first, before, "something was told twice")
    assert.deepStrictEqual(
      told,
      told.map((_, at) => first + at)
    )
    assert.strictEqual(new Set(events).size, events.length)
    before = first + told.length - 1
    const since = connectedAt ?? Number.POSITIVE_INFINITY
    const due = written.findIndex(({ begunAt }) => begunAt > since)
    if (due >= 0) assert.isAtMost(first, due, "what was written when it was connected did not come")
  }
}

const toldIn = (connections: ReadonlyArray<Told>) => connections.at(-1)?.events.length ?? 0

it("plugins are told of each change once and in order, and nothing is left of what is killed", {
  timeout: 300_000
}, async () => {
  const port = await freePort()
  const DATABASE_URL = await freshDatabase()
  const start = async () => {
    const begun = startService({ DATABASE_URL, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "Warn" })
    await waitUntil("the service answers", () =>
      fetch(`http://127.0.0.1:${port}/api/version`).then(
        ({ ok }) => ok,
        () => false
      )
    )
    return begun
  }
  let service: Service = await start()
  const founder = await founderAt(() => port)
  const added = await founder.addPlugin({
    mode: "external",
    manifest: { ...least, events_consumed: ["EventThreadPublished"] }
  })
  const { archive, marker } = notingPlugin()
  const { id } = await founder.addPlugin(archive)
  await founder.activate(id)
  const elsewhere = startElsewhere(`ws://127.0.0.1:${port}/rpc?token=${added.connection.token}`)

  const written: Array<Written> = []
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      const begunAt = Date.now()
      const thread = await founder.openThread().catch(() => undefined)
      if (thread !== undefined) written.push({ id: thread, begunAt })
      await wait(20)
    }
  })()

  /** Waits until both plugins run and were told of something since they connected. */
  const untilBothAreTold = async (connections: number, runs: number) => {
    await waitUntil("the program elsewhere is told", () => {
      return elsewhere.connections.length > connections && toldIn(elsewhere.connections) >= 3
    })
    await waitUntil("the process is told", () => {
      const notes = notesOf(dataDir, id)
      return notes.length > runs && toldIn(notes) >= 3
    })
    assert.deepStrictEqual([await founder.stateOf(added.id), await founder.stateOf(id)], ["active", "active"])
  }

  const killPlugins = () => {
    elsewhere.kill()
    process.kill(pluginItself(marker) ?? 0, "SIGKILL")
  }

  const killService = async () => {
    service.process.kill("SIGKILL")
    await service.exited
  }

  const kills = {
    service: killService,
    plugins: killPlugins,
    both: () => {
      killPlugins()
      return killService()
    }
  }

  try {
    await untilBothAreTold(0, 0)
    for (const victim of ["service", "plugins", "both", "plugins", "service"] as const) {
      const connections = elsewhere.connections.length
      const runs = notesOf(dataDir, id).length
      const pids = pidsWith(marker)
      const namespaces = namespacesOf(pluginItself(marker) ?? 0)
      await kills[victim]()
      const isLeft = () => areUsed(namespaces) || pidsWith(marker).some((pid) => pids.includes(pid))
      await waitUntil(`nothing of the process runs: ${victim}`, () => !isLeft())
      if (victim !== "plugins") {
        assert.deepStrictEqual(pidsWith(marker), [])
        service = await start()
      }
      await untilBothAreTold(connections, runs)
      assert.deepStrictEqual(readdirSync(join(dataDir, "plugins")), [id])
      assert.deepStrictEqual(readdirSync(join(dataDir, "plugin-boxes")), ["root"])
      assert.deepStrictEqual(readdirSync(join(dataDir, "plugin-boxes", "root")), [])
    }
    isWriting = false
    await writing
    const last = written.at(-1)?.id ?? ""
    await waitUntil("both are told of the last change", () =>
      [elsewhere.connections, notesOf(dataDir, id)].every((told) => told.at(-1)?.events.at(-1) === last)
    )

    assert.deepStrictEqual(elsewhere.refusals, [])
    checkTold(elsewhere.connections, written)
    checkTold(notesOf(dataDir, id), written)
    await founder.remove(id)
    assert.deepStrictEqual(pidsWith(marker), [])
    assert.deepStrictEqual(readdirSync(join(dataDir, "plugins")), [])
  } finally {
    isWriting = false
    elsewhere.stop()
    service.process.kill("SIGTERM")
    await service.exited
  }
})
