/** The program on the page about keys does what the page says. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { isReplayed } from "../support/idempotency.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const page = readFileSync("docs/idempotency.md", "utf8")
const [, program = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? []

type Once = (url: string, request: RequestInit, key?: string) => Promise<Response>

const once = Effect.promise(async (): Promise<Once> => {
  const module = await import(`data:text/javascript,${encodeURIComponent(program)}`)
  return module.once
})

layer(People.layer)("the program of docs/idempotency.md", (it) => {
  it.effect("sends a request until it is answered, and it is done once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { address } = yield* HttpServer.HttpServer
      const port = address._tag === "UnixPathAddress" ? 0 : address.port
      const sql = yield* SqlClient.SqlClient
      const send = yield* once
      const request = {
        method: "POST",
        headers: { ...freya.headers, "content-type": "application/json" },
        body: JSON.stringify({ title: "Once", visibility: "published" })
      }
      const url = `http://127.0.0.1:${port}/api/threads`
      const first = yield* Effect.promise(() => send(url, request, "of-the-page"))
      assert.strictEqual(first.status, 200)
      // As if nobody knew yet what it came to.
      yield* sql`update idempotency_keys set answered_at = null, status = null, content_type = null, body = null`
      const waiting = Effect.promise(() => send(url, request, "of-the-page"))
      const finished = TestClock.withLive(
        Effect.andThen(
          Effect.sleep("300 millis"),
          sql`update idempotency_keys set answered_at = 'epoch', status = 200, content_type = 'application/json',
            body = ${Buffer.from(yield* Effect.promise(() => first.text()))}`
        )
      )
      const [again] = yield* Effect.all([waiting, finished], { concurrency: 2 })
      assert.isTrue(isReplayed({ headers: Object.fromEntries(again.headers) }))
      const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from threads`
      assert.strictEqual(row?.count, 1)
    })
  )
})
