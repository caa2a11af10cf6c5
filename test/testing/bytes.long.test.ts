/** A long use of all areas is answered with the same bytes whenever it is repeated. */
import { assert, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { record } from "./recording.ts"

const seed = 42

it("answers the same bytes for the same seed, after each reset and after a new start", async () => {
  const first = await startForum({ seed })
  const recorded = await record(first)
  await first.reset()
  const again = await record(first)
  // Goes back to what was used at first.
  await first.reset()
  const renewed = await record(first)
  await first.stop()
  // The description names the address of the forum.
  await using other = await startForum({ seed, port: Number(new URL(first.url).port) })
  const elsewhere = await record(other)
  assert.isAbove(recorded.length, 150)
  const statuses = recorded.map((one) => /^[A-Z]+ .*: (\d)/.exec(one)?.[1])
  assert.isAbove(statuses.filter((status) => status === "2").length, 100)
  assert.deepStrictEqual(again, recorded)
  assert.deepStrictEqual(renewed, recorded)
  assert.deepStrictEqual(elsewhere, recorded)
})
