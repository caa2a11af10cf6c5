/** Making, listing and deleting connections to remote resources. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  RemoteAddressRefused,
  RemoteConnectionExists,
  RemoteConnectionNotFound,
  RemoteDiscoveryFailed,
  RemoteManualIncomplete,
  RemoteModeUnsupported,
  RemoteRegistrationFailed
} from "../../src/domain/remoteresource/RemoteRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { cimd, dcr, makeRemote, ownClientId, page, registration } from "../support/remote.ts"
import { authorise, comeBack, connect, connected, connections, gate, pending, permit } from "./support.ts"

const remote = makeRemote("archive")
const { issuer, resource } = remote

const manual = {
  client_id: "forum-at-archive",
  authorization_endpoint: "https://id.archive.test/authorize",
  token_endpoint: "https://id.archive.test/token"
} as const

/** What does not depend on when and by whom it was made. */
const withoutTimes = ({ createdAt: _, id: __, updatedAt: ___, ...rest }: Answer["json"]) => rest

const fresh = {
  resource_url: resource,
  status: "pending",
  has_client_secret: false,
  has_access_token: false,
  has_refresh_token: false,
  redirect_uri: page,
  redirect_uris: [page]
}

const discovered = {
  ...fresh,
  resource,
  resource_name: "Archive",
  authorization_server: issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  token_endpoint_auth_method: "none"
}

