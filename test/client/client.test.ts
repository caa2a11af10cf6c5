import { assert, layer } from "@effect/vitest"
import { Effect, Match, Schema, Stream } from "effect"
import {
  FetchHttpClient,
  HttpClient,
  type HttpClientRequest,
  HttpClientResponse,
  HttpServer
} from "effect/http"
import { TestClock } from "effect/testing"
import * as Client from "../../src/client/Client.ts"
import type { Account } from "../../src/domain/account/Account.ts"
import { type Asset, AssetNotFound } from "../../src/domain/asset/Asset.ts"
import { TooManyAttempts } from "../../src/domain/authentication/Password.ts"
import { IdempotencyKeyReused } from "../../src/domain/idempotency/IdempotencyKey.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Thread, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { drainEvents, password } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const client = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  return yield* Client.makeFetch({
    baseUrl: HttpServer.formatAddress(server.address).replace("0.0.0.0", "127.0.0.1")
  })
})

/** A client whose account is signed up. */
const memberNamed = Effect.fnUntraced(function* (identifier: string) {
  const forum = yield* client
  const { id } = yield* forum.auth.signUp({ payload: { identifier, token: password } })
  return { ...forum, id }
})

layer(TestApp.layer)("the typed client", (it) => {
  it.effect("keeps the cookie of the account that signs up with it, apart from other clients", () =>
    Effect.gen(function* () {
      const [odin, freya, stranger] = [yield* memberNamed("odin"), yield* memberNamed("freya"), yield* client]
      const account: Account = yield* freya.accounts.getOwn()
      assert.strictEqual(account.id, freya.id)
      assert.strictEqual((yield* odin.accounts.getOwn()).id, odin.id)

      const refusal = yield* Effect.flip(stranger.accounts.getOwn())
      assert.instanceOf(refusal, Unauthenticated)
    })
  )

  it.effect("sends a request with a key again, which is done once", () =>
    Effect.gen(function* () {
      const forum = yield* memberNamed("repeater")
      const request = { payload: { title: "Once" }, idempotencyKey: "once" }
      const first = yield* forum.threads.create(request)
      assert.strictEqual((yield* forum.threads.create(request)).id, first.id)
      const reused = yield* Effect.flip(
        forum.threads.create({ payload: { title: "Other" }, idempotencyKey: "once" })
      )
      assert.instanceOf(reused, IdempotencyKeyReused)
      assert.notStrictEqual((yield* forum.threads.create({ payload: { title: "Once" } })).id, first.id)
    })
  )

  it.effect("forgets the cookie when it signs out", () =>
    Effect.gen(function* () {
      const forum = yield* memberNamed("leaver")
      yield* forum.auth.signOut()
      assert.instanceOf(yield* Effect.flip(forum.accounts.getOwn()), Unauthenticated)
    })
  )

  it.effect("opens a thread, replies, and reads the notification, all typed", () =>
    Effect.gen(function* () {
      const [author, reader] = [yield* memberNamed("author"), yield* memberNamed("reader")]
      const thread = yield* author.threads.create({
        payload: { title: "Typed", body: "<p>hello</p>", visibility: "published" }
      })
      const reply = yield* reader.replies.reply({
        params: { thread_mark: thread.slug },
        payload: { body: "I agree." }
      })
      assert.strictEqual(reply.root_id, thread.id)
      yield* drainEvents
      const { notifications } = yield* author.notifications.list({ query: { status: ["unread"] } })
      assert.deepStrictEqual(
        notifications.map(({ event, source }) => [event, source?.handle]),
        [["thread_reply", "reader"]]
      )
    })
  )

  it.effect("answers bodies, and outcomes to those who ask with a tag", () =>
    Effect.gen(function* () {
      const forum = yield* memberNamed("watcher")
      const { id } = yield* forum.threads.create({ payload: { title: "Old", visibility: "published" } })
      const params = { thread_mark: id }

      const body: Thread = yield* forum.threads.get({ params })
      assert.strictEqual(body.title, "Old")

      const first = yield* forum.threads.get({ params, ifNoneMatch: undefined })
      const titleOf = (outcome: Client.Modified<Thread> | Client.NotModified) =>
        Match.valueTags(outcome, { Modified: ({ body }) => body.title, NotModified: () => undefined })
      assert.strictEqual(titleOf(first), "Old")
      assert.match(first.etag, /^"[^"]+"$/)

      const again = yield* forum.threads.get({ params, ifNoneMatch: first.etag })
      assert.deepStrictEqual(again, { _tag: "NotModified", etag: first.etag })

      yield* forum.threads.update({ params, payload: { title: "New" } })
      const changed = yield* forum.threads.get({ params, ifNoneMatch: first.etag })
      assert.strictEqual(titleOf(changed), "New")
      assert.notStrictEqual(changed.etag, first.etag)

      const other = yield* forum.threads.get({ params, query: { page: "2" }, ifNoneMatch: undefined })
      assert.strictEqual(other._tag === "Modified" && other.body.replies.current_page, 2)
    })
  )

  it.effect("uploads a file and reads it, both in parts", () =>
    Effect.gen(function* () {
      const forum = yield* memberNamed("sender")
      const parts = [new TextEncoder().encode("one "), new TextEncoder().encode("two")]
      const asset: Asset = yield* forum.assets.upload({
        query: { filename: "a.txt" },
        payload: Stream.fromIterable(parts)
      })
      assert.strictEqual(asset.mime_type, "text/plain; charset=utf-8")
      const params = { asset_filename: asset.filename }
      const whole = yield* forum.assets.get({ params })
      const text = Stream.isStream(whole) ? yield* Stream.mkString(Stream.decodeText(whole)) : ""
      assert.strictEqual(text, "one two")
      const part = yield* forum.assets.get({ params, headers: { range: "bytes=4-6" } })
      assert.deepStrictEqual(part, parts[1])
      const missing = yield* Effect.flip(forum.assets.get({ params: { asset_filename: "x" } }))
      assert.instanceOf(missing, AssetNotFound)
    })
  )

  it.effect("calls what needs no parameters without any", () =>
    Effect.gen(function* () {
      const forum = yield* client
      assert.strictEqual(yield* forum.instance.version(), "1.2.3")
      assert.strictEqual((yield* forum.instance.info()).title, "Forum")
      assert.isUndefined((yield* forum.instance.session()).account)
      assert.strictEqual((yield* forum.instance.description()).openapi, "3.1.0")
      assert.match(yield* forum.instance.reference(), /^<!doctype html>/i)
      assert.isObject(yield* forum.instance.listProblems())
      yield* forum.instance.beacon({ payload: { k: "thread", id: "nowhere" } })
      assert.strictEqual((yield* forum.auth.listProviders()).mode, "handle")
      assert.strictEqual((yield* forum.roles.list()).roles.length, 3)
      assert.deepStrictEqual((yield* forum.categories.list()).categories, [])
      assert.deepStrictEqual((yield* forum.threads.list({ query: { q: "nothing" } })).threads, [])
    })
  )

  it.effect("fails with an instance of the problem that the operation declares", () =>
    Effect.gen(function* () {
      const forum = yield* client
      const problem = yield* forum.threads.get({ params: { thread_mark: "nowhere" } }).pipe(
        Effect.as(undefined),
        Effect.catchTag("ThreadNotFound", (problem) => Effect.succeed(problem))
      )
      assert.instanceOf(problem, ThreadNotFound)
      assert.deepStrictEqual(problem?.metadata, { thread_mark: "nowhere" })
      assert.match(problem?.trace_id ?? "", /^(?!0{32})[0-9a-f]{32}$/)
      assert.strictEqual(problem?.status, 404)
    })
  )

  it.effect("says how long to wait", () =>
    Effect.gen(function* () {
      yield* memberNamed("guarded")
      const attempt = (yield* client).auth.signIn({
        payload: { identifier: "guarded", token: "not the password" }
      })
      for (let wrong = 0; wrong < 10; wrong++) yield* Effect.flip(attempt)
      const problem = yield* Effect.flip(attempt)
      assert.instanceOf(problem, TooManyAttempts)
      const seconds: number = problem._tag === "TooManyAttempts" ? problem.metadata.retry_after : 0
      assert.isAbove(seconds, 0)
      yield* TestClock.adjust(`${seconds} seconds`)
      assert.strictEqual((yield* Effect.flip(attempt))._tag, "PasswordWrong")
    })
  )

  it.effect("refuses a request that is not valid before it is sent", () =>
    Effect.gen(function* () {
      const forum = yield* client
      const refusal = yield* Effect.flip(
        forum.auth.signIn({ payload: { identifier: "odin", token: "short" } })
      )
      assert.isTrue(Schema.isSchemaError(refusal))
    })
  )
})

