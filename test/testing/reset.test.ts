/** A forum after a reset is the forum that it was after its start, however often it is reset. */
import { existsSync, readdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { startForum } from "../../src/testing/Testing.ts"
import { directoriesOf } from "./left.ts"
import { ask } from "./recording.ts"
import { send, signUpByMail } from "./sending.ts"

const forum = await startForum({ seed: 42 })
afterAll(() => forum.stop())

/** Changes a little of everything that a reset brings back, and answers all that it was told. */
const use = async () => {
  const answers: Array<string> = []
  const asking = async (...[path, given]: [string, Parameters<typeof ask>[2]?]) => {
    answers.push(await ask(forum, path, given))
  }
  for (const path of [
    "/api/info",
    "/api/roles",
    "/api/tags",
    "/api/threads",
    "/api/profiles",
    "/api/categories"
  ])
    await asking(path)
  const admin = await forum.administrator()
  const [one] = await forum.accounts(1)
  const category = await forum.category()
  const thread = await forum.thread({ category, tags: ["tide"], replies: 2 })
  const page = await forum.page({ children: 1 })
  await asking("/api/admin", { account: admin, method: "PATCH", body: { title: "Another title" } })
  await asking("/api/roles/0000000000000000000g", {
    account: admin,
    method: "PATCH",
    body: { permissions: ["READ_PUBLISHED_THREADS"] }
  })
  await asking(`/api/nodes/${page.slug}/children/property-schema`, {
    account: admin,
    method: "PATCH",
    body: [{ name: "Weight", type: "number", sort: "1" }]
  })
  await signUpByMail(forum, "sif")
  answers.push(JSON.stringify([admin.id, admin.headers, one?.id, one?.handle, thread, page]))
  answers.push(JSON.stringify(await forum.mails.all()))
  await forum.clock.advance("1 day")
  await asking("/api/changes", { account: admin })
  for (const path of ["/api/info", "/api/tags", "/api/threads", "/api/profiles", "/api/categories"])
    await asking(path, { account: admin })
  return answers.map((answer) => answer.replaceAll(forum.url, "ORIGIN"))
}

/** Tries to connect as a plugin that there is not, and answers the status of the refusal. */
const knock = () =>
  new Promise<number>((resolve, reject) => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
    }
    request(`${forum.url}/rpc?token=sdprt_00000000000000000000000000000000`, { headers })
      .on("response", (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .on("error", reject)
      .end()
  })

/** The files that people have given the forum. */
const files = () =>
  directoriesOf(process.pid).flatMap((directory) => {
    const path = join(directory, "files")
    return existsSync(path)
      ? readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      : []
  })

describe("a reset", () => {
  it("brings everything back, each time", async () => {
    const first = await use()
    for (let resets = 0; resets < 3; resets++) {
      await forum.reset()
      // Nobody has used the forum since.
      await forum.reset()
      assert.strictEqual((await forum.clock.now()).toISOString(), "2026-01-01T00:00:00.000Z")
      assert.deepStrictEqual(await use(), first)
    }
  })

  it("brings back what has become large", async () => {
    for (let resets = 0; resets < 3; resets++) {
      await forum.reset()
      const body = `<p>${"A long tale. ".repeat(1_000)}</p>`
      for (let threads = 0; threads < 20; threads++) await forum.thread({ body: `${body}${threads}` })
      assert.strictEqual((await send(forum, "/threads")).json.results, 20)
    }
    await forum.reset()
    assert.strictEqual((await send(forum, "/threads")).json.results, 0)
  })

  it("removes the files that there were", async () => {
    await forum.reset()
    const admin = await forum.administrator()
    const sent = await fetch(`${forum.url}/api/assets?filename=note.txt`, {
      method: "POST",
      headers: { ...admin.headers, "content-type": "text/plain" },
      body: "A note"
    })
    assert.strictEqual(sent.status, 200)
    assert.isNotEmpty(files())
    await forum.reset()
    // What was used is there again after the second one, if there is a use between.
    await send(forum, "/version")
    await forum.reset()
    assert.deepStrictEqual(files(), [])
  })

  it("takes back each kind of use", async () => {
    await forum.reset()
    const first = await use()
    const uses = [
      () => forum.clock.advance("1 second"),
      () => send(forum, "/threads"),
      () => forum.faults.set({ database: "away" }),
      () => forum.settle(),
      async () => {}
    ]
    for (const using of uses) {
      await forum.reset()
      await using()
      await forum.reset()
      assert.deepStrictEqual(await use(), first, String(using))
    }
  })

  it("takes back what was counted of those who tried to connect", async () => {
    await forum.reset()
    const statuses: Array<number> = []
    for (let knocks = 0; knocks <= 60; knocks++) statuses.push(await knock())
    assert.deepStrictEqual([statuses[0], statuses[59]], [401, 401])
    assert.notStrictEqual(statuses[60], 401)
    await forum.reset()
    assert.strictEqual(await knock(), 401)
  })

  it("ends streams", async () => {
    await forum.reset()
    const stream = await fetch(`${forum.url}/api/changes/stream`)
    assert.strictEqual(stream.status, 200)
    await forum.reset()
    assert.strictEqual(await stream.text().catch(() => "ended"), "ended")
  })

  it("may be asked for again before it has ended, and requests meanwhile are answered", async () => {
    await forum.reset()
    await forum.thread()
    const resets = [forum.reset(), forum.reset(), forum.reset()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(forum, "/threads")))
    await Promise.all(resets)
    assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const first = await use()
    for (let rounds = 0; rounds < 2; rounds++) {
      await Promise.all([forum.reset(), forum.reset()])
      assert.deepStrictEqual(await use(), first)
    }
  })
})
