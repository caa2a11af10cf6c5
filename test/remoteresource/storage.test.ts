/** What the database holds of connections, whatever the service asks of it; and how many there may be. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { connectionsMax } from "../../src/domain/remoteresource/RemoteConnection.ts"
import { TooManyRemoteConnections } from "../../src/domain/remoteresource/RemoteRefusal.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { dcr, makeRemote } from "../support/remote.ts"
import { connect, connections } from "./support.ts"

const valid = {
  resource_url: "https://a.example/",
  authorization_server: null,
  mode: "cimd",
  status: "pending",
  last_error: null,
  resource: null,
  resource_name: null,
  client_id: "me",
  authorization_endpoint: "https://a.example/a",
  token_endpoint: "https://a.example/t",
  registration_endpoint: null,
  token_endpoint_auth_method: "none",
  redirect_uri: "https://forum.example/cb",
  redirect_uris: "{https://forum.example/cb}",
  scope: null,
  issuer: null,
  client_secret: null,
  access_token: null,
  refresh_token: null,
  token_type: null,
  token_expiry: null,
  lease_holder: null,
  lease_until: null
}

type Values = Readonly<Record<keyof typeof valid, string | null>>

const insert = (values: Values, owner: string, id = "00000000000000000100") =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into remote_connections (id, account_id, created_at, updated_at, resource_url,
        authorization_server, mode, status, last_error, resource, resource_name, client_id, authorization_endpoint,
        token_endpoint, registration_endpoint, token_endpoint_auth_method, redirect_uri, redirect_uris, scope, issuer,
        names_itself, client_secret, access_token, refresh_token, token_type, token_expiry, lease_holder, lease_until)
      values (${id}, ${owner}, 'epoch', 'epoch', ${values.resource_url}, ${values.authorization_server},
        ${values.mode}, ${values.status}, ${values.last_error}, ${values.resource}, ${values.resource_name},
        ${values.client_id}, ${values.authorization_endpoint}, ${values.token_endpoint},
        ${values.registration_endpoint}, ${values.token_endpoint_auth_method}, ${values.redirect_uri},
        ${values.redirect_uris}::text[], ${values.scope}, ${values.issuer}, false, ${values.client_secret}::bytea,
        ${values.access_token}::bytea, ${values.refresh_token}::bytea, ${values.token_type},
        ${values.token_expiry}::timestamptz, ${values.lease_holder}, ${values.lease_until}::timestamptz)`
  )

const long = (length: number) => "x".repeat(length + 1)
const token = { access_token: "x", token_type: "Bearer" }

const refused: ReadonlyArray<Partial<Values>> = [
  { resource_url: "" },
  { resource_url: long(1000) },
  { resource_url: "ü".repeat(501) },
  { authorization_server: "" },
  { authorization_server: long(1000) },
  { mode: "other" },
  { status: "other" },
  { status: "connected" },
  { last_error: "" },
  { last_error: long(200) },
  { resource: "" },
  { resource: long(1000) },
  { resource_name: long(200) },
  { client_id: "" },
  { client_id: long(1000) },
  { authorization_endpoint: "" },
  { authorization_endpoint: long(1000) },
  { token_endpoint: long(1000) },
  { registration_endpoint: "" },
  { registration_endpoint: long(1000) },
  { token_endpoint_auth_method: "private_key_jwt" },
  { token_endpoint_auth_method: "client_secret_basic" },
  { client_secret: "x" },
  { client_secret: long(16_384), token_endpoint_auth_method: "client_secret_post" },
  { redirect_uri: "" },
  { redirect_uri: long(1000) },
  { redirect_uris: "{}" },
  { redirect_uris: `{${Array(11).fill("r").join(",")}}` },
  { redirect_uris: `{${long(4000)}}` },
  { redirect_uris: "{r,null}" },
  { redirect_uris: '{r,""}' },
  { scope: "" },
  { scope: long(2000) },
  { issuer: long(1000) },
  { access_token: "x" },
  { token_type: "Bearer" },
  { ...token, access_token: long(262_144) },
  { ...token, refresh_token: long(262_144) },
  { ...token, token_type: "two words" },
  { ...token, token_type: long(100) },
  { refresh_token: "x" },
  { token_expiry: "epoch" },
  { lease_holder: "x".repeat(43) },
  { lease_holder: "x", lease_until: "epoch" }
]

layer(People.layer)("the table of connections", (it) => {
  it.effect("takes none that breaks a limit, and one for each identity", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      for (const more of refused) {
        const attempt = yield* Effect.result(insert({ ...valid, ...more }, freya.id))
        assert.strictEqual(attempt._tag, "Failure", JSON.stringify(more).slice(0, 200))
      }
      yield* insert({ ...valid, ...token, status: "connected" }, freya.id)
      const again = yield* Effect.result(insert(valid, freya.id, "00000000000000000200"))
      assert.strictEqual(again._tag, "Failure")
      const server = { ...valid, authorization_server: "https://id.example" }
      yield* insert(server, freya.id, "00000000000000000200")
      yield* insert(valid, loki.id, "00000000000000000300")
    })
  )
})

const manual = {
  client_id: "me",
  authorization_endpoint: "https://a.test/a",
  token_endpoint: "https://a.test/t"
}

layer(People.layer)("an instance", (it) => {
  it.effect("has as many connections as it may, and lists all of them", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (let n = 0; n < connectionsMax - 5; n++) {
        const id = `${String(n).padStart(19, "0")}0`
        yield* insert({ ...valid, resource_url: `https://a.test/${n}` }, freya.id, id)
      }
      const make = (n: number) =>
        odin.post(connections, { resource_url: `https://b.test/${n}`, mode: "manual", manual })
      const answers = yield* Effect.forEach(Array(50).keys(), make, { concurrency: "unbounded" })
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        5
      )
      for (const answer of answers) {
        if (answer.status !== 200)
          assertProblem(answer, TooManyRemoteConnections, { maximum: connectionsMax })
      }
      const listed = ok(yield* odin.get(connections)).connections
      assert.lengthOf(listed, connectionsMax)
      // What is made anew takes no more room, and one that is deleted makes some.
      ok(yield* odin.post(connections, { resource_url: listed[0].resource_url, mode: "manual", manual }))
      assertProblem(yield* make(100), TooManyRemoteConnections, { maximum: connectionsMax })
      // A server is not asked to register what would not be kept.
      const remote = makeRemote("archive")
      yield* remote.appear({ tells: dcr(remote) })
      assertProblem(yield* connect(odin, remote), TooManyRemoteConnections, { maximum: connectionsMax })
      assert.deepStrictEqual(remote.asked.registrations, [])
      yield* odin.delete(`${connections}/${listed[1].id}`)
      ok(yield* make(100))
    })
  )
})