layer(People.layer)("a connection", (it) => {
  it.effect("to a server that reads documents has the address of ours as its client", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear({ tells: { ...cimd, ...dcr(remote) } })
      const made = ok(yield* connect(odin, remote, { scope: " read  write " }))
      assert.deepStrictEqual(withoutTimes(made), {
        ...discovered,
        mode: "cimd",
        client_id: ownClientId,
        registration_endpoint: `${issuer}/register`,
        scope: "read  write"
      })
      assert.deepStrictEqual(remote.asked, { registrations: [], grants: [] })
      // One that takes no clients without a secret is asked for nothing.
      yield* remote.appear({
        tells: { ...cimd, token_endpoint_auth_methods_supported: ["client_secret_basic"] }
      })
      assertProblem(yield* connect(odin, remote), RemoteModeUnsupported, { mode: "cimd" })
    })
  )

  it.effect("to a server where clients register has what it was registered as", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear({ tells: dcr(remote) })
      const made = ok(yield* connect(odin, remote, { scope: "read" }))
      assert.deepStrictEqual(withoutTimes(made), {
        ...discovered,
        mode: "dcr",
        client_id: "registered-archive",
        registration_endpoint: `${issuer}/register`,
        scope: "read"
      })
      assert.deepStrictEqual(remote.asked.registrations, [{ ...registration, scope: "read" }])
      for (const [body, method] of [
        [{ client_id: "x", client_secret: "hush" }, "client_secret_basic"],
        [
          { client_id: "x", client_secret: "hush", token_endpoint_auth_method: "client_secret_post" },
          "client_secret_post"
        ],
        [{ client_id: "x", client_secret: "hush", token_endpoint_auth_method: "none" }, "none"]
      ] as const) {
        yield* remote.behave({ registers: { status: 200, body } })
        const again = yield* connect(odin, remote, { mode: "dcr" })
        assert.notInclude(again.text, "hush")
        const { has_client_secret, token_endpoint_auth_method } = ok(again)
        assert.deepStrictEqual([has_client_secret, token_endpoint_auth_method], [method !== "none", method])
      }
    })
  )

  it.effect("is not made where the server does not register it as it has to", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear({ tells: dcr(remote) })
      const client = { client_id: "x", client_secret: "hush" }
      for (const [status, body, reason] of [
        [400, { error: "invalid_client_metadata" }, "refused"],
        [302, client, "refused"],
        [500, {}, "refused"],
        [201, {}, "answer"],
        [201, { ...client, token_endpoint_auth_method: "private_key_jwt" }, "method"],
        [201, { ...client, redirect_uris: ["https://evil.test/"] }, "redirect"]
      ] as const) {
        yield* remote.behave({ registers: { status, body } })
        assertProblem(yield* connect(odin, remote), RemoteRegistrationFailed, { reason })
      }
      yield* remote.appear({ tells: { registration_endpoint: "https://nowhere.test/" } })
      const unreachable = { reason: "unreachable" } as const
      assertProblem(yield* connect(odin, remote), RemoteRegistrationFailed, unreachable)
      yield* remote.appear()
      assertProblem(yield* connect(odin, remote, { mode: "dcr" }), RemoteModeUnsupported, { mode: "dcr" })
    })
  )

  it.effect("that is made by hand asks nobody", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* Effect.sync(() => Pages.asked.splice(0))
      const made = ok(yield* connect(odin, remote, { mode: "manual", manual }))
      const expected = {
        ...fresh,
        ...manual,
        mode: "manual",
        token_endpoint_auth_method: "none"
      }
      assert.deepStrictEqual(withoutTimes(made), expected)
      const all = {
        ...manual,
        client_secret: "hush",
        redirect_uri: "http://localhost:3000/cb",
        authorization_server: "https://ID.archive.test/",
        scope: "of the object"
      }
      const answer = yield* connect(odin, remote, { mode: "manual", manual: all, scope: "above" })
      assert.notInclude(answer.text, "hush")
      assert.deepStrictEqual(withoutTimes(ok(answer)), {
        ...expected,
        authorization_server: issuer,
        token_endpoint_auth_method: "client_secret_basic",
        has_client_secret: true,
        redirect_uri: all.redirect_uri,
        redirect_uris: [all.redirect_uri],
        scope: "above"
      })
      const { scope } = ok(yield* connect(odin, remote, { mode: "manual", manual: all }))
      assert.strictEqual(scope, "of the object")
      assert.deepStrictEqual(Pages.asked, [])
      // Where a query is in the address, it stays.
      const authorization_endpoint = "https://id.archive.test/authorize?tenant=1"
      const kept = ok(
        yield* connect(odin, remote, { mode: "manual", manual: { ...manual, authorization_endpoint } })
      )
      const begun = ok(yield* authorise(odin, kept.id))
      assert.strictEqual(new URL(begun.authorization_url).searchParams.get("tenant"), "1")
    })
  )

  it.effect("that is made by hand needs a client and two addresses", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const missing = (...names: ReadonlyArray<string>) => ({ missing: names })
      for (const [given, lacks] of [
        [undefined, missing("client_id", "authorization_endpoint", "token_endpoint")],
        [{ client_id: "x", authorization_endpoint: "" }, missing("authorization_endpoint", "token_endpoint")],
        [{ ...manual, token_endpoint: undefined }, missing("token_endpoint")]
      ] as const) {
        const more = given === undefined ? {} : { manual: given }
        assertProblem(
          yield* connect(odin, remote, { mode: "manual", ...more }),
          RemoteManualIncomplete,
          lacks
        )
      }
      for (const field of [
        "authorization_endpoint",
        "token_endpoint",
        "redirect_uri",
        "authorization_server"
      ] as const) {
        const wrong = { ...manual, [field]: "http://id.archive.test/" }
        const why = { field: `manual.${field}`, reason: "scheme" } as const
        assertProblem(
          yield* connect(odin, remote, { mode: "manual", manual: wrong }),
          RemoteAddressRefused,
          why
        )
      }
      const nowhere = yield* odin.post(connections, { resource_url: "x", mode: "manual", manual })
      assertProblem(nowhere, RemoteAddressRefused, { field: "resource_url", reason: "address" })
    })
  )

  it.effect("to a server that knows nobody by itself is made with what there is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear()
      const made = ok(yield* connect(odin, remote))
      assert.deepStrictEqual(withoutTimes(made), { ...discovered, mode: "manual", client_id: ownClientId })
      const known = { client_id: "forum", client_secret: "hush", redirect_uri: "http://localhost:3000/cb" }
      const registered = ok(yield* connect(odin, remote, { manual: known }))
      assert.deepStrictEqual(withoutTimes(registered), {
        ...discovered,
        mode: "manual",
        client_id: "forum",
        has_client_secret: true,
        token_endpoint_auth_method: "client_secret_basic",
        redirect_uri: known.redirect_uri,
        redirect_uris: [known.redirect_uri]
      })
    })
  )

  it.effect("is made as discovery goes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const made = yield* odin.post(connections, { resource_url: "https://nowhere.test/" })
      const why = { stage: "protected_resource", reason: "unreachable" } as const
      assertProblem(made, RemoteDiscoveryFailed, why)
      const body = { resource_url: "http://archive.test/" }
      assertProblem(yield* odin.post(connections, body), RemoteAddressRefused)
    })
  )

  it.effect("has limits", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const send = (more: object) => connect(odin, remote, { mode: "manual", ...more })
      assertInvalid(yield* send({ mode: "other" }), "body mode")
      assertInvalid(yield* send({ scope: "x".repeat(2001) }), "body scope")
      assertInvalid(yield* send({ scope: " " }), "body scope")
      const long = {
        client_id: "x".repeat(1001),
        client_secret: "x".repeat(2001),
        authorization_endpoint: "x".repeat(1001),
        token_endpoint: "x".repeat(1001),
        redirect_uri: "x".repeat(1001),
        authorization_server: "x".repeat(1001),
        scope: "x".repeat(2001)
      }
      const places = Object.keys(long).map((name) => `body manual.${name}`)
      assertInvalid(yield* send({ manual: long }), ...places)
      const address = (length: number) => "https://id.archive.test/".padEnd(length, "x")
      const longest = {
        client_id: "ö".repeat(1000),
        client_secret: "ö".repeat(2000),
        authorization_endpoint: address(1000),
        token_endpoint: address(1000),
        redirect_uri: address(1000),
        authorization_server: address(1000),
        scope: "ö".repeat(2000)
      }
      const resource_url = "https://archive.test/".padEnd(1000, "x")
      const made = ok(yield* odin.post(connections, { resource_url, mode: "manual", manual: longest }))
      ok(yield* authorise(odin, made.id))
    })
  )
})

