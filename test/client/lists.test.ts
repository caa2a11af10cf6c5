/** Lists as the client walks them, with streams and with promises, and as the page about lists does. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/client/Client.ts"
import { CursorMismatch } from "../../src/domain/shared/ListPlace.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const page = readFileSync("docs/lists.md", "utf8")
const [, program = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? []

type Rows = (address: string, key: string) => AsyncIterable<{ readonly name: string }>

const rowsOfPage = Effect.promise(async (): Promise<Rows> => {
  const module = await import(`data:text/javascript,${encodeURIComponent(program)}`)
  return module.rows
})

const address = Effect.map(HttpServer.HttpServer, ({ address }) =>
  HttpServer.formatAddress(address).replace("0.0.0.0", "127.0.0.1")
)

const namesFrom = (rows: AsyncIterable<{ readonly name: string }>) =>
  Effect.promise(() => Array.fromAsync(rows, ({ name }) => name))

layer(People.layer)("lists", (it) => {
  it.effect("are walked to their end, by the client and by the program of the page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into tags (id, created_at, name, item_count)
        select 't' || lpad(n::text, 18, '0') || '0', now(), 'tag-' || lpad(n::text, 3, '0'), 0 from generate_series(1, 120) n`
      const all = Array.from({ length: 120 }, (_, n) => `tag-${String(n + 1).padStart(3, "0")}`)
      const baseUrl = yield* address
      const forum = yield* Client.makeFetch({ baseUrl })
      const walk = (query: { readonly q?: string; readonly page?: string; readonly cursor?: string }) =>
        Stream.runCollect(Stream.map(Client.walk(forum.tags.list, { query }), ({ name }) => name))
      assert.deepStrictEqual(yield* walk({}), all)
      assert.deepStrictEqual(yield* walk({ page: "2" }), all.slice(50))
      assert.deepStrictEqual(yield* walk({ q: "tag-11" }), all.slice(109, 119))
      assert.deepStrictEqual(yield* walk({ q: "none" }), [])
      const { next_cursor: cursor = "" } = yield* forum.tags.list({})
      assert.deepStrictEqual(yield* walk({ cursor }), all.slice(50))
      assert.instanceOf(yield* Effect.flip(walk({ q: "tag", cursor })), CursorMismatch)
      const sizes = Stream.map(Client.pages(forum.tags.list, {}), ({ results }) => results)
      assert.deepStrictEqual(yield* Stream.runCollect(sizes), [50, 50, 20])
      const promised = (request: Parameters<typeof forum.tags.list>[0]) =>
        Effect.runPromise(forum.tags.list(request))
      assert.deepStrictEqual(yield* namesFrom(Client.iterate(promised, {})), all)
      const rows = yield* rowsOfPage
      assert.deepStrictEqual(yield* namesFrom(rows(`${baseUrl}/api/tags`, "tags")), all)
      assert.deepStrictEqual(yield* namesFrom(rows(`${baseUrl}/api/tags?page=2`, "tags")), all.slice(50))
      assert.deepStrictEqual(
        yield* namesFrom(rows(`${baseUrl}/api/tags?q=tag-11`, "tags")),
        all.slice(109, 119)
      )
    })
  )

  it.effect("are walked where they are a part of an answer, as the replies of a thread", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Walked")
      const first = yield* reply(freya, thread.id, "first")
      const second = yield* reply(freya, thread.id, "second")
      const forum = yield* Client.makeFetch({ baseUrl: yield* address })
      const request = { params: { thread_mark: thread.id } }
      const replies = Stream.map(Client.walk(forum.threads.get, request), ({ id }) => String(id))
      assert.deepStrictEqual(yield* Stream.runCollect(replies), [first.id, second.id])
      const parts = (asked: { readonly query?: { readonly cursor?: string } }) => {
        const from = Number(asked.query?.cursor ?? 0)
        const next = from < 4 ? { next_cursor: String(from + 2) } : {}
        return Effect.succeed({
          title: "Parts",
          tags: ["a"],
          replies: { page_size: 2, replies: [from, from + 1], ...next }
        })
      }
      assert.deepStrictEqual(yield* Stream.runCollect(Client.walk(parts, {})), [0, 1, 2, 3, 4, 5])
    })
  )

  it.effect("are read no further than is asked for", () =>
    Effect.gen(function* () {
      let asked = 0
      const list = (request: { readonly query?: { readonly cursor?: string } }) =>
        Effect.sync(() => {
          asked++
          const from = Number(request.query?.cursor ?? 0)
          return { page_size: 2, items: [from, from + 1], next_cursor: String(from + 2) }
        })
      const some = Client.walk(list, {}).pipe(Stream.take(3), Stream.runCollect)
      assert.deepStrictEqual(yield* Fiber.join(yield* Effect.forkChild(some)), [0, 1, 2])
      assert.strictEqual(asked, 2)
    })
  )
})
