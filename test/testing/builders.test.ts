/** What the builders of a forum of a test make is what they were asked for. */
import { afterAll, assert, beforeEach, describe, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { send } from "./sending.ts"

const forum = await startForum({ seed: 42 })
afterAll(() => forum.stop())
beforeEach(() => forum.reset())

describe("builders", () => {
  it("make accounts, of which the first is the administrator", async () => {
    const freya = await forum.account("freya")
    assert.strictEqual((await send(forum, "/admin", { by: freya })).status, 403)
    assert.strictEqual((await send(forum, "/admin", { by: await forum.administrator() })).status, 200)
    const body = { identifier: freya.handle, token: freya.password }
    assert.strictEqual((await send(forum, "/auth/password/signin", { body })).json.id, freya.id)
    const own = await Promise.all(
      [freya, ...(await forum.accounts(2))].map(({ api }) => api.accounts.getOwn())
    )
    assert.deepStrictEqual(
      own.map(({ handle }) => handle),
      ["freya", "member1", "member2"]
    )
    assert.deepStrictEqual(
      (await forum.accounts(2)).map(({ handle }) => handle),
      ["member3", "member4"]
    )
  })

  it("make threads that everybody may read, with what was said of them", async () => {
    const freya = await forum.account("freya")
    const category = await forum.category({ name: "Tides", description: "High and low" })
    const options = { title: "When?", body: "<p>At noon.</p>", by: freya, tags: ["sea"], category }
    const { slug } = await forum.thread({ ...options, replies: 6 })
    const { json } = await send(forum, `/threads/${slug}`)
    assert.strictEqual(json.title, "When?")
    assert.include(json.body, "At noon.")
    assert.strictEqual(json.author.handle, "freya")
    assert.deepInclude(json.category, { name: "Tides", description: "High and low" })
    assert.deepStrictEqual(
      json.tags.map(({ name }: { readonly name: string }) => name),
      ["sea"]
    )
    assert.deepStrictEqual(
      json.replies.replies.map(
        (reply: { readonly author: { readonly handle: string } }) => reply.author.handle
      ),
      ["member2", "member3", "member1", "member2", "member3", "member1"]
    )
    const [one, two] = [await forum.thread(), await forum.thread()]
    assert.deepStrictEqual([one.title, two.title], ["Thread 1", "Thread 2"])
    assert.strictEqual((await forum.category()).name, "Category 1")
  })

  it("make pages that everybody may read, within others", async () => {
    const parent = await forum.page()
    const page = await forum.page({ name: "Moon", content: "<p>It pulls.</p>", parent, children: 2 })
    const { json } = await send(forum, `/nodes/${page.slug}`)
    assert.strictEqual(parent.name, "Page 1")
    assert.include(json.content, "It pulls.")
    assert.strictEqual(json.parent.slug, parent.slug)
    assert.lengthOf(json.children, 2)
  })

  it("make something in a forum that has all switched on", async () => {
    for (const [path, status] of [
      ["/.well-known/oauth-authorization-server", 200],
      ["/api/plugins", 401]
    ] as const) {
      assert.strictEqual((await fetch(`${forum.url}${path}`)).status, status, path)
    }
    assert.strictEqual((await fetch(`${forum.url}/mcp`, { method: "POST", body: "{}" })).status, 401)
  })

  it("make no number that is none, or too large", async () => {
    for (const count of [-1, 1.5, Number.NaN, 10_001]) {
      for (const made of [
        forum.accounts(count),
        forum.thread({ replies: count }),
        forum.page({ children: count })
      ]) {
        assert.include(String(await made.catch((error: unknown) => String(error))), `not ${count}`)
      }
    }
    assert.deepStrictEqual(await forum.accounts(0), [])
  })
})
