/** Attacks a running service while somebody else reads a thread, and holds what that reader sees. */
import { assert, it } from "vitest"
import { call, type Statuses, somebodyElse, wait } from "./clients.ts"
import { memoryOf, type Target } from "./target.ts"

export const print = (line: string) => process.stdout.write(`${line}\n`)

/** For how long reading goes on after an attack, to see what it has left to do, in milliseconds. */
const afterwards = 300

/** For how long is read at least, as a second has too few reads to say anything. In milliseconds. */
const readingMin = 2000

/** What the reader may wait, in milliseconds; longer in one of twenty reads of an attack, and one of a hundred of a part. */
const bound = 500

/** In milliseconds, rounded. */
const percentile = (sorted: ReadonlyArray<number>, part: number) =>
  Math.round(sorted[Math.floor(sorted.length * part)] ?? Number.POSITIVE_INFINITY)

const inOrder = (latencies: ReadonlyArray<number>) => latencies.toSorted((a, b) => a - b)

/** An attack during which everybody else must be served. */
export const attack = (title: string, target: () => Target, run: (target: Target) => Promise<unknown>) =>
  it(title, async () => {
    const found = target()
    const reading = async () => {
      found.reader.begin()
      const start = performance.now()
      try {
        await run(found)
        await wait(Math.max(afterwards, start + readingMin - performance.now()))
      } catch (failure) {
        await found.reader.end()
        throw failure
      }
      return found.reader.end()
    }
    const { failures, latencies } = await reading()
    const sorted = inOrder(latencies)
    print(
      `${title}: ${sorted.length} reads, median ${percentile(sorted, 0.5)} ms, 99 % within ${percentile(sorted, 0.99)} ms, ${Math.round(memoryOf(found))} MB`
    )
    assert.deepStrictEqual(failures, [])
    assert.isAbove(sorted.length, 20)
    assert.isBelow(percentile(sorted, 0.95), bound, "more than one of twenty reads took too long")
  })

/** Holds what the reader saw in all attacks of a part together. */
export const holdReads = (part: string, { reader }: Target) => {
  const sorted = inOrder(reader.all)
  print(
    `${part}: ${sorted.length} reads, median ${percentile(sorted, 0.5)} ms, 99 % within ${percentile(sorted, 0.99)} ms`
  )
  assert.isBelow(percentile(sorted, 0.99), bound)
}

/** What another client waits at most for a write of something else, or to sign in, in milliseconds. */
const writeBound = 2000

/** Holds that others write meanwhile. */
export const whileOthersWrite = async <A>(
  { members, port, thread }: Target,
  attack: Promise<A>
): Promise<A> => {
  await wait(300)
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

/** What another client waits at most to sign in, in milliseconds: a hundred others may have their turn first. */
const signInBound = 4000

/** Holds that somebody else signs in meanwhile. */
export const whileOthersSignIn = async <A>({ port }: Target, attack: Promise<A>): Promise<A> => {
  const start = performance.now()
  const { status } = await call(port, {
    agent: somebodyElse,
    method: "POST",
    path: "/api/auth/password/signin",
    body: { identifier: "founder", token: "a long password" }
  })
  assert.strictEqual(status, 200)
  assert.isBelow(performance.now() - start, signInBound)
  return attack
}

/** Holds that some were refused: because there were too many at the same time, or too many of one network. */
export const refusedSome = async (flooding: Promise<Statuses>, status: 429 | 503 = 503) => {
  assert.isAbove((await flooding).get(status) ?? 0, 0, "none was refused")
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
