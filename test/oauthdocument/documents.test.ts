/** Clients that are named by the address of a document, which the service fetches. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { documentClientsMax } from "../../src/domain/oauthclient/DocumentClientStore.ts"
import { ClientDocuments } from "../../src/domain/oauthdocument/ClientDocuments.ts"
import { DocumentSettings } from "../../src/domain/oauthdocument/DocumentSettings.ts"
import { fetchBounds } from "../../src/domain/oauthdocument/FetchBounds.ts"
import {
  type OutboundAnswer,
  OutboundFailed,
  type OutboundRequest
} from "../../src/domain/outbound/Outbound.ts"
import { ClientNetwork } from "../../src/domain/shared/Client.ts"
import { OAuthError } from "../../src/domain/shared/OAuthError.ts"
import { ok } from "../support/answers.ts"
import { authorisation } from "../support/authorisations.ts"
import { administrative, createOwn } from "../support/clients.ts"
import { fifty } from "../support/fifty.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

const settings: DocumentSettings = {
  enabled: true,
  allowedPermissions: [],
  allowsPrivileged: false,
  allowsInsecure: false
}

const app = (differences: Partial<DocumentSettings> = {}) =>
  People.withCast(
    Layer.provide(TestApp.layer, Layer.succeed(DocumentSettings, { ...settings, ...differences }))
  )

const home = ClientNetwork.make("192.0.2.1")

const resolve = (clientId: string, from = home) =>
  ClientDocuments.use((documents) => documents.resolve(clientId, from))

const resolved = (clientId: string, from = home) => Effect.map(resolve(clientId, from), Option.getOrThrow)

/** The code with which a client is refused. */
const refusal = (clientId: string, from = home) =>
  Effect.map(Effect.flip(resolve(clientId, from)), (failure) => {
    assert.instanceOf(failure, OAuthError)
    return failure.error
  })

const redirect_uris = ["https://tides.example/callback"]

let names = 0

/** An address that nothing of another test has. */
const newAddress = () => `https://tides.example/client-${names++}`

const answerWith = (body: unknown, headers: Readonly<Record<string, string>> = {}): OutboundAnswer => ({
  url: "",
  status: 200,
  headers: { "content-type": "application/json", ...headers },
  body: new TextEncoder().encode(JSON.stringify(body))
})

