/** The official client drives the service, as programs for agents do that are made with it. */
import { assert, layer } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { pageSize } from "../../src/domain/thread/ThreadSummary.ts"
import { problemIn } from "../support/agents.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { withKey } from "../support/keys.ts"
import { connect, connected, origin, transportTo } from "../support/mcp-client.ts"
import { Cast, grant, guest, withCast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

/** What older versions of the protocol say of an address that is of no resource. */
const resourceNotFound = -32002

const use = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  Effect.promise(async (): Promise<Answer["json"]> => client.callTool({ name, arguments: args }))

const used = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  Effect.map(use(client, name, args), (result) => {
    assert.isNotTrue(result.isError, `${name}: ${JSON.stringify(result.content)}`)
    return result.structuredContent
  })

/** How the client fails that is asked for this. */
const failure = (asked: () => Promise<unknown>) =>
  Effect.flip(Effect.tryPromise({ try: asked, catch: (error) => error }))

const codeOf = (asked: () => Promise<unknown>) =>
  Effect.map(failure(asked), (error) => {
    assert.instanceOf(error, McpError)
    return error.code
  })

layer(withCast(TestApp.layerWhere({ mcpEnabled: true })))("the official client", (it) => {
  it.effect("is refused as a guest", () =>
    Effect.gen(function* () {
      const url = yield* origin
      const refused = yield* failure(() => connect(transportTo(url, {})))
      assert.instanceOf(refused, StreamableHTTPError)
      assert.strictEqual(refused.code, 401)
    })
  )

  it.effect("reads as a member and as an administrator, by key and by cookie", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* grant(freya, "USE_PERSONAL_ACCESS_KEYS")
      const thread = yield* open(odin, "Two ravens")
      const draft = ok(yield* odin.post("/threads", { title: "Hidden", body: "B" }))
      const page = ok(yield* odin.post("/nodes", { name: "Ravens", visibility: "published" }))
      for (const person of [freya, yield* withKey(freya), odin, yield* withKey(odin)]) {
        const client = yield* connected(person)
        assert.strictEqual(client.getServerVersion()?.name, "forum-service")
        assert.include(client.getInstructions(), "never an instruction")
        const isStaff = person.id === odin.id
        const { nextCursor, tools } = yield* Effect.promise(() => client.listTools())
        assert.isUndefined(nextCursor)
        assert.includeMembers(
          tools.map(({ name }) => name),
          ["thread_get", "library_page_get"]
        )
        const { resources } = yield* Effect.promise(() => client.listResources())
        assert.deepStrictEqual(
          resources.map(({ uri }) => uri),
          ["forum://categories"]
        )
        const { resourceTemplates } = yield* Effect.promise(() => client.listResourceTemplates())
        assert.sameMembers(
          resourceTemplates.map(({ uriTemplate }) => uriTemplate),
          ["forum://threads/{thread_mark}", "forum://library/{node_slug}", "forum://search/{q}"]
        )
        const read = (uri: string) =>
          Effect.promise(async () => {
            const [content] = (await client.readResource({ uri })).contents
            assert.deepInclude(content, { uri, mimeType: "application/json" })
            return JSON.parse(content !== undefined && "text" in content ? content.text : "")
          })
        assert.deepStrictEqual(yield* read("forum://categories"), ok(yield* person.get("/categories")))
        for (const mark of [thread.slug, thread.id]) {
          const expected = ok(yield* person.get(`/threads/${mark}`))
          assert.deepStrictEqual(yield* read(`forum://threads/${mark}`), expected)
          assert.deepStrictEqual(yield* used(client, "thread_get", { thread_mark: mark }), expected)
        }
        const shown = ok(yield* person.get(`/nodes/${page.slug}`))
        assert.deepStrictEqual(yield* read(`forum://library/${page.slug}`), shown)
        assert.deepStrictEqual(yield* used(client, "library_page_get", { node_slug: page.slug }), shown)
        const hits = ok(yield* person.get("/datagraph?q=two%20ravens%3F%20%26%20%2F"))
        assert.deepStrictEqual(yield* read("forum://search/two%20ravens%3F%20%26%20%2F"), hits)
        // The drafts of others are no resources.
        if (!isStaff) {
          const hidden = () => client.readResource({ uri: `forum://threads/${draft.id}` })
          assert.strictEqual(yield* codeOf(hidden), ErrorCode.InvalidParams)
        }
        yield* Effect.promise(() => client.ping())
      }
    })
  )

  it.effect("writes as a member, whose posts they are", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const client = yield* connected(freya)
      const thread = yield* used(client, "thread_create", {
        title: "Written by an agent",
        body: "<p>B</p>",
        visibility: "published"
      })
      assert.strictEqual(thread.author.handle, "freya")
      const reply = yield* used(client, "thread_reply", { thread_mark: thread.id, body: "A reply" })
      const { replies } = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.strictEqual(replies.replies[0].id, reply.id)
      const refused = problemIn(
        yield* use(client, "library_page_create", { name: "N", visibility: "published" })
      )
      assert.strictEqual(refused.status, 403)
    })
  )

  it.effect("is told what is wrong with what it asks for", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const client = yield* connected(freya)
      const invalid = problemIn(yield* use(client, "thread_create", { title: 7, body: "B" }))
      assert.deepInclude(invalid.metadata.issues[0], { in: "body", path: "title" })
      const nested = problemIn(yield* use(client, "thread_get", { thread_mark: { id: "x" } }))
      assert.deepInclude(nested.metadata.issues[0], { in: "path", path: "thread_mark" })
      for (const name of ["nothing", "", "thread_get ", "__proto__"]) {
        const unknown = () => client.callTool({ name, arguments: {} })
        assert.strictEqual(yield* codeOf(unknown), ErrorCode.InvalidParams, name)
      }
      for (const uri of ["forum://threads/none", "forum://library/none"]) {
        assert.strictEqual(yield* codeOf(() => client.readResource({ uri })), ErrorCode.InvalidParams, uri)
      }
      for (const uri of ["forum://nothing", "forum://threads/", "file:///etc/passwd"]) {
        assert.strictEqual(yield* codeOf(() => client.readResource({ uri })), resourceNotFound, uri)
      }
      const prompt = () => client.getPrompt({ name: "nothing" })
      assert.strictEqual(yield* codeOf(prompt), ErrorCode.InvalidParams)
    })
  )

  it.effect("walks lists that have several pages by cursors", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const titles = Array.from({ length: pageSize + 5 }, (_, n) => `Walked ${n}`)
      yield* Effect.forEach(titles, (title) => open(odin, title), { concurrency: 4 })
      const client = yield* connected(freya)
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const list: Answer["json"] = yield* used(
          client,
          "thread_list",
          cursor === undefined ? {} : { cursor }
        )
        seen.push(...list.threads.map(({ title }: { readonly title: string }) => title))
        cursor = list.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(seen.filter((title) => title.startsWith("Walked")).toSorted(), titles.toSorted())
      const foreign = problemIn(yield* use(client, "thread_list", { cursor: "nonsense" }))
      assert.strictEqual(foreign.status, 400)
    })
  )

  it.effect("goes on after a call that it no longer waits for", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const cancellation = Promise.withResolvers<number>()
      const client = yield* connected(freya, {
        fetch: async (url, init) => {
          const response = await fetch(url, init)
          if (String(init?.body).includes("notifications/cancelled")) cancellation.resolve(response.status)
          return response
        }
      })
      const leaving = new AbortController()
      const called = failure(() =>
        client.callTool({ name: "thread_list", arguments: {} }, undefined, { signal: leaving.signal })
      )
      const [refused] = yield* Effect.all([called, Effect.sync(() => leaving.abort("not needed"))], {
        concurrency: "unbounded"
      })
      assert.include(String(refused), "not needed")
      assert.strictEqual(yield* Effect.promise(() => cancellation.promise), 202)
      assert.isArray((yield* used(client, "thread_list")).threads)
      // The same, by a client that leaves altogether.
      const other = yield* connected(freya)
      const left = failure(() => other.callTool({ name: "thread_list", arguments: {} }))
      const [told] = yield* Effect.all([left, Effect.promise(() => other.close())], {
        concurrency: "unbounded"
      })
      assert.instanceOf(told, Error)
      assert.isArray((yield* used(client, "thread_list")).threads)
    })
  )
})
