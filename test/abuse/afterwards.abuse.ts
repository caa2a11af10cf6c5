/** What a service does when a time of much load is over: nothing that anyone has to wait for. */
import { afterAll, assert, beforeAll, it } from "vitest"
import { call, flood, somebodyElse, wait } from "./clients.ts"
import { answered, print } from "./harness.ts"
import { memoryOf, startTarget, type Target } from "./target.ts"

const minute = 60_000

/** Far less than what makes a service refuse work, in seconds. */
const delayMax = 0.05

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const delayNow = async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${target.port}/metrics`)).text()
  return Number(/^forum_event_loop_delay_seconds\b.* ([\d.e-]+)$/m.exec(metrics)?.[1])
}

it("for a minute after much load nobody waits and nothing is refused", async () => {
  for (let round = 0; round < 6; round++) {
    const path = (n: number) =>
      [`/api/threads/${target.thread}`, "/api/threads", "/api/profiles"][n % 3] ?? ""
    await answered(
      flood(target, 32, (n) => ({ path: path(n) })),
      200
    )
  }
  const grown = memoryOf(target)
  await wait(1000)
  const end = performance.now() + minute
  let most = 0
  while (performance.now() < end) {
    most = Math.max(most, await delayNow())
    const { status } = await call(target.port, { agent: somebodyElse, path: "/api/threads?q=word" })
    assert.strictEqual(status, 200)
    await wait(200)
  }
  print(
    `at most ${Math.round(most * 1000)} ms late; ${Math.round(grown)} MB, then ${Math.round(memoryOf(target))} MB`
  )
  assert.isBelow(most, delayMax)
})