/** Puts a document at its address. */
const put = (client_id: string, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  Effect.sync(() =>
    Pages.put(client_id, Effect.succeed(answerWith({ client_id, redirect_uris, ...more }, headers)))
  )

/** How often an address was asked for. */
const fetches = (clientId: string) => Pages.asked.filter((one) => one === clientId).length

layer(app())("a client with a document", (it) => {
  it.effect("is a public client of nobody, as the document describes it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const client_id = newAddress()
      const scope = "openid offline_access READ_PUBLISHED_THREADS MANAGE_LIBRARY ADMINISTRATOR"
      yield* put(client_id, { client_name: "Tide tables", scope, unknown: { a: 1 } })
      const { isBuiltIn, pkceRequired, shown } = yield* resolved(client_id)
      const { createdAt, id, updatedAt, ...client } = shown
      assert.deepStrictEqual(client, {
        client_id,
        name: "Tide tables",
        type: "public",
        scope_policy: "explicit",
        redirect_uris,
        allowed_scopes: ["openid", "offline_access", "READ_PUBLISHED_THREADS"],
        allowed_grants: ["authorization_code", "refresh_token"]
      })
      assert.deepStrictEqual([isBuiltIn, pkceRequired], [false, true])
      assert.strictEqual(createdAt, updatedAt)
      const { clients } = ok(yield* odin.get(administrative))
      assert.deepInclude(clients, shown)
      assert.deepStrictEqual(ok(yield* odin.get(`${administrative}/${id}`)), shown)
    })
  )

  it.effect("is fetched with a request that reaches the public internet only, once and shortly", () =>
    Effect.gen(function* () {
      const client_id = newAddress()
      let sent: OutboundRequest | undefined
      Pages.put(client_id, (request) => {
        sent = request
        return Effect.succeed(answerWith({ client_id, redirect_uris }))
      })
      yield* resolved(client_id)
      assert.deepStrictEqual(sent, {
        url: client_id,
        accept: "application/json",
        maxBytes: 5120,
        beyond: "failure",
        redirects: 0,
        within: "10 seconds",
        publicOnly: true
      })
    })
  )

  it.effect("is the same client after a change, which is found when the document is fetched again", () =>
    Effect.gen(function* () {
      const client_id = newAddress()
      yield* put(client_id, { client_name: "Tides", scope: "openid" })
      const before = (yield* resolved(client_id)).shown
      const other = ["https://tides.example/other"]
      yield* put(client_id, { client_name: "Waves", scope: "email offline_access", redirect_uris: other })
      yield* TestClock.adjust("299 seconds")
      assert.deepStrictEqual((yield* resolved(client_id)).shown, before)
      assert.strictEqual(fetches(client_id), 1)
      yield* TestClock.adjust("1 second")
      const after = (yield* resolved(client_id)).shown
      assert.deepStrictEqual(after, {
        ...before,
        name: "Waves",
        redirect_uris: other,
        allowed_scopes: ["email", "offline_access"],
        allowed_grants: ["authorization_code", "refresh_token"],
        updatedAt: after.updatedAt
      })
      assert.isTrue(after.updatedAt > before.updatedAt)
      yield* TestClock.adjust("1 hour")
      // What is the same was not changed.
      assert.deepStrictEqual((yield* resolved(client_id)).shown, after)
      assert.strictEqual(fetches(client_id), 3)
    })
  )

  it.effect("is fetched again as its answer says", () =>
    Effect.gen(function* () {
      for (const [caching, seconds] of [
        ["max-age=60", 60],
        ["max-age=86400", 3600]
      ] as const) {
        const client_id = newAddress()
        yield* put(client_id, {}, { "cache-control": caching })
        yield* resolved(client_id)
        yield* TestClock.adjust(`${seconds - 1} seconds`)
        yield* resolved(client_id)
        assert.strictEqual(fetches(client_id), 1)
        yield* TestClock.adjust("1 second")
        yield* resolved(client_id)
        assert.strictEqual(fetches(client_id), 2)
      }
      for (const caching of ["no-store", "no-cache", "max-age=0", "max-age=-1"]) {
        const client_id = newAddress()
        yield* put(client_id, {}, { "cache-control": caching })
        yield* resolved(client_id)
        yield* resolved(client_id)
        assert.strictEqual(fetches(client_id), 2, caching)
      }
    })
  )

  it.effect("is refused whatever is wrong, is not remembered, and has no way back to what it was", () =>
    Effect.gen(function* () {
      const client_id = newAddress()
      const fresh = { "cache-control": "no-store" }
      yield* put(client_id, {}, fresh)
      yield* resolved(client_id)
      const good = answerWith({ client_id, redirect_uris })
      const wrong: ReadonlyArray<Effect.Effect<OutboundAnswer, OutboundFailed>> = [
        Effect.succeed({ ...good, status: 302, headers: { ...good.headers, location: newAddress() } }),
        Effect.succeed({ ...good, status: 404 }),
        Effect.succeed({ ...good, headers: { "content-type": "text/html" } }),
        Effect.succeed({ ...good, headers: {} }),
        Effect.succeed(answerWith({ client_id: newAddress(), redirect_uris })),
        Effect.succeed(answerWith({ client_id, redirect_uris: [] })),
        Effect.succeed(answerWith({ client_id, redirect_uris, client_secret: "x" })),
        ...(["name", "connection", "time", "redirects", "size", "encoding"] as const).map((reason) =>
          Effect.fail(new OutboundFailed({ url: client_id, reason }))
        )
      ]
      for (const answer of wrong) {
        Pages.put(client_id, answer)
        const before = fetches(client_id)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* refusal(client_id), "invalid_client")
        assert.strictEqual(fetches(client_id), before + 1)
      }
      yield* put(client_id, {}, fresh)
      yield* resolved(client_id)
    })
  )

  it.effect("is never fetched from an address that is not public, or not a good one", () =>
    Effect.gen(function* () {
      const before = Pages.asked.length
      for (const clientId of [
        "https://localhost/client",
        "https://a.localhost/client",
        "https://127.0.0.1/client",
        "https://[::1]/client",
        "https://10.0.0.1/client",
        "https://169.254.169.254/latest",
        "https://[::ffff:127.0.0.1]/client",
        "http://tides.example/client",
        "https://tides.example/",
        "https://user@tides.example/client",
        "https://tides.example/client#x",
        "https://tides.example/a/../b"
      ]) {
        assert.strictEqual(yield* refusal(clientId), "invalid_client", clientId)
      }
      assert.strictEqual(Pages.asked.length, before)
    })
  )

  it.effect("is fetched once for all who ask at the same time, also where the first of them goes away", () =>
    Effect.gen(function* () {
      const client_id = newAddress()
      const [asked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      Pages.put(client_id, () =>
        Effect.andThen(
          Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(released)),
          Effect.succeed(answerWith({ client_id, redirect_uris }))
        )
      )
      const first = yield* Effect.forkChild(resolved(client_id))
      yield* Deferred.await(asked)
      const others = yield* Effect.forEach(Array.from({ length: 49 }), () =>
        Effect.forkChild(resolved(client_id))
      )
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(released, undefined)
      const found = yield* Effect.forEach(others, Fiber.join)
      assert.strictEqual(new Set(found.map(({ shown }) => shown.id)).size, 1)
      assert.isBelow(fetches(client_id), 3)
      const three = newAddress()
      yield* put(three)
      const clients = yield* Effect.forEach([1, 2, 3], () => resolved(three), { concurrency: "unbounded" })
      assert.strictEqual(new Set(clients.map(({ shown }) => shown.id)).size, 1)
      assert.strictEqual(fetches(three), 1)
    })
  )

  it.effect("is fetched again once an administrator deleted it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const client_id = newAddress()
      yield* put(client_id)
      const { shown } = yield* resolved(client_id)
      assert.strictEqual((yield* odin.delete(`${administrative}/${shown.id}`)).status, 204)
      assert.notStrictEqual((yield* resolved(client_id)).shown.id, shown.id)
      assert.strictEqual(fetches(client_id), 2)
    })
  )

  it.effect("is not what other ids name", () =>
    Effect.gen(function* () {
      for (const clientId of ["storyden-cli", "foc_x", "", "https://", "ftp://tides.example/x"]) {
        assert.deepStrictEqual(yield* resolve(clientId), Option.none(), clientId)
      }
    })
  )
})

