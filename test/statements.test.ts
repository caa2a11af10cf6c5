import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApi, OpenApi } from "effect/http-api"
import { ForumApi } from "../src/http/Api.ts"
import * as Discussion from "./support/discussion.ts"
import { Cast, category, idsOf, ok, open, reply } from "./support/discussion.ts"
import { type Answer, drainEvents, guest, password } from "./support/people.ts"
import { counting, statementsOf } from "./support/statements.ts"

/** The ids of all operations there are. */
const operations = () => {
  const ids: Array<string> = []
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) =>
      ids.push(Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => endpoint.identifier))
  })
  return ids
}

layer(counting(Discussion.layer))("what an operation asks of the database", (it) => {
  it.effect("is as many statements as written here", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const place = yield* category(odin, "Place")
      yield* category(odin, "Child", { parent: place.id })
      const other = yield* category(odin, "Other")
      const body = '<p>text <a href="https://a.test/">a</a> <a href="https://b.test/">b</a></p>'
      const thread = yield* open(freya, "Thread", {
        category: place.id,
        tags: ["a", "b"],
        url: "https://c.test/",
        body: `${body}<a href="sdr:profile/${loki.id}">m</a>`
      })
      const replies = yield* Effect.forEach(Array.from({ length: 52 }), (_, n) =>
        reply(n % 2 === 0 ? loki : odin, thread.id, body, n === 51 ? { reply_to: thread.id } : {})
      )
      const [first, second] = idsOf(replies)
      yield* open(loki, "Another", { tags: ["a"] })
      yield* freya.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }), {
        "content-type": "text/plain"
      })
      yield* drainEvents
      const path = `/threads/${thread.id}`
      const [one, two] = idsOf(ok(yield* freya.get("/notifications")).notifications)
      const spare = yield* open(freya, "Spare", { tags: ["a"], category: other.id })
      const { etag } = (yield* freya.get(path)).headers
      const known = { headers: { "if-none-match": etag ?? "" } }
      const every = {
        page: "2",
        q: "text",
        author: "freya",
        tags: "x",
        categories: "place",
        visibility: "published"
      }

      const table: ReadonlyArray<
        readonly [
          name: string,
          call: Effect.Effect<Answer, unknown, HttpClient.HttpClient>,
          count: number,
          status?: number
        ]
      > = [
        ["CategoryList", guest.get("/categories"), 1],
        ["CategoryGet", guest.get("/categories/place"), 1],
        ["CategoryCreate", odin.post("/categories", { name: "New", description: "", colour: "" }), 3],
        [
          "CategoryCreate below another",
          odin.post("/categories", { name: "N", description: "", colour: "", parent: place.id }),
          4
        ],
        ["ThreadList", guest.get("/threads"), 11],
        ["ThreadList of a member", freya.get("/threads"), 6],
        ["ThreadList of a moderator", odin.get("/threads"), 6],
        ["ThreadList narrowed", freya.get(`/threads${Discussion.query(every)}`), 3],
        ["ThreadList of nobody", guest.get("/threads?author=nobody"), 2, 404],
        ["ThreadGet", guest.get(path), 1],
        ["ThreadGet of a member", freya.get(`${path}?page=2`), 7],
        ["ThreadGet unchanged", freya.get(path, known), 1, 304],
        ["ThreadGet of no thread", guest.get("/threads/none"), 1, 404],
        ["ThreadCreate of a draft", freya.post("/threads", { title: "t" }), 7],
        [
          "ThreadCreate of everything",
          freya.post("/threads", {
            title: "t",
            visibility: "published",
            body,
            category: place.id,
            tags: ["a", "c"],
            url: "https://d.test/"
          }),
          23
        ],
        ["ThreadUpdate", freya.patch(path, { title: "u" }), 13],
        [
          "ThreadUpdate of everything",
          freya.patch(path, {
            body,
            category: other.id,
            tags: ["a", "d"],
            url: "https://e.test/",
            visibility: "published"
          }),
          26
        ],
        ["ThreadUpdate refused", loki.patch(path, {}), 2, 403],
        ["ThreadDelete", freya.delete(`/threads/${spare.id}`), 10],
        ["ReplyCreate", loki.post(`${path}/replies`, { body: "plain" }), 5],
        ["ReplyCreate with links, to another", loki.post(`${path}/replies`, { body, reply_to: first }), 12],
        ["PostUpdate", loki.patch(`/posts/${first}`, { meta: {} }), 7],
        ["PostUpdate of a text", loki.patch(`/posts/${first}`, { body }), 11],
        ["PostUpdate of an opening", freya.patch(`/posts/${thread.id}`, { body }), 12],
        ["PostDelete", odin.delete(`/posts/${second}`), 7],
        ["PostDelete of what is gone", odin.delete(`/posts/${second}`), 3, 404],
        [
          "SendBeacon",
          freya.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }), {
            "content-type": "text/plain"
          }),
          2,
          202
        ],
        ["SendBeacon of nothing", freya.post("/beacon", "x", { "content-type": "text/plain" }), 1, 202],
        ["NotificationList", freya.get("/notifications"), 4],
        ["NotificationUpdate", freya.patch(`/notifications/${one}`, { status: "read" }), 6],
        [
          "NotificationUpdateMany",
          freya.patch("/notifications", {
            notifications: [
              { id: one, status: "unread" },
              { id: two, status: "read" }
            ]
          }),
          7
        ],
        [
          "AuthPasswordSignup",
          guest.post("/auth/password/signup", { identifier: "new", token: password }),
          7
        ],
        [
          "AuthPasswordSignin",
          guest.post("/auth/password/signin", { identifier: "new", token: password }),
          5
        ],
        ["AuthPasswordUpdate", freya.patch("/auth/password", { old: password, new: `${password}!` }), 6],
        ["AuthPasswordCreate", freya.post("/auth/password", { password }), 2, 400],
        ["AuthProviderList", guest.get("/auth"), 0],
        ["AuthProviderLogout", loki.post("/auth/logout"), 2, 302],
        ["AccountGet", freya.get("/accounts"), 4],
        ["AccountUpdate", freya.patch("/accounts", { name: "F" }), 6],
        ["AccountView", odin.get(`/accounts/${freya.id}`), 4],
        ["RoleList", odin.get("/roles"), 1],
        ["RoleGet", odin.get("/roles/00000000000000000010"), 1],
        ["GetVersion", guest.get("/version"), 0],
        ["GetInfo", guest.get("/info"), 1],
        ["GetSession", freya.get("/session"), 5],
        ["GetSpec", guest.get("/openapi.json"), 0],
        ["GetDocs", guest.get("/docs"), 0],
        ["ProblemList", guest.get("/problems"), 0],
        ["ProblemGet", guest.get("/problems/forbidden"), 0]
      ]
      const named = new Set(table.map(([name]) => name.replace(/ .*/, "")))
      assert.deepStrictEqual(
        operations().filter((id) => !named.has(id)),
        [],
        "not in this table"
      )
      const counted: Array<string> = []
      for (const [name, call, , status = 200] of table) {
        const { answer, statements } = yield* statementsOf(call)
        assert.strictEqual(answer.status, status, `${name}: ${answer.text}`)
        counted.push(`${name}: ${statements.length}`)
      }
      assert.deepStrictEqual(
        counted,
        table.map(([name, , count]) => `${name}: ${count}`)
      )
    })
  )
})
