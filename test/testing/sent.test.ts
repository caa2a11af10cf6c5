/** What a forum of a test sends to people and to others, which is kept for the test. */
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { hookTo, send, signUpByMail } from "./sending.ts"

const forum = await startForum({ seed: 42 })
afterAll(() => forum.stop())
beforeEach(() => forum.reset())

const forget = (handle: string) =>
  send(forum, "/auth/email-password/reset", {
    body: { email: `${handle}@example.com`, token_url: { url: `${forum.url}/reset`, query: "token" } }
  })

describe("what a forum sends", () => {
  it("are mails, which are taken one after the other by their address, and stay in the list of all", async () => {
    await signUpByMail(forum, "sif")
    await signUpByMail(forum, "tyr")
    await forum.clock.advance("1 minute")
    await forget("sif")
    const all = await forum.mails.all()
    assert.deepStrictEqual(
      all.map(({ address }) => address),
      ["sif@example.com", "tyr@example.com", "sif@example.com"]
    )
    const mails = [await forum.mails.next("sif@example.com"), await forum.mails.next("sif@example.com")]
    assert.deepStrictEqual(mails, [all[0], all[2]])
    assert.deepStrictEqual(await forum.mails.next("tyr@example.com"), all[1])
    assert.deepStrictEqual(await forum.mails.all(), all)
    const none = await forum.mails.next("tyr@example.com").catch((error: unknown) => String(error))
    assert.include(String(none), "There is no mail to tyr@example.com")
  })

  it("is forgotten by a reset, whether it was looked at or not", async () => {
    for (let resets = 0; resets < 3; resets++) {
      await forum.outbound.answer("https://hooks.example/", { status: 204 })
      await hookTo(forum, "https://hooks.example/in")
      await forum.thread()
      await signUpByMail(forum, "sif")
      await send(forum, "/auth/phone", { body: { identifier: "tyr", phone_number: "+4915112345678" } })
      assert.lengthOf(await forum.mails.all(), 1)
      assert.lengthOf(await forum.texts.all(), 1)
      assert.lengthOf(await forum.outbound.requests(), 1)
      await forum.reset()
      assert.deepStrictEqual(
        [await forum.mails.all(), await forum.texts.all(), await forum.outbound.requests()],
        [[], [], []]
      )
      for (const next of [forum.mails.next("sif@example.com"), forum.texts.next("+4915112345678")]) {
        assert.include(String(await next.catch((error: unknown) => String(error))), "There is no")
      }
    }
  })

  it("is answered by nobody after a reset, until a test says who answers", async () => {
    const told: Array<string> = []
    await forum.outbound.answer("https://hooks.example/", ({ url }) => {
      told.push(url)
      return { status: 204 }
    })
    await forum.reset()
    await hookTo(forum, "https://hooks.example/in")
    await forum.thread()
    assert.lengthOf(await forum.outbound.requests(), 1)
    assert.deepStrictEqual(told, [])
  })

  it("says what it asks for, and is answered what the test says", async () => {
    await forum.outbound.answer("https://", { status: 500 })
    await forum.outbound.answer("https://hooks.example/in", { status: 204 })
    await forum.outbound.answer("https://hooks.example/", { status: 500 })
    await hookTo(forum, "https://hooks.example/in/deep")
    const thread = await forum.thread()
    const [request, ...others] = await forum.outbound.requests()
    assert.deepStrictEqual(others, [])
    assert.strictEqual(request?.headers["content-type"], "application/json")
    assert.include(request?.body, thread.id)
    await forum.clock.advance("1 day")
    // It was taken, so that it is not sent again.
    assert.lengthOf(await forum.outbound.requests(), 1)
  })
})
