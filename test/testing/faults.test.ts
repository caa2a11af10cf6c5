/** Faults of a forum of a test happen from when they are set until they are taken back. */
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { hookTo, send, signUpByMail } from "./sending.ts"

const forum = await startForum({ seed: 42 })
afterAll(() => forum.stop())
beforeEach(() => forum.reset())

const number = "+4915112345678"

const askForText = (handle: string) =>
  send(forum, "/auth/phone", { body: { identifier: handle, phone_number: number } })

const hook = "https://hooks.example/"

/** How often a webhook was told of something. */
const telling = async () => {
  const told = { times: 0 }
  await forum.outbound.answer(hook, () => {
    told.times++
    return { status: 204 }
  })
  return told
}

describe("faults", () => {
  it("keep text messages back until they are cleared", async () => {
    await forum.faults.set({ texts: "refused" })
    assert.strictEqual((await askForText("sif")).status, 200)
    assert.deepStrictEqual(await forum.texts.all(), [])
    await forum.faults.clear()
    await forum.clock.advance("10 minutes")
    const { code, to } = await forum.texts.next(number)
    assert.strictEqual(to, number)
    const signedIn = await send(forum, "/auth/phone/sif", { method: "PUT", body: { code } })
    assert.strictEqual(signedIn.status, 200)
  })

  it("let requests of the service fail until they are taken back", async () => {
    const told = await telling()
    await hookTo(forum, `${hook}in`)
    await forum.faults.set({ outbound: "failing" })
    await forum.thread()
    assert.lengthOf(await forum.outbound.requests(), 1)
    assert.strictEqual(told.times, 0)
    await forum.faults.set({ outbound: undefined })
    await forum.clock.advance("1 minute")
    assert.lengthOf(await forum.outbound.requests(), 2)
    assert.strictEqual(told.times, 1)
  })

  it("let requests of the service wait for their answers", async () => {
    const told = await telling()
    await hookTo(forum, `${hook}in`)
    await forum.faults.set({ outbound: { slow: 300 } })
    const since = performance.now()
    // What follows from it is done as well.
    await forum.thread()
    assert.isAtLeast(performance.now() - since, 290)
    assert.strictEqual(told.times, 1)
  })

  it("may be several at once, and stay until each is taken back", async () => {
    await forum.faults.set({ mails: "refused" })
    await forum.faults.set({ texts: "refused" })
    await signUpByMail(forum, "sif")
    await askForText("tyr")
    assert.deepStrictEqual([await forum.mails.all(), await forum.texts.all()], [[], []])
    await forum.faults.set({ mails: undefined })
    await forum.clock.advance("10 minutes")
    assert.lengthOf(await forum.mails.all(), 1)
    assert.lengthOf(await forum.texts.all(), 0)
    await forum.faults.clear()
    await forum.clock.advance("10 minutes")
    assert.lengthOf(await forum.texts.all(), 1)
  })

  it("end with a reset, all of them", async () => {
    // After the second one there is again what had the faults.
    for (let resets = 0; resets < 3; resets++) {
      await forum.faults.set({ database: "away", mails: "refused", texts: "refused", outbound: "failing" })
      assert.strictEqual((await send(forum, "/threads")).status, 503)
      await forum.reset()
      const told = await telling()
      await hookTo(forum, `${hook}in`)
      await forum.thread()
      assert.strictEqual((await signUpByMail(forum, "sif")).status, 200)
      assert.strictEqual((await askForText("tyr")).status, 200)
      assert.lengthOf(await forum.mails.all(), 1)
      assert.lengthOf(await forum.texts.all(), 1)
      assert.strictEqual(told.times, 1)
    }
  })
})
