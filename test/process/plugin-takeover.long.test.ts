/** Two services share a database: a plugin runs on one of them, and on the other when that is gone. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "vitest"
import { type Service, startService } from "../support/child.ts"
import {
  founderAt,
  notesOf,
  notingPlugin,
  pidsBelow,
  pidsWith,
  pluginItself,
  wait,
  waitUntil
} from "./plugins.ts"
import { freshDatabase } from "./support.ts"

const dataDir = mkdtempSync(join(tmpdir(), "forum-takeover-"))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/** How long it may take until a plugin runs elsewhere whose service was killed, in milliseconds. */
const takenOverWithin = 15_000

const pidOf = ({ process }: Service) => process.pid ?? 0

it("a plugin is taken over within 15 seconds, and runs once", { timeout: 300_000 }, async () => {
  const settings = { DATABASE_URL: await freshDatabase(), DATA_DIR: dataDir, LOG_LEVEL: "Info" }
  const services = new Map<Service, number>()
  const start = async () => {
    const service = startService(settings)
    services.set(service, await service.listening())
  }
  await start()
  await start()
  const portNow = () => services.values().next().value ?? 0
  const founder = await founderAt(portNow)
  const { archive, marker } = notingPlugin()
  const { id } = await founder.addPlugin(archive)
  await founder.activate(id)

  const holders = () => [...services.keys()].filter((service) => pidsBelow(pidOf(service), marker).length > 0)
  const onlyHolder = () => {
    const [holder, ...others] = holders()
    assert.deepStrictEqual(others, [])
    assert.isDefined(holder)
    return holder
  }
  const runs = () => notesOf(dataDir, id)
  /** Waits until one process more than before has connected, and answers how long it took in milliseconds. */
  const untilTakenOver = async (before: number) => {
    const began = Date.now()
    await waitUntil("another process has connected", () => runs()[before]?.connectedAt !== undefined)
    return (runs()[before]?.connectedAt ?? Number.POSITIVE_INFINITY) - began
  }

  try {
    for (let round = 0; round < 2; round++) {
      const before = runs().length
      const holder = onlyHolder()
      holder.process.kill("SIGKILL")
      await holder.exited
      services.delete(holder)
      assert.isBelow(await untilTakenOver(before), takenOverWithin)
      await waitUntil("it is shown as active", async () => (await founder.stateOf(id)) === "active")
      await start()
    }
    for (const [at, { first }] of runs().slice(1).entries()) {
      assert.isAbove(first, runs()[at]?.last ?? 0, "two processes ran at the same time")
    }

    const before = runs().length
    const stopped = onlyHolder()
    const old = pluginItself(marker) ?? 0
    stopped.process.kill("SIGSTOP")
    assert.isBelow(await untilTakenOver(before), takenOverWithin)
    stopped.process.kill("SIGCONT")
    await waitUntil("the process of before has ended", () => pidsBelow(pidOf(stopped), marker).length === 0)
    assert.notInclude(pidsWith(marker), old)
    await wait(2000)
    assert.strictEqual(runs().length, before + 1)
    assert.notStrictEqual(onlyHolder(), stopped)
    await waitUntil("it is shown as active", async () => (await founder.stateOf(id)) === "active")
  } finally {
    for (const { exited, process } of services.keys()) {
      process.kill("SIGCONT")
      process.kill("SIGTERM")
      await exited
    }
  }
  assert.deepStrictEqual(pidsWith(marker), [])
})
