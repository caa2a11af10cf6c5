/** The forum that other programs test with: what it says of itself has to be true. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as ForumClient from "../../src/client/Client.ts"
import { startForum } from "../../src/testing/Testing.ts"
import { ask } from "./recording.ts"

const seed = 42

describe("a forum for tests", () => {
  it("answers others for another seed, and the same for the same", async () => {
    await using forum = await startForum()
    await using other = await startForum({ seed })
    const [one, two] = [await forum.account("freya"), await other.account("freya")]
    assert.notStrictEqual(one.id, two.id)
    assert.notStrictEqual(one.headers.cookie, two.headers.cookie)
    assert.notStrictEqual(forum.url, other.url)
    assert.strictEqual((await one.api.accounts.getOwn()).handle, "freya")
    // Each knows its own accounts only.
    assert.match(await ask(other, "/api/accounts/self", { account: one }), /: 401\n/)
    await using same = await startForum({ seed: 1, now: "2026-01-01T00:00:00Z" })
    const { headers, id } = await same.account("freya")
    assert.deepStrictEqual({ headers, id }, { headers: one.headers, id: one.id })
  })

  it("has the time of the test, everywhere", async () => {
    await using forum = await startForum({ seed, now: "2026-01-01T00:00:00Z" })
    const thread = await forum.thread()
    assert.strictEqual(thread.createdAt, "2026-01-01T00:00:00.000Z")
    await forum.clock.advance("1 day")
    assert.strictEqual((await forum.clock.now()).toISOString(), "2026-01-02T00:00:00.000Z")
    const answer = await ask(forum, "/api/threads")
    assert.include(answer, "date: Fri, 02 Jan 2026 00:00:00 GMT")
    const later = await forum.thread()
    assert.strictEqual(later.createdAt, "2026-01-02T00:00:00.000Z")
    await forum.clock.set("2026-06-01T00:00:00Z")
    const [writer] = await forum.accounts(1)
    assert.strictEqual((await writer?.api.accounts.getOwn())?.createdAt, "2026-06-01T00:00:00.000Z")
    // A session lasts ninety days.
    const first = await forum.administrator()
    assert.match(await ask(forum, "/api/accounts/self", { account: first }), /: 401\n/)
    const back = await forum.clock.set("2026-01-01T00:00:00Z").catch((error: unknown) => String(error))
    assert.include(String(back), "Time does not go back")
    await forum.reset()
    assert.strictEqual((await forum.clock.now()).toISOString(), "2026-01-01T00:00:00.000Z")
  })

  it("keeps people signed in whose programs go by their own clock, long after the time of the forum", async () => {
    await using forum = await startForum({ seed, now: "2020-01-01T00:00:00Z" })
    const answer = await fetch(`${forum.url}/api/auth/password/signup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ identifier: "sif", token: "a long password" })
    })
    assert.match(
      answer.headers.get("set-cookie") ?? "",
      /Max-Age=7776000; .*Expires=Tue, 31 Mar 2020 00:00:00 GMT/
    )
    const { client } = await forum.account("freya")
    const program = await Effect.runPromise(
      Effect.gen(function* () {
        const own = yield* ForumClient.makeFetch({ baseUrl: forum.url })
        yield* own.auth.signIn({ payload: { identifier: "sif", token: "a long password" } })
        return [yield* own.accounts.getOwn(), yield* client.accounts.getOwn()].map(({ handle }) => handle)
      })
    )
    assert.deepStrictEqual(program, ["sif", "freya"])
  })

  it("does what follows from a request before the next one", async () => {
    await using forum = await startForum({ seed })
    const [author, other] = await forum.accounts(2)
    assert.isDefined(author)
    assert.isDefined(other)
    const { id } = await forum.thread({ by: author })
    await other?.api.replies.reply({ params: { thread_mark: id }, payload: { body: "<p>Yes.</p>" } })
    const { notifications } = (await author?.api.notifications.list({})) ?? {}
    assert.deepStrictEqual(
      notifications?.map(({ event }) => event),
      ["thread_reply"]
    )
  })

  it("keeps mails, and sends them again when they were refused", async () => {
    await using forum = await startForum({ seed })
    const signUp = (handle: string) =>
      ask(forum, "/api/auth/email-password/signup", {
        body: { email: `${handle}@example.com`, password: "a long password", handle }
      })
    assert.match(await signUp("sif"), /: 200\n/)
    const mail = await forum.mails.next("sif@example.com")
    assert.match(mail.code ?? "", /^\d{6}$/)
    assert.include(mail.text, mail.code ?? "no code")
    const none = await forum.mails.next("sif@example.com").catch((error: unknown) => error)
    assert.include(String(none), "There is no mail to sif@example.com")
    await forum.faults.set({ mails: "refused" })
    assert.match(await signUp("tyr"), /: 200\n/)
    assert.lengthOf(await forum.mails.all(), 1)
    await forum.faults.clear()
    assert.lengthOf(await forum.mails.all(), 1)
    await forum.clock.advance("1 hour")
    assert.strictEqual((await forum.mails.next("tyr@example.com")).address, "tyr@example.com")
  })

  it("keeps requests of the service, which the test answers; its answers may use the forum", async () => {
    await using forum = await startForum({ seed })
    const admin = await forum.administrator()
    const told: Array<string> = []
    await forum.outbound.answer("https://hooks.example/", async ({ body }) => {
      told.push(JSON.parse(body).type)
      await admin.api.categories.list()
      return { status: told.length === 1 ? 500 : 204 }
    })
    await admin.api.webhooks.create({
      payload: { url: "https://hooks.example/in", events: ["EventThreadPublished"] }
    })
    await forum.thread()
    await forum.settle()
    assert.deepStrictEqual(told, ["EventThreadPublished"])
    // It is tried again by the time of the forum.
    await forum.clock.advance("1 hour")
    assert.deepStrictEqual(told, ["EventThreadPublished", "EventThreadPublished"])
    const requests = await forum.outbound.requests()
    assert.deepStrictEqual(
      requests.map(({ method, url }) => `${method} ${url}`),
      ["POST https://hooks.example/in", "POST https://hooks.example/in"]
    )
  })

  it("fails as it is told to, and works again when that is taken back", async () => {
    await using forum = await startForum({ seed })
    await forum.faults.set({ database: "away" })
    assert.match(await ask(forum, "/api/threads"), /: 503\n/)
    await forum.faults.clear()
    assert.match(await ask(forum, "/api/threads"), /: 200\n/)
    await forum.faults.set({ database: { slow: 300 } })
    const since = performance.now()
    assert.match(await ask(forum, "/api/categories"), /: 200\n/)
    assert.isAtLeast(performance.now() - since, 290)
    await forum.faults.set({ database: "away" })
    await forum.reset()
    assert.match(await ask(forum, "/api/threads"), /: 200\n/)
  })

  it("ends what lasts when it is reset", async () => {
    await using forum = await startForum({ seed })
    const stream = await fetch(`${forum.url}/api/changes/stream`)
    assert.strictEqual(stream.status, 200)
    const waiting = fetch(`${forum.url}/api/changes?wait=30`).then(
      ({ status }) => status,
      () => "ended"
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    const [left] = await Promise.all([stream.text().catch(() => "ended"), forum.reset(), forum.reset()])
    assert.include(left, "ended")
    assert.include([200, "ended"], await waiting)
    assert.match(await ask(forum, "/api/threads"), /: 200\n/)
  })

  it("begins with what a test needs", async () => {
    await using forum = await startForum({ seed })
    const members = await forum.accounts(3)
    assert.deepStrictEqual(
      members.map(({ handle }) => handle),
      ["member1", "member2", "member3"]
    )
    const category = await forum.category({ name: "Tides" })
    const thread = await forum.thread({ title: "When?", category, replies: 60 })
    assert.strictEqual(thread.category?.name, "Tides")
    assert.strictEqual(thread.reply_status.replies, 60)
    const page = await forum.page({ name: "Moon", children: 2 })
    assert.deepStrictEqual(
      page.children.map(({ name }) => name),
      ["Moon, part 1", "Moon, part 2"]
    )
    const many = await forum.accounts(10_001).catch((error: unknown) => String(error))
    assert.include(String(many), "from 0 to 10000")
  })
})
