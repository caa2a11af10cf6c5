import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { callTool, problemIn, resultIn, say, toolsOf } from "../support/agents.ts"
import { type Answer, ok } from "../support/answers.ts"
import { withKey } from "../support/keys.ts"
import { connected } from "../support/mcp-client.ts"
import { Cast, call, grant, guest, type Person, signUp, suspend, withCast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { withToken } from "../support/tokens.ts"

const address = "http://forum.test"

const names = [
  "category_list",
  "content_search",
  "library_page_create",
  "library_page_get",
  "library_page_list",
  "library_page_properties_update",
  "library_page_property_schema_get",
  "library_page_property_schema_update",
  "library_page_update",
  "library_search_pages",
  "link_create",
  "member_search",
  "post_search",
  "reply_search",
  "tag_list",
  "thread_create",
  "thread_get",
  "thread_list",
  "thread_reply",
  "thread_search",
  "thread_update"
]

layer(withCast(TestApp.layerWhere({ mcpEnabled: true })))("agents", (it) => {
  it.effect("are refused without valid credentials, and told where to get some", () =>
    Effect.gen(function* () {
      const metadata = `resource_metadata="${address}/.well-known/oauth-protected-resource/mcp"`
      const without = yield* say(guest, "tools/list")
      assert.deepStrictEqual([without.status, without.text], [401, ""])
      assert.strictEqual(without.headers["www-authenticate"], `Bearer ${metadata}`)
      const bad = yield* say({ ...guest, headers: { authorization: "Bearer nothing" } }, "tools/list")
      assert.deepStrictEqual([bad.status, bad.text], [401, ""])
      assert.strictEqual(bad.headers["www-authenticate"], `Bearer ${metadata}, error="invalid_token"`)
      const document = ok(yield* call("GET", "/.well-known/oauth-protected-resource/mcp"))
      assert.strictEqual(document.resource, `${address}/mcp`)
      assert.include(document.scopes_supported, "CREATE_POST")
      const older = ok(yield* call("GET", "/.well-known/oauth-protected-resource/mcp/sse"))
      assert.strictEqual(older.resource, `${address}/mcp/sse`)
      assert.include(older.scopes_supported, "CREATE_POST")
    })
  )

  it.effect("of other sites are refused, whatever their credentials", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const from = (origin: string) =>
        say({ ...odin, headers: { ...odin.headers, origin, "sec-fetch-site": "same-origin" } }, "tools/list")
      assert.strictEqual((yield* from("http://forum.evil:8000")).status, 403)
      assert.strictEqual((yield* from("http://forum.test:8000")).status, 403)
      for (const own of ["https://app.forum.test", "HTTPS://APP.FORUM.TEST"]) {
        assert.strictEqual((yield* from(own)).status, 200, own)
      }
    })
  )

  it.effect("follow no stream, and end no session", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const method of ["GET", "DELETE"] as const) {
        const answer = yield* call(method, "/mcp", { headers: odin.headers })
        assert.strictEqual(answer.status, 405)
        assert.strictEqual(answer.headers.allow, "POST, OPTIONS")
      }
      assert.strictEqual((yield* say(odin, "tools/list", {}, "/mcp/")).status, 200)
    })
  )

  it.effect("see the tools that they may use", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const all = yield* toolsOf(odin)
      assert.deepStrictEqual(
        all.map(({ name }) => name),
        names
      )
      const get = all.find(({ name }) => name === "thread_get")
      assert.deepInclude(get.annotations, { readOnlyHint: true, destructiveHint: false })
      assert.strictEqual(get.outputSchema.type, "object")
      const update = all.find(({ name }) => name === "thread_update")
      assert.deepInclude(update.annotations, { readOnlyHint: false, destructiveHint: true })
      const reader = yield* withToken(freya, "READ_PUBLISHED_THREADS")
      const few = (yield* toolsOf(reader)).map(({ name }) => name)
      assert.include(few, "thread_get")
      assert.notInclude(few, "thread_create")
      assert.notInclude(few, "library_page_get")
      // A tool that is not listed answers why it refuses.
      const refused = problemIn(yield* callTool(reader, "thread_create", { title: "T", body: "B" }))
      assert.deepInclude(refused, { status: 403, metadata: { permission: "CREATE_POST" } })
    })
  )

  it.effect("are told which scopes would suffice, where their account may do more than their token", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const scope = "openid READ_PUBLISHED_THREADS"
      const reader = yield* withToken(freya, scope)
      const create = (person: Person) =>
        say(person, "tools/call", { name: "thread_create", arguments: { title: "T", body: "B" } })
      const led = `Bearer resource_metadata="${address}/.well-known/oauth-protected-resource/mcp", error="insufficient_scope"`
      const refused = yield* create(reader)
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refused.headers["www-authenticate"], `${led}, scope="${scope} CREATE_POST"`)
      assert.deepInclude(problemIn(resultIn(refused)), { metadata: { permission: "CREATE_POST" } })
      const page = ok(yield* odin.post("/nodes", { name: "Scopes", visibility: "published" }))
      const unread = yield* say(reader, "resources/read", { uri: `forum://library/${page.slug}` })
      assert.strictEqual(unread.status, 403)
      assert.strictEqual(
        unread.headers["www-authenticate"],
        `${led}, scope="${scope} READ_PUBLISHED_LIBRARY"`
      )
      assert.strictEqual(unread.json.error.code, -32602)
      // What the account may not do, more scopes do not help with; nor do they help who has no token.
      const rename = (person: Person) =>
        say(person, "tools/call", {
          name: "library_page_update",
          arguments: { node_slug: page.slug, name: "Renamed" }
        })
      yield* grant(freya, "USE_PERSONAL_ACCESS_KEYS")
      for (const person of [reader, yield* withKey(freya), freya]) {
        const { headers, status } = yield* rename(person)
        assert.deepStrictEqual([status, headers["www-authenticate"]], [200, undefined])
      }
    })
  )

  it.effect("get from tools what the operations answer", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = ok(
        yield* odin.post("/threads", { title: "About ravens", body: "Two of them", visibility: "published" })
      )
      const page = ok(yield* odin.post("/nodes", { name: "Ravens", visibility: "published" }))
      const key = yield* withKey(odin)
      const pairs: ReadonlyArray<readonly [string, Record<string, unknown>, string]> = [
        ["category_list", {}, "/categories"],
        [
          "content_search",
          { q: "ravens", kind: ["thread", "node"] },
          "/datagraph?q=ravens&kind=thread&kind=node"
        ],
        ["thread_search", { q: "ravens" }, "/datagraph?q=ravens&kind=thread"],
        ["reply_search", { q: "ravens" }, "/datagraph?q=ravens&kind=reply"],
        ["post_search", { q: "ravens" }, "/datagraph?q=ravens&kind=post"],
        ["library_search_pages", { q: "ravens" }, "/datagraph?q=ravens&kind=node"],
        ["library_page_list", { depth: "1", format: "flat" }, "/nodes?depth=1&format=flat"],
        ["library_page_get", { node_slug: page.slug }, `/nodes/${page.slug}`],
        ["member_search", { q: "odin" }, "/profiles?q=odin"],
        ["tag_list", {}, "/tags"],
        ["thread_get", { thread_mark: thread.slug }, `/threads/${thread.slug}`],
        [
          "thread_list",
          { categories: ["null"], ignore_pinned: true },
          "/threads?categories=null&ignore_pinned=true"
        ]
      ]
      for (const person of [odin, key, freya]) {
        for (const [tool, args, path] of pairs) {
          const { content, isError, structuredContent } = yield* callTool(person, tool, args)
          const expected = ok(yield* person.get(path))
          assert.isNotTrue(isError, tool)
          assert.deepStrictEqual(structuredContent, expected, tool)
          assert.deepStrictEqual(JSON.parse(content[0].text), expected, tool)
        }
      }
      const fields = yield* callTool(odin, "library_page_property_schema_get", { node_slug: page.slug })
      assert.hasAllKeys(fields.structuredContent, [
        "id",
        "slug",
        "name",
        "properties",
        "child_property_schema"
      ])
    })
  )

  it.effect("are answered the same, whatever conditions and keys the headers of their messages have", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sending = (headers: Record<string, string>) => ({
        ...odin,
        headers: { ...odin.headers, ...headers }
      })
      // Long enough to be compressed where that is asked for.
      const body = `<p>${"A tale. ".repeat(2_000)}</p>`
      const thread = ok(yield* odin.post("/threads", { title: "Headers", body, visibility: "published" }))
      const { headers, json } = yield* odin.get(`/threads/${thread.slug}`)
      for (const conditions of [
        { "if-none-match": String(headers.etag) },
        { range: "bytes=0-3" },
        { "accept-encoding": "gzip" }
      ]) {
        const answer = yield* callTool(sending(conditions), "thread_get", { thread_mark: thread.slug })
        assert.deepStrictEqual(answer.structuredContent, json)
      }
      // The key of what a tool does is an argument.
      const once = sending({ "idempotency-key": "of-the-message" })
      const made = yield* Effect.forEach(["one", "one"], (title) =>
        callTool(once, "thread_create", { title })
      )
      const ids = made.map(({ structuredContent }) => structuredContent.id)
      assert.lengthOf(new Set(ids), 2)
    })
  )

  it.effect("are told the field and the rule of what is refused", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const invalid = problemIn(yield* callTool(odin, "thread_create", { pinned: "yes" }))
      assert.strictEqual(invalid.type, "/api/problems/invalid-request")
      assert.deepStrictEqual(invalid.metadata.issues, [
        { in: "body", path: "title", message: "Required" },
        { in: "body", path: "pinned", message: "Expected a number" }
      ])
      const unknown = problemIn(yield* callTool(odin, "thread_create", { title: "T", catgory: "x" }))
      assert.deepInclude(unknown.metadata.issues[0], { path: "catgory" })
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`n${n}`, 1]))
      const bounded = problemIn(yield* callTool(odin, "thread_get", many)).metadata
      assert.deepStrictEqual([bounded.issues.length, bounded.more], [50, 11])
      const missing = problemIn(yield* callTool(odin, "thread_get", {}))
      assert.deepInclude(missing.metadata.issues[0], { in: "path", path: "thread_mark" })
      const gone = problemIn(yield* callTool(odin, "thread_get", { thread_mark: "../admin" }))
      assert.strictEqual(gone.status, 404)
      const thread = ok(yield* odin.post("/threads", { title: "Mine", body: "B", visibility: "published" }))
      const foreign = problemIn(
        yield* callTool(freya, "thread_update", { thread_mark: thread.id, title: "Hers" })
      )
      assert.strictEqual(foreign.status, 403)
    })
  )

  it.effect("change something once for each key", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { structuredContent: thread } = yield* callTool(odin, "thread_create", {
        title: "Once",
        body: "B",
        visibility: "published"
      })
      const reply = { thread_mark: thread.id, body: "Said once", idempotency_key: "k-1" }
      const first = yield* callTool(odin, "thread_reply", reply)
      const again = yield* callTool(odin, "thread_reply", reply)
      assert.strictEqual(again.structuredContent.id, first.structuredContent.id)
      assert.strictEqual(ok(yield* odin.get(`/threads/${thread.id}`)).replies.results, 1)
      const wrong = problemIn(yield* callTool(odin, "thread_reply", { ...reply, idempotency_key: 7 }))
      assert.deepInclude(wrong.metadata.issues[0], { path: "idempotency_key" })
    })
  )

  it.effect("who are suspended may use what is public alone", () =>
    Effect.gen(function* () {
      const bragi = yield* signUp("bragi")
      yield* suspend(bragi)
      const refused = problemIn(yield* callTool(bragi, "thread_list"))
      assert.strictEqual(refused.status, 403)
      assert.notInclude(
        (yield* toolsOf(bragi)).map(({ name }) => name),
        "thread_list"
      )
    })
  )

  it.effect("read threads, pages and searches by address", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const thread = ok(
        yield* odin.post("/threads", { title: "By address", body: "B", visibility: "published" })
      )
      const draft = ok(yield* odin.post("/threads", { title: "Hidden", body: "B" }))
      const read = (uri: string, person = freya) => say(person, "resources/read", { uri })
      const found = resultIn(yield* read(`forum://threads/${thread.slug}`)).contents[0]
      assert.strictEqual(found.mimeType, "application/json")
      assert.deepStrictEqual(JSON.parse(found.text), ok(yield* freya.get(`/threads/${thread.slug}`)))
      const categories = resultIn(yield* read("forum://categories")).contents[0]
      assert.deepStrictEqual(JSON.parse(categories.text), ok(yield* freya.get("/categories")))
      const hits = resultIn(yield* read("forum://search/by%20address")).contents[0]
      assert.deepStrictEqual(JSON.parse(hits.text), ok(yield* freya.get("/datagraph?q=by%20address")))
      // A text with a percent sign in it.
      const literal = resultIn(yield* read("forum://search/by%2520address")).contents[0]
      assert.deepStrictEqual(JSON.parse(literal.text), ok(yield* freya.get("/datagraph?q=by%2520address")))
      assert.notStrictEqual(JSON.parse(literal.text).results, JSON.parse(hits.text).results)
      const hidden = yield* read(`forum://threads/${draft.id}`)
      assert.strictEqual(hidden.json.error.code, -32602, hidden.text)
    })
  )

  it.effect("of the official client use every tool", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* grant(odin, "USE_PERSONAL_ACCESS_KEYS")
      const person = yield* withKey(odin)
      const client = yield* connected(person)
      const listed = yield* Effect.promise(() => client.listTools())
      assert.deepStrictEqual(
        listed.tools.map(({ name }) => name),
        names
      )
      const use = (name: string, args: Record<string, unknown>) =>
        Effect.promise(async (): Promise<Answer["json"]> => {
          const result = await client.callTool({ name, arguments: args })
          assert.isNotTrue(result.isError, `${name}: ${JSON.stringify(result.content)}`)
          return result.structuredContent
        })
      const thread = yield* use("thread_create", { title: "Agents", body: "B", visibility: "published" })
      yield* use("thread_reply", { thread_mark: thread.slug, body: "A reply" })
      yield* use("thread_update", { thread_mark: thread.slug, title: "Agents and people" })
      yield* use("thread_get", { thread_mark: thread.slug })
      yield* use("thread_list", {})
      yield* use("category_list", {})
      yield* use("tag_list", {})
      yield* use("member_search", { q: "o" })
      for (const name of [
        "content_search",
        "thread_search",
        "reply_search",
        "post_search",
        "library_search_pages"
      ]) {
        yield* use(name, { q: "agents" })
      }
      const page = yield* use("library_page_create", { name: "Agents", visibility: "published" })
      yield* use("library_page_update", { node_slug: page.slug, content: "<p>Text</p>" })
      const changed = yield* use("library_page_property_schema_update", {
        node_slug: page.slug,
        fields: [{ name: "Weight", type: "number", sort: "1" }]
      })
      assert.strictEqual(changed.properties[0].name, "Weight")
      yield* use("library_page_properties_update", {
        node_slug: page.slug,
        properties: [
          { fid: changed.properties[0].fid, name: "Weight", type: "number", sort: "1", value: "3" }
        ]
      })
      yield* use("library_page_property_schema_get", { node_slug: page.slug })
      yield* use("library_page_get", { node_slug: page.slug })
      yield* use("library_page_list", {})
      yield* use("link_create", { url: "https://nowhere.test/", title: "Nowhere" })
      const templates = yield* Effect.promise(() => client.listResourceTemplates())
      assert.lengthOf(templates.resourceTemplates, 3)
      const completed = yield* Effect.promise(() =>
        client.complete({
          ref: { type: "ref/resource", uri: "forum://threads/{thread_mark}" },
          argument: { name: "thread_mark", value: "agents" }
        })
      )
      assert.deepStrictEqual(completed.completion.values, [thread.slug])
    })
  )
})

layer(withCast(TestApp.layerWhere({ mcpEnabled: true, oauthEnabled: false })))(
  "agents without OAuth",
  (it) => {
    it.effect("are led nowhere", () =>
      Effect.gen(function* () {
        const { status, headers } = yield* say(guest, "tools/list")
        assert.deepStrictEqual([status, headers["www-authenticate"]], [401, "Bearer"])
      })
    )
  }
)

layer(withCast(TestApp.layerWhere({})))("a service that is not for agents", (it) => {
  it.effect("has no such address, and does not announce one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assert.strictEqual((yield* say(odin, "tools/list")).status, 404)
      const document = ok(yield* call("GET", "/.well-known/oauth-protected-resource/mcp/sse"))
      assert.notProperty(document, "scopes_supported")
    })
  )
})
