/** What the database holds of clients of OAuth, whatever the service asks of it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { documentClientsMax } from "../../src/domain/oauthclient/DocumentClientStore.ts"
import { openRegistrationsMax, tokenRegistrationsMax } from "../../src/domain/oauthclient/Registration.ts"
import { secretHash } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const valid = {
  origin: "administrator",
  client_id: "valid",
  name: "Valid",
  type: "public",
  scope_policy: "explicit",
  redirect_uris: "{https://a.example/}",
  allowed_scopes: "{openid}",
  allowed_grants: "{authorization_code}",
  secret_hash: null,
  account_id: ""
}

type Values = Readonly<Record<keyof typeof valid, string | null>>

const insert = (values: Values, owner: string) =>
  SqlClient.SqlClient.use(
    (
      sql
    ) => sql`insert into oauth_clients (id, account_id, origin, client_id, name, type, scope_policy, redirect_uris,
        allowed_scopes, allowed_grants, secret_hash, pkce_required, created_at, updated_at)
      values ('00000000000000000100', ${values.account_id === "" ? owner : values.account_id}, ${values.origin},
        ${values.client_id}, ${values.name}, ${values.type}, ${values.scope_policy}, ${values.redirect_uris}::text[],
        ${values.allowed_scopes}::text[], ${values.allowed_grants}::text[], ${values.secret_hash}, true, 'epoch',
        'epoch')`
  )

const many = (count: number, one: string) => `{${Array(count).fill(one).join(",")}}`

const refused: ReadonlyArray<Partial<Values>> = [
  { account_id: null },
  { account_id: "00000000000000000990" },
  { origin: "elsewhere" },
  { client_id: "" },
  { client_id: "two words" },
  { client_id: "x".repeat(201) },
  { client_id: "forum-cli" },
  { name: "" },
  { name: "x".repeat(101) },
  { type: "secret" },
  { type: "confidential" },
  { secret_hash: secretHash },
  { type: "confidential", secret_hash: "secret" },
  { type: "confidential", secret_hash: secretHash.replace("m=19456", "m=4194304") },
  { type: "confidential", secret_hash: secretHash.replace("t=2", "t=100") },
  { type: "confidential", secret_hash: secretHash.replace("p=1", "p=5") },
  { type: "confidential", secret_hash: secretHash.replace("argon2id", "argon2i") },
  { scope_policy: "any" },
  { redirect_uris: many(11, "a") },
  { redirect_uris: many(3, "x".repeat(1400)) },
  { redirect_uris: "{null}" },
  { redirect_uris: '{""}' },
  { allowed_scopes: many(65, "openid") },
  { allowed_scopes: "{null}" },
  { allowed_scopes: `{${"x".repeat(1025)}}` },
  { allowed_grants: "{password}" },
  { allowed_grants: many(5, "refresh_token") },
  { allowed_grants: "{null}" }
]

layer(People.layer)("the table of clients", (it) => {
  it.effect("takes none that breaks a limit", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const more of refused) {
        const attempt = yield* Effect.result(insert({ ...valid, ...more }, freya.id))
        assert.strictEqual(attempt._tag, "Failure", JSON.stringify(more).slice(0, 200))
      }
      yield* insert({ ...valid, type: "confidential", secret_hash: secretHash }, freya.id)
    })
  )

  it.effect("has no more of a kind than there may be, whatever the service counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insertMany = (origin: string, first: number, count: number) => sql`
        insert into oauth_clients (id, origin, client_id, name, type, scope_policy, redirect_uris, allowed_scopes,
          allowed_grants, pkce_required, created_at, updated_at)
        select ${origin.slice(0, 3)} || lpad(n::text, 16, '0') || 'g', ${origin}, ${origin} || n, 'Many', 'public',
          'explicit', '{}', '{}', '{}', true, 'epoch', 'epoch'
        from generate_series(${first}::int, ${first + count - 1}::int) n`
      yield* insertMany("document", 0, documentClientsMax)
      assert.strictEqual(
        (yield* Effect.result(insertMany("document", documentClientsMax, 1)))._tag,
        "Failure"
      )
      const all = openRegistrationsMax + tokenRegistrationsMax + 2
      yield* insertMany("registered", 0, all)
      const registering = (letBy: string, first: number, count: number) => sql`
        insert into oauth_registrations (id, let_by, token_hash, token_endpoint_auth_method, details)
        select id, ${letBy}, sha256(id::bytea), 'none', '{}' from oauth_clients where origin = 'registered'
          order by id limit ${count}::int offset ${first}::int`
      let first = 0
      for (const [letBy, maximum] of [
        ["openness", openRegistrationsMax],
        ["token", tokenRegistrationsMax]
      ] as const) {
        yield* registering(letBy, first, maximum)
        first += maximum
        assert.strictEqual((yield* Effect.result(registering(letBy, first, 1)))._tag, "Failure", letBy)
      }
      yield* sql`delete from oauth_clients where origin in ('document', 'registered')`
    })
  )

  it.effect("loses the clients of an account with it, and keeps those of the service", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from oauth_clients where origin = 'administrator'`
      yield* insert(valid, loki.id)
      yield* sql`delete from accounts where id = ${loki.id}`
      const left = yield* sql<{ readonly client_id: string }>`select client_id from oauth_clients order by id`
      assert.deepStrictEqual(
        left.map(({ client_id }) => client_id),
        ["storyden-cli", "forum-cli"]
      )
    })
  )
})