layer(app({ enabled: false }))("where documents name no clients", (it) => {
  it.effect("nothing is fetched", () =>
    Effect.gen(function* () {
      const client_id = newAddress()
      yield* put(client_id)
      assert.deepStrictEqual(yield* resolve(client_id), Option.none())
      assert.strictEqual(fetches(client_id), 0)
    })
  )
})

layer(app({ allowsInsecure: true, allowedPermissions: ["CREATE_POST"] }))("in development", (it) => {
  it.effect("documents come by http and from this machine, where the operator opened its network", () =>
    Effect.gen(function* () {
      const client_id = "http://localhost:4000/client"
      let sent: OutboundRequest | undefined
      Pages.put(client_id, (request) => {
        sent = request
        return Effect.succeed(answerWith({ client_id, redirect_uris, scope: "CREATE_POST READ_PROFILE" }))
      })
      assert.deepStrictEqual((yield* resolved(client_id)).shown.allowed_scopes, ["CREATE_POST"])
      assert.strictEqual(sent?.publicOnly, false)
    })
  )
})

layer(app())("strangers", (it) => {
  it.effect("make the service fetch so much in a minute, of one network and of all", () =>
    Effect.gen(function* () {
      const fetchFrom = Effect.fnUntraced(function* (network: number) {
        const client_id = newAddress()
        return yield* refusal(client_id, ClientNetwork.make(`198.51.100.${network}`))
      })
      for (let n = 0; n < fetchBounds.perMinuteAndNetwork; n++) {
        assert.strictEqual(yield* fetchFrom(0), "invalid_client")
      }
      const known = newAddress()
      yield* put(known, {}, { "cache-control": "no-store" })
      yield* resolved(known)
      const before = Pages.asked.length
      assert.strictEqual(yield* fetchFrom(0), "temporarily_unavailable")
      for (let n = fetchBounds.perMinuteAndNetwork + 1; n < fetchBounds.perMinute; n++) {
        assert.strictEqual(yield* fetchFrom(1 + (n % 20)), "invalid_client")
      }
      assert.strictEqual(yield* fetchFrom(30), "temporarily_unavailable")
      // Clients that are known do not wait for them.
      yield* resolved(known)
      assert.strictEqual(Pages.asked.length - before, fetchBounds.perMinute - fetchBounds.perMinuteAndNetwork)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* fetchFrom(0), "invalid_client")
      assert.strictEqual(yield* fetchFrom(30), "invalid_client")
    })
  )

  it.effect("make the service fetch so much at a time", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const released = yield* Deferred.make<void>()
      const slow = Effect.fnUntraced(function* (network: number) {
        const client_id = newAddress()
        const asked = yield* Deferred.make<void>()
        Pages.put(client_id, () =>
          Effect.andThen(
            Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(released)),
            Effect.succeed(answerWith({ client_id, redirect_uris }))
          )
        )
        const from = ClientNetwork.make(`203.0.113.${network}`)
        const fiber = yield* Effect.forkChild(resolved(client_id, from))
        yield* Deferred.await(asked)
        return fiber
      })
      const at = (network: number) => refusal(newAddress(), ClientNetwork.make(`203.0.113.${network}`))
      const fibers = []
      for (let n = 0; n < fetchBounds.parallelPerNetwork; n++) fibers.push(yield* slow(0))
      assert.strictEqual(yield* at(0), "temporarily_unavailable")
      for (let n = fibers.length; n < fetchBounds.parallel; n++) fibers.push(yield* slow(n))
      assert.strictEqual(yield* at(100), "temporarily_unavailable")
      yield* Deferred.succeed(released, undefined)
      yield* Effect.forEach(fibers, Fiber.join)
      assert.strictEqual(yield* at(0), "invalid_client")
      assert.strictEqual(yield* at(100), "invalid_client")
    })
  )

  it.effect(
    "fill the instance with as many clients as it may have; unused ones make room after an hour",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { clean } = yield* ClientDocuments
        yield* TestClock.adjust("1 minute")
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from oauth_clients where origin = 'document'`
        const oldest = newAddress()
        yield* put(oldest)
        yield* resolved(oldest)
        yield* TestClock.adjust("1 second")
        const [{ at }] = (yield* sql<{ readonly at: Date }>`
        select fetched_at + interval '1 second' as at from oauth_documents`) as [{ readonly at: Date }]
        yield* sql`insert into oauth_clients (id, origin, client_id, name, type, scope_policy, redirect_uris,
          allowed_scopes, allowed_grants, pkce_required, created_at, updated_at)
        select lpad(n::text, 19, '0') || 'g', 'document', 'https://many.example/' || n, 'Many', 'public', 'explicit',
          '{}', '{}', '{}', true, ${at}, ${at} from generate_series(2, ${documentClientsMax}::int) n`
        yield* sql`insert into oauth_documents (id, fetched_at)
        select id, ${at} from oauth_clients where client_id like 'https://many.example/%'`
        // One that is younger, but was fetched before all others.
        yield* sql`update oauth_documents set fetched_at = fetched_at + interval '1 millisecond'
          where id <> (select id from oauth_clients where client_id = ${oldest})
            and id <> lpad('2', 19, '0') || 'g'`
        const newDocument = newAddress()
        yield* put(newDocument)
        const late = newAddress()
        yield* put(late)
        assert.strictEqual(yield* refusal(late), "invalid_client")
        // Administrators have room of their own.
        yield* createOwn(odin)
        yield* TestClock.adjust("3599 seconds")
        yield* resolved(late)
        const has = (clientId: string) =>
          Effect.map(
            sql`select from oauth_clients where client_id = ${clientId}`,
            (rows) => rows.length === 1
          )
        assert.isFalse(yield* has(oldest))
        assert.isTrue(yield* has("https://many.example/2"))
        // The next is of those that are left the one that was fetched longest ago, when all may make room.
        yield* TestClock.adjust("1 hour")
        const later = newAddress()
        yield* put(later)
        yield* resolved(later)
        assert.isFalse(yield* has("https://many.example/2"))
        assert.isTrue(yield* has("https://many.example/3"))
        // One that somebody has granted something stays.
        yield* sql`insert into oauth_grants (id, client_id, account_id, kind, created_at)
          select id, id, ${odin.id}, 'consent', created_at from oauth_clients where client_id = ${later}`
        yield* TestClock.adjust("7 days")
        yield* put(late)
        yield* resolved(late)
        yield* clean
        assert.deepStrictEqual([yield* has(late), yield* has(later)], [true, true])
        assert.lengthOf(yield* sql`select from oauth_documents`, 2)
        // Where there is room, none makes any.
        yield* TestClock.adjust("2 hours")
        yield* resolved(newDocument)
        assert.isTrue(yield* has(late))
      })
  )
})

const elsewhere = Layer.provide(TestApp.uncached, Layer.succeed(DocumentSettings, settings))

layer(Layer.provideMerge(elsewhere, app()))("a new client with a document, on two instances,", (it) => {
  it.effect("is one client, whoever has fetched it first", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++) {
        const client_id = newAddress()
        // Each instance answers what it was asked for once both have asked.
        const both = yield* Deferred.make<void>()
        let asked = 0
        Pages.put(client_id, () =>
          Effect.gen(function* () {
            if (++asked === 2) yield* Deferred.succeed(both, undefined)
            yield* Deferred.await(both)
            return answerWith({ client_id, redirect_uris })
          })
        )
        const ask = authorisation(client_id, { redirect_uri: redirect_uris[0] })
        for (const { status, text } of yield* fifty(() => odin.get(ask)))
          assert.strictEqual(status, 302, text)
        assert.lengthOf(yield* sql`select from oauth_clients where client_id = ${client_id}`, 1)
      }
    })
  )
})