/** A client of a service that answers every request the same, and the requests it was sent. */
const scripted = (options: Partial<Client.Options>, response: () => Response) => {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const http = HttpClient.make((request) =>
    Effect.sync(() => {
      requests.push(request)
      return HttpClientResponse.fromWeb(request, response())
    })
  )
  const made = Client.make({ baseUrl: "https://forum.test/below/", ...options })
  return Effect.map(Effect.provideService(made, HttpClient.HttpClient, http), (forum) => ({
    forum,
    requests
  }))
}

/** The options that a client passes to `fetch`. */
const fetchOptions = Effect.fnUntraced(function* (options: Partial<Client.Options>) {
  let passed: RequestInit | undefined
  const fetch: typeof globalThis.fetch = (_, init) => {
    passed = init
    return Promise.resolve(new Response("1", { headers: { "content-type": "text/plain" } }))
  }
  const forum = yield* Client.makeFetch({ baseUrl: "https://forum.test", ...options })
  yield* Effect.provideService(forum.instance.version(), FetchHttpClient.Fetch, fetch)
  return { credentials: passed?.credentials, redirect: passed?.redirect }
})

layer(TestApp.layer)("what the typed client sends", (it) => {
  const version = () => new Response("1", { headers: { "content-type": "text/plain", "set-cookie": "a=b" } })

  it.effect("goes to the address of the service, with an access key as a bearer token and no cookie", () =>
    Effect.gen(function* () {
      const { forum, requests } = yield* scripted({ accessKey: "fpk_key" }, version)
      yield* forum.instance.version()
      yield* forum.instance.version()
      assert.deepStrictEqual(
        requests.map(({ headers, url }) => [url, headers.authorization, headers.cookie]),
        Array(2).fill(["https://forum.test/below/api/version", "Bearer fpk_key", undefined])
      )
    })
  )

  it.effect("carries the cookies of earlier answers without one", () =>
    Effect.gen(function* () {
      const { forum, requests } = yield* scripted({}, version)
      yield* forum.instance.version()
      yield* forum.instance.version()
      assert.deepStrictEqual(
        requests.map(({ headers }) => [headers.authorization, headers.cookie]),
        [
          [undefined, undefined],
          [undefined, "a=b"]
        ]
      )
    })
  )

  it.effect("includes the cookies of a browser, unless an access key says who calls", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fetchOptions({}), { credentials: "include", redirect: "manual" })
      const keyed = yield* fetchOptions({ accessKey: "fpk_key" })
      assert.deepStrictEqual(keyed, { credentials: "omit", redirect: "manual" })
    })
  )

  it.effect("fails with the response where a proxy answers instead of the service", () =>
    Effect.gen(function* () {
      const { forum } = yield* scripted({}, () => new Response("<h1>Bad gateway</h1>", { status: 502 }))
      const failure = yield* Effect.flip(forum.threads.list())
      assert.strictEqual(failure._tag, "HttpClientError")
      assert.strictEqual(failure._tag === "HttpClientError" && failure.response?.status, 502)
    })
  )
})
