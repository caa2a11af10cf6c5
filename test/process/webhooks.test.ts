/** The service as it is deployed: what was committed is delivered to webhooks, also when it is killed before or within. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { startService } from "../support/child.ts"
import { until } from "../support/connections.ts"
import { type Answering, serve } from "../support/web.ts"
import { freshDatabase } from "./support.ts"

const send = async (port: number, path: string, body: unknown, cookie = "") =>
  await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body)
  })

const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "forum-webhooks-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.live(
  "each change is delivered after the service was killed before its delivery, and in the midst of it",
  () =>
    Effect.gen(function* () {
      const behaviour: { current: Answering } = { current: () => {} }
      const { arrived, port } = yield* serve((request, response) => behaviour.current(request, response))
      const url = yield* Effect.promise(freshDatabase)
      const context = yield* Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      const sql = Context.get(context, PgClient.PgClient)
      const settings = {
        DATABASE_URL: url,
        DATA_DIR: yield* directory,
        OUTBOUND_NETWORKS: "127.0.0.1/32"
      }
      const start = Effect.acquireRelease(
        Effect.sync(() => startService(settings)),
        ({ process }) => Effect.sync(() => process.kill("SIGKILL"))
      )
      const waitFor = (isSo: () => boolean) => Effect.promise(() => until(isSo))

      const first = yield* start
      const service = yield* Effect.promise(first.listening)
      const post = (path: string, body: unknown, cookie?: string) =>
        Effect.promise(() => send(service, path, body, cookie))
      const entered = yield* post("/auth/password/signup", {
        identifier: "odin",
        token: "correct horse battery"
      })
      const cookie = cookieOf(entered)
      const webhook = { url: `http://127.0.0.1:${port}/hook`, events: ["EventThreadPublished"] }
      assert.strictEqual((yield* post("/admin/webhooks", webhook, cookie)).status, 200)
      const open = (title: string) => post("/threads", { title, visibility: "published" }, cookie)
      assert.strictEqual((yield* open("In the midst")).status, 200)
      yield* waitFor(() => arrived.length === 1)
      assert.strictEqual((yield* open("Before")).status, 200)
      first.process.kill("SIGKILL")
      yield* Effect.promise(() => first.exited)

      behaviour.current = (_, response) => response.writeHead(200).end()
      // Its half a minute is over.
      yield* sql`update webhook_places set free_at = now()`
      yield* sql`update webhook_deliveries set due_at = now()`
      const before = arrived.length
      yield* start
      yield* waitFor(() => arrived.length >= before + 2)
      const delivered = sql<{ readonly status: string }>`select status from webhook_deliveries`
      const rows = yield* Effect.repeat(delivered, {
        until: (rows) => rows.length === 2 && rows.every(({ status }) => status === "delivered")
      })
      assert.lengthOf(rows, 2)
      const ids = arrived.map(({ headers }) => headers["webhook-id"])
      assert.lengthOf([...new Set(ids)], 2)
      assert.strictEqual(ids.filter((id) => id === ids[0]).length, 2)
    }).pipe(Effect.scoped),
  60_000
)
