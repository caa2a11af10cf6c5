/** What a reset between two tests costs, and what it leaves to be done beside the next one. */
import { assert, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"

/** How many tests follow one another. */
const rounds = 9

/** The processor time of all threads that a reset takes at most, in milliseconds; and with the renewal of what was used. */
const resetMax = 50
const renewalMax = 500

/** How long a short test takes, in milliseconds. */
const shortTest = 500

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const medianOf = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.POSITIVE_INFINITY

const processorTime = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

it("takes less than 50 milliseconds after a short test", async () => {
  await using forum = await startForum({ seed: 7 })
  const taken: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const [member] = await forum.accounts(1)
    await forum.thread({ ...(member === undefined ? {} : { by: member }), replies: 2 })
    await wait(shortTest)
    const start = processorTime()
    await forum.reset()
    taken.push(processorTime() - start)
  }
  assert.isBelow(medianOf(taken), resetMax, taken.join(" "))
})

it("takes less than 50 milliseconds where one follows another", async () => {
  await using forum = await startForum({ seed: 7 })
  const taken: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const start = processorTime()
    await forum.reset()
    taken.push(processorTime() - start)
  }
  assert.isBelow(medianOf(taken), resetMax, taken.join(" "))
})

it("leaves little to be done beside the next test", async () => {
  await using forum = await startForum({ seed: 7 })
  // Both worlds are there before.
  for (let round = 0; round < 4; round++) await forum.reset()
  const taken: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const start = processorTime()
    await fetch(`${forum.url}/api/version`)
    await forum.reset()
    taken.push(processorTime() - start)
  }
  assert.isBelow(medianOf(taken), renewalMax, taken.join(" "))
})
