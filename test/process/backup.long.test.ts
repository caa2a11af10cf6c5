/** A running service is backed up while people write, and goes on from there in another cluster, though the restore was killed. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { cookieOf, directory, forum, jsonOf, running, stoppedAt } from "./operators.ts"
import { freshDatabase } from "./support.ts"

const password = "correct horse battery"

it.live("people, programs and readers of changes go on with a restored backup", () =>
  Effect.gen(function* () {
    const [one, two] = yield* Effect.all([directory, directory])
    const settings = { DATABASE_URL: yield* Effect.promise(freshDatabase), DATA_DIR: one }
    const file = join(one, "backup.tar.zst")

    const before = yield* Effect.gen(function* () {
      const { address, send, stop, exited } = yield* running(settings)
      return yield* Effect.promise(async () => {
        const entered = await send("/auth/password/signup", {}, { identifier: "odin", token: password })
        const cookie = { cookie: cookieOf(entered.answer) }
        const key = await send("/auth/access-keys", cookie, { name: "Program" })
        const thread = await send("/threads", cookie, { title: "Read by many", visibility: "published" })
        const replied = `/threads/${thread.json.id}/replies`
        const once = { ...cookie, "idempotency-key": "once" }
        const kept = await send(replied, once, { body: "said once" })
        const webhook = await send("/admin/webhooks", cookie, {
          url: "https://hooks.invalid/",
          events: ["*"]
        })
        const bytes = Buffer.alloc(300_000, "file")
        const uploaded = await fetch(`${address}/assets`, { method: "POST", headers: cookie, body: bytes })
        const asset = await jsonOf(uploaded)
        const cursor = (await send("/changes?after=latest", {})).json.next
        const quiet = await send("/threads", cookie, { title: "Left alone", visibility: "published" })
        const tag = (await send(`/threads/${quiet.json.slug}`, {})).answer.headers.get("etag")

        // Writers, each of whom says one thing after the other, before, during and after the backup.
        let goesOn = true
        const acknowledged = [0, 0, 0]
        const writers = acknowledged.map(async (_, writer) => {
          for (let n = 1; goesOn; n++) {
            const { answer } = await send(replied, cookie, { body: `writer ${writer} says ${n}` })
            assert.strictEqual(answer.status, 200)
            acknowledged[writer] = n
          }
        })
        while (acknowledged.some((n) => n < 3)) await new Promise(setImmediate)
        const first = [...acknowledged]
        const made = await Effect.runPromise(forum(settings, "backup", file))
        assert.strictEqual(made.code, 0, made.errors)
        assert.match(made.output, /rows and 1 files \(300 KB\)/)
        const last = acknowledged.map((n) => n + 1)
        while (acknowledged.some((n, writer) => n <= (last[writer] ?? 0))) await new Promise(setImmediate)
        goesOn = false
        await Promise.all(writers)
        const later = (await send("/changes?after=latest", {})).json.next
        stop()
        await exited
        return {
          asset,
          bytes,
          cookie,
          cursor,
          first,
          kept,
          key,
          last,
          later,
          once,
          quiet,
          replied,
          tag,
          thread,
          webhook
        }
      })
    }).pipe(Effect.scoped)

    const elsewhere = { DATA_DIR: two, OUTBOUND_NETWORKS: "" }
    for (const [signal, step] of [
      ["SIGKILL", "restoring"],
      ["SIGKILL", "indexes"],
      ["SIGINT", "foreign keys"]
    ] as const) {
      assert.notStrictEqual(yield* stoppedAt(signal, step, elsewhere, "restore", file), 0)
    }
    // What an interrupted one has written beside the database is gone; what a killed one has left is taken as it is.
    assert.deepStrictEqual(
      readdirSync(one).filter((name) => name.includes("backup")),
      ["backup.tar.zst"]
    )
    const restored = yield* forum(elsewhere, "restore", file)
    assert.strictEqual(restored.code, 0, restored.errors)
    assert.strictEqual((yield* forum(elsewhere, "restore", file)).code, 1)

    const { address, send } = yield* running(elsewhere)
    yield* Effect.promise(async () => {
      assert.strictEqual((await send("/accounts", before.cookie)).json.handle, "odin")
      const byKey = { authorization: `Bearer ${before.key.json.secret}` }
      assert.strictEqual((await send("/accounts", byKey)).json.handle, "odin")
      const again = await send(before.replied, before.once, { body: "said once" })
      assert.strictEqual(again.json.id, before.kept.json.id)
      const same = await fetch(`${address}/threads/${before.quiet.json.slug}`, {
        headers: { "if-none-match": before.tag ?? "" }
      })
      assert.strictEqual(same.status, 304)
      const download = await fetch(`${address}/assets/${before.asset.filename}`)
      assert.isTrue(Buffer.from(await download.arrayBuffer()).equals(before.bytes))
      const deliveries = (await send(`/admin/webhooks/${before.webhook.json.id}/deliveries`, before.cookie))
        .json.deliveries
      assert.isAbove(deliveries.length, 0)

      /** All changes after a cursor. */
      const after = async (from: string) => {
        const changes: Array<{ id: string; event: Record<string, string> }> = []
        for (let next = from; ; ) {
          const { json } = await send(`/changes?after=${next}&limit=100`, {})
          changes.push(...json.changes)
          next = json.next
          if (!json.more) return changes
        }
      }
      const added = await send(before.replied, before.cookie, { body: "after the restore" })
      assert.strictEqual(added.answer.status, 200)
      // The log tells of it once all transactions that began before have ended.
      let changes = await after(before.cursor)
      while (!changes.some(({ event }) => event.reply_id === added.json.id))
        changes = await after(before.cursor)
      assert.lengthOf([...new Set(changes.map(({ id }) => id))], changes.length)
      const told = changes.flatMap(({ event }) => (event.reply_id === undefined ? [] : [event.reply_id]))
      // Who has read what is lost misses nothing of what comes.
      const missed = (await after(before.later)).map(({ event }) => event.reply_id)
      assert.deepStrictEqual(missed, [added.json.id])

      const bodies = new Map<string, string>()
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { json } = await send(`/threads/${before.thread.json.slug}?page=${page}`, {})
        pages = json.replies.total_pages
        for (const { body, id } of json.replies.replies) bodies.set(id, body)
      }
      // Those of each writer that are there are the first ones, to one that was said while the backup was made.
      for (const [writer, least] of before.first.entries()) {
        const said = [...bodies.values()].flatMap((body) => {
          const [, by, n] = /writer (\d) says (\d+)/.exec(body) ?? []
          return Number(by) === writer && n !== undefined ? [Number(n)] : []
        })
        assert.deepStrictEqual(
          said.toSorted((a, b) => a - b),
          said.map((_, at) => at + 1)
        )
        assert.isAtLeast(said.length, least)
        assert.isAtMost(said.length, before.last[writer] ?? 0)
      }
      // Each that is there was told of once, and nothing else was.
      const there = [...bodies].filter(([, body]) => !body.includes("said once")).map(([id]) => id)
      assert.deepStrictEqual(told.toSorted(), there.toSorted())
    })
  }).pipe(Effect.scoped)
)