layer(People.layer)("connections", (it) => {
  it.effect(
    "are one for each resource, server and account, and made anew while nobody has approved them",
    () =>
      Effect.gen(function* () {
        const { odin, tyr } = yield* Cast
        yield* permit(tyr)
        const first = yield* pending(odin, remote)
        yield* TestClock.adjust("1 second")
        const second = yield* pending(odin, remote)
        const third = yield* pending(tyr, remote)
        const byHand = ok(yield* connect(odin, remote, { mode: "manual", manual }))
        const elsewhere = { ...manual, authorization_server: "https://other.test" }
        const other = ok(yield* connect(odin, remote, { mode: "manual", manual: elsewhere }))
        const again = ok(yield* connect(odin, remote, { mode: "manual", manual }))
        assert.notStrictEqual(first.id, second.id)
        assertProblem(yield* authorise(odin, first.id), RemoteConnectionNotFound)
        assertProblem(yield* authorise(odin, byHand.id), RemoteConnectionNotFound)
        // Newest first, those of all accounts.
        const listed = ok(yield* tyr.get(connections)).connections
        assert.deepStrictEqual(idsOf(listed), [again.id, other.id, third.id, second.id])
        assert.deepStrictEqual(listed[2], third)
      })
  )

  it.effect("with a token are kept, and nothing is registered in their place", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const registering = makeRemote("library")
      const { id } = yield* connected(odin, registering, { tells: dcr(registering) })
      yield* registering.appear({ tells: dcr(registering) })
      const taken = { oauth_remote_connection_id: id }
      assertProblem(yield* connect(odin, registering), RemoteConnectionExists, taken)
      assert.deepStrictEqual(registering.asked.registrations, [])
      // It is that of this account alone, and deleted to make another.
      ok(yield* connect(tyr, registering))
      assert.strictEqual((yield* odin.delete(`${connections}/${id}`)).status, 204)
      assertProblem(yield* odin.delete(`${connections}/${id}`), RemoteConnectionNotFound, taken)
      ok(yield* connect(odin, registering))
    })
  )

  it.effect("that got their token while another one was being registered are kept as well", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* remote.appear({ tells: { ...cimd, ...dcr(remote) } })
      const { answer, before, isAsked } = yield* gate
      const registered = Pages.json({ client_id: "registered" }, 201)
      Pages.put(`${issuer}/register`, Effect.andThen(before, registered))
      for (const { id } of ok(yield* odin.get(connections)).connections) {
        yield* odin.delete(`${connections}/${id}`)
      }
      const slow = yield* Effect.forkChild(connect(odin, remote, { mode: "dcr" }))
      yield* isAsked
      const { id } = ok(yield* connect(odin, remote, { mode: "cimd" }))
      ok(yield* comeBack(odin, remote.approve(yield* authorise(odin, id))))
      yield* answer
      const refused = yield* Fiber.join(slow)
      assertProblem(refused, RemoteConnectionExists, { oauth_remote_connection_id: id })
      assert.deepStrictEqual(idsOf(ok(yield* odin.get(connections)).connections), [id])
      yield* odin.delete(`${connections}/${id}`)
    })
  )

  it.effect("that many make at the same time are one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const many = makeRemote("many")
      yield* many.appear({ tells: cimd })
      const answers = yield* Effect.forEach(Array(50).keys(), () => connect(odin, many), {
        concurrency: "unbounded"
      })
      for (const answer of answers) ok(answer)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from remote_connections where resource_url = ${many.resource}`, 1)
    })
  )

  it.effect("that there are not are not found, whatever is asked for", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const id of [nobody, "x", "0".repeat(1000), "%F0%9F%9A%80"]) {
        assertProblem(yield* authorise(odin, id), RemoteConnectionNotFound)
        assertProblem(yield* odin.delete(`${connections}/${id}`), RemoteConnectionNotFound)
      }
    })
  )

  it.effect("are for those who may manage robots", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* pending(odin, remote)
      for (const [person, refusal] of [
        [guest, Unauthenticated],
        [freya, Forbidden]
      ] as const) {
        assertProblem(yield* person.get(connections), refusal)
        assertProblem(yield* connect(person, remote), refusal)
        assertProblem(yield* authorise(person, id), refusal)
        assertProblem(yield* person.delete(`${connections}/${id}`), refusal)
        assertProblem(yield* comeBack(person, { state: "x", code: "x" }), refusal)
      }
    })
  )

  it.effect("keep no secret and no token that storage could read", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const secretive = makeRemote("secretive")
      const client = { id: "forum", secret: "hush-secret", method: "basic" } as const
      const gives = { access_token: "hush-access", refresh_token: "hush-refresh" }
      const known = { client_id: client.id, client_secret: client.secret }
      yield* secretive.appear({ client, gives })
      const { id } = ok(yield* connect(odin, secretive, { manual: known }))
      const begun = yield* authorise(odin, id)
      const brought = secretive.approve(begun)
      const done = yield* comeBack(odin, brought)
      assert.isTrue(ok(done).connection.has_refresh_token)
      const texts = [begun.text, done.text, (yield* odin.get(connections)).text]
      const sql = yield* SqlClient.SqlClient
      for (const table of ["remote_connections", "remote_authorizations", "event_log", "audit_events"]) {
        const rows = yield* sql<{
          readonly row: string
        }>`select ${sql.literal(table)}::text as row from ${sql(table)}`
        texts.push(...rows.map(({ row }) => row))
      }
      for (const secret of ["hush", Buffer.from("hush").toString("hex")]) {
        for (const text of texts) assert.notInclude(text, secret)
      }
      const stored = yield* sql<{ readonly row: string }>`select a::text as row from remote_authorizations a`
      for (const { row } of stored) assert.notInclude(row, brought.state)
      assert.isNotEmpty(stored)
    })
  )
})

layer(People.layer)("what becomes of connections", (it) => {
  it.effect("they go with their account", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* permit(tyr)
      const { id } = yield* pending(tyr, remote)
      ok(yield* authorise(tyr, id))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from accounts where id = ${tyr.id}`
      assert.lengthOf(yield* sql`select from remote_connections`, 0)
      assert.lengthOf(yield* sql`select from remote_authorizations`, 0)
    })
  )

  it.effect("the audit log tells of what was made, approved and deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const told = makeRemote("told")
      const first = yield* pending(odin, told)
      const { id } = yield* connected(odin, told)
      yield* odin.delete(`${connections}/${id}`)
      const { events } = ok(yield* odin.get("/admin/audit-events"))
      assert.deepStrictEqual(
        events
          .slice(0, 5)
          .map(({ oauth_remote_connection_id, type }: Answer["json"]) => [type, oauth_remote_connection_id]),
        [
          ["oauth_remote_connection_deleted", id],
          ["oauth_remote_connection_connected", id],
          ["oauth_remote_connection_created", id],
          ["oauth_remote_connection_deleted", first.id],
          ["oauth_remote_connection_created", first.id]
        ]
      )
    })
  )
})
