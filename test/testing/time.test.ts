/** All that goes by the clock goes by that of the test. */
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { hookTo, send, signUpByMail } from "./sending.ts"

const forum = await startForum({ seed: 42 })
afterAll(() => forum.stop())
beforeEach(() => forum.reset())

describe("the clock of a forum", () => {
  it("ends what waits for something", async () => {
    let status: number | undefined
    const waiting = send(forum, "/changes?wait=30").then((answer) => {
      status = answer.status
    })
    // It may come after the clock has moved once.
    for (let moves = 0; status === undefined && moves < 100; moves++) await forum.clock.advance("30 seconds")
    assert.strictEqual(status, 200)
    await waiting
  })

  it("lets a limit of requests be over, which are not limited otherwise", async () => {
    const admin = await forum.administrator()
    const version = () => send(forum, "/version")
    const left = async () => (await version()).headers.get("x-ratelimit-remaining")
    const before = await left()
    assert.strictEqual(await left(), before)
    const services = { rate_limiting: { exempt_cidrs: [], rate_limit: 3 } }
    assert.strictEqual(
      (await send(forum, "/admin", { by: admin, method: "PATCH", body: { services } })).status,
      200
    )
    const statuses: Array<number> = []
    for (let requests = 0; requests < 5; requests++) statuses.push((await version()).status)
    assert.deepStrictEqual([statuses[0], statuses[4]], [200, 429])
    await forum.clock.advance("2 hours")
    assert.strictEqual((await version()).status, 200)
    await forum.reset()
    assert.strictEqual(await left(), before)
  })

  it("does what is due at each step of what passes", async () => {
    await forum.outbound.answer("https://hooks.example/", { status: 500 })
    await hookTo(forum, "https://hooks.example/in")
    await forum.thread()
    // Five seconds later, a minute, five minutes, and half an hour.
    await forum.clock.advance("1 hour")
    assert.lengthOf(await forum.outbound.requests(), 5)
  })

  it("lets chores be done", async () => {
    const admin = await forum.administrator()
    await signUpByMail(forum, "sif")
    const queued = async () => (await send(forum, "/admin/email-queue", { by: admin })).json.results
    assert.strictEqual(await queued(), 1)
    await forum.clock.advance("29 days")
    assert.strictEqual(await queued(), 1)
    await forum.clock.advance("2 days")
    assert.strictEqual(await queued(), 0)
  })

  it("moves what goes on by itself", async () => {
    const freya = await forum.account("freya")
    const path = "/accounts/self/export"
    const asked = await send(forum, path, { by: freya, body: { password: freya.password } })
    assert.strictEqual(asked.status, 200)
    const state = async () => (await send(forum, path, { by: freya })).json.state
    for (let moves = 0; (await state()) !== "ready" && moves < 100; moves++) {
      await forum.clock.advance("1 minute")
    }
    assert.strictEqual(await state(), "ready")
  })

  it("says how long sessions last, for browsers with another one", async () => {
    const { headers } = await signUpByMail(forum, "sif")
    assert.include(headers.getSetCookie()[0], `Max-Age=${90 * 24 * 3600}`)
    assert.strictEqual(headers.get("date"), "Thu, 01 Jan 2026 00:00:00 GMT")
  })
})
