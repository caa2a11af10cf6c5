/** Attacks a running service while somebody else reads a thread, and holds what that reader sees. */
import { fork } from "node:child_process"
import { assert, it } from "vitest"
import { call, type Statuses, somebodyElse, wait } from "./clients.ts"
import { memoryOf, type Target } from "./target.ts"

export const print = (line: string) => process.stdout.write(`${line}\n`)

interface Probed {
  readonly latencies: ReadonlyArray<number>
  readonly failures: ReadonlyArray<string>
}

/** Reads the thread while an attack lasts, and for a while after it: more than a hundred times where nothing is slow. */
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
    await wait(1500)
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
      `${title}: ${sorted.length} reads, median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, 99 % within ${Math.round(p99)} ms, ${Math.round(memoryOf(found))} MB`
    )
    assert.deepStrictEqual(failures, [])
    assert.isAbove(sorted.length, 20)
    assert.isBelow(p99, bound)
  })

/** What another client waits at most for a write of something else, in milliseconds. */
const writeBound = 2000

/** Holds that others write meanwhile. */
export const whileOthersWrite = async <A>(
  { members, port, thread }: Target,
  attack: Promise<A>
): Promise<A> => {
  await wait(500)
  for (let n = 190; n < 195; n++) {
    const start = performance.now()
    const { status } = await call(port, {
      agent: somebodyElse,
      method: "PUT",
      path: `/api/likes/posts/${thread}`,
      headers: members(n).headers
    })
    assert.strictEqual(status, 200)
    assert.isBelow(performance.now() - start, writeBound)
    await wait(200)
  }
  return attack
}

/** Holds that some were refused because there were too many at the same time. */
export const refusedSome = async (flooding: Promise<Statuses>) => {
  assert.isAbove((await flooding).get(503) ?? 0, 0, "none was refused")
}

/**
 * Holds that a flood was answered by the first of these statuses at least once, so that the attack is one, and by
 * nothing else than these.
 */
export const answered = async (flooding: Promise<Statuses>, ...expected: ReadonlyArray<number>) => {
  const statuses = await flooding
  const [usual = 200] = expected
  const seen = [...statuses].map(([status, times]) => `${times} times ${status}`).join(", ")
  print(`answered ${seen}`)
  assert.isAbove(statuses.get(usual) ?? 0, 0, seen)
  assert.isTrue(
    [...statuses.keys()].every((status) => expected.includes(status)),
    seen
  )
  return statuses
}
