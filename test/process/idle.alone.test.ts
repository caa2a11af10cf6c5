/** A service with little to do refuses nothing, whatever else takes the processor. */
import { type ChildProcess, spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import { afterAll, assert, it } from "vitest"
import { compilingAll, type Service, startFlags, startService } from "../support/child.ts"
import { sendTo } from "../support/raw.ts"
import { freshDatabase } from "./support.ts"

const lasting = 5000

let service: Service | undefined
const others: Array<ChildProcess> = []
const endOthers = () => {
  for (const other of others.splice(0)) other.kill("SIGKILL")
}
afterAll(() => {
  endOthers()
  service?.process.kill("SIGKILL")
})

it("while other programs take the processor, an idle service is not under pressure", async () => {
  // Every timer is late then, by more than this.
  const settings = { DATABASE_URL: await freshDatabase(), ...compilingAll, SHED_DELAY_MILLISECONDS: "10" }
  const running = startService(settings, startFlags)
  service = running
  const port = await running.listening()
  const search = async () => {
    const { status, text } = await sendTo(port, { path: "/api/threads?q=word" })
    assert.strictEqual(status, 200, text)
  }
  await search()
  await wait(1000)
  const before = running.lines.length
  for (let n = 0; n < 2 * availableParallelism(); n++) {
    others.push(spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }))
  }
  const end = performance.now() + lasting
  while (performance.now() < end) {
    // Two, so that each is beside another.
    await Promise.all([search(), search()])
    await wait(50)
  }
  endOthers()
  const changes = running.lines.slice(before).filter((line) => line.includes("Pressure has changed"))
  assert.deepStrictEqual(changes, [])
})
