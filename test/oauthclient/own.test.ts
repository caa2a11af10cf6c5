/** Clients of OAuth of one's own. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  OAuthClientInvalid,
  OAuthClientNotFound,
  OAuthClientNotYours
} from "../../src/domain/oauthclient/OAuthClient.ts"
import { CookieRequired, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { idsOf, ok } from "../support/answers.ts"
import { createClient, createOwn, ownClient, own as path } from "../support/clients.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, signUp } from "../support/people.ts"
import { assertInvalid, assertOAuthError, assertProblem } from "../support/problems.ts"

const device = "urn:ietf:params:oauth:grant-type:device_code"

const clientsOf = (person: Person) => Effect.map(person.get(path), (answer) => ok(answer).clients)

const callsOf = (person: Person, id: string) => [
  person.get(path),
  person.post(path, ownClient()),
  person.get(`${path}/${id}`),
  person.patch(`${path}/${id}`, {}),
  person.delete(`${path}/${id}`)
]

layer(People.layer)("a client of one's own", (it) => {
  it.effect("has a generated id, and a generated secret if it is confidential", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const input = ownClient({ type: "confidential", pkce_required: false })
      const answer = yield* odin.post(path, input)
      const { client, client_secret } = ok(answer)
      const { client_id, createdAt, id, updatedAt, ...rest } = client
      const { pkce_required: _, ...shown } = input
      assert.deepStrictEqual(rest, { ...shown, account_id: odin.id, scope_policy: "explicit" })
      assert.match(client_id, /^foc_[A-Za-z0-9_-]{43}$/)
      assert.match(client_secret, /^fos_[A-Za-z0-9_-]{43}$/)
      assert.strictEqual(createdAt, updatedAt)
      assert.include(answer.headers["cache-control"], "no-store")
      assert.deepStrictEqual(ok(yield* odin.get(`${path}/${id}`)), client)
      const open = yield* createOwn(odin, { redirect_uris: ["myapp://callback"] })
      assert.notProperty(open, "client_secret")
      assert.deepStrictEqual(yield* clientsOf(odin), [open.client, client])
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly secret_hash: string; readonly pkce_required: boolean }>`
        select secret_hash, pkce_required from oauth_clients where id = ${id}`
      assert.match(row?.secret_hash ?? "", /^\$argon2id\$/)
      assert.strictEqual(row?.pkce_required, false)
    })
  )

  it.effect("is for administrators, by cookie", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* grant(odin, permission)
      yield* grant(tyr, ...Permission.literals.filter((one) => one !== "ADMINISTRATOR"))
      const program = yield* withKey(odin)
      const { client } = yield* createOwn(odin)
      for (const call of callsOf(guest, client.id)) assertProblem(yield* call, Unauthenticated)
      for (const call of callsOf(program, client.id)) assertProblem(yield* call, CookieRequired)
      for (const person of [freya, tyr]) {
        for (const call of callsOf(person, client.id)) {
          assertProblem(yield* call, Forbidden, { permission: "ADMINISTRATOR" })
        }
      }
      assert.include(idsOf(yield* clientsOf(odin)), client.id)
    })
  )

  it.effect("has a form that works", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* clientsOf(odin)
      const invalid: ReadonlyArray<readonly [more: object, place: string]> = [
        [{ allowed_grants: [] }, "allowed_grants"],
        [{ allowed_grants: ["password"] }, "allowed_grants.0"],
        [{ allowed_grants: undefined }, "allowed_grants"],
        [{ allowed_scopes: ["openid"] }, "allowed_scopes.0"],
        [{ allowed_scopes: ["CREATE_POST", "offline_access"] }, "allowed_scopes.1"],
        [{ allowed_scopes: ["nonsense"] }, "allowed_scopes.0"],
        [{ allowed_scopes: undefined }, "allowed_scopes"],
        [{ type: "secret" }, "type"],
        [{ type: undefined }, "type"],
        [{ pkce_required: undefined }, "pkce_required"],
        [{ pkce_required: "true" }, "pkce_required"],
        [{ name: undefined }, "name"],
        [{ redirect_uris: ["javascript:alert(1)"] }, "redirect_uris.0"]
      ]
      for (const [more, place] of invalid) {
        assertInvalid(yield* odin.post(path, ownClient({ ...more })), `body ${place}`)
      }
      const broken: ReadonlyArray<readonly [more: object, rule: OAuthClientInvalid["metadata"]["rule"]]> = [
        [{ redirect_uris: [] }, "authorization-code-needs-redirect"],
        [{ redirect_uris: undefined }, "authorization-code-needs-redirect"],
        [
          { allowed_grants: ["client_credentials"], redirect_uris: [] },
          "client-credentials-needs-confidential"
        ],
        [{ pkce_required: false }, "public-authorization-code-needs-pkce"],
        [
          { type: "confidential", allowed_grants: ["client_credentials"] },
          "client-credentials-without-redirect"
        ]
      ]
      for (const [more, rule] of broken) {
        assertProblem(yield* odin.post(path, ownClient({ ...more })), OAuthClientInvalid, { rule })
      }
      assert.deepStrictEqual(yield* clientsOf(odin), before)
      const works = [
        { type: "confidential", allowed_grants: ["client_credentials"], redirect_uris: undefined },
        { type: "confidential", allowed_grants: ["client_credentials", "authorization_code"] },
        { allowed_grants: [device], redirect_uris: undefined, pkce_required: false },
        { allowed_scopes: ["ADMINISTRATOR"] },
        { allowed_scopes: [] }
      ]
      for (const more of works) assert.isArray((yield* createOwn(odin, more)).client.redirect_uris)
    })
  )

  it.effect("is changed by its owner, by the same rules", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client } = yield* createOwn(odin)
      const one = `${path}/${client.id}`
      const change = {
        name: "Library",
        redirect_uris: ["https://library.example/callback"],
        allowed_scopes: ["CREATE_POST"]
      }
      const changed = ok(yield* odin.patch(one, change))
      assert.deepStrictEqual(changed, { ...client, ...change, updatedAt: changed.updatedAt })
      assert.deepStrictEqual(ok(yield* odin.get(one)), changed)
      assertInvalid(yield* odin.patch(one, { allowed_scopes: ["openid"] }), "body allowed_scopes.0")
      assertProblem(yield* odin.patch(one, { redirect_uris: [] }), OAuthClientInvalid, {
        rule: "authorization-code-needs-redirect"
      })
      // What is not declared changes nothing.
      const others = {
        allowed_grants: [device],
        scope_policy: "inherit",
        type: "confidential",
        client_id: "x"
      }
      assert.deepStrictEqual(ok(yield* odin.patch(one, others)), changed)
      assert.deepStrictEqual(ok(yield* odin.patch(one, {})), changed)
      assert.strictEqual((yield* odin.delete(one)).status, 204)
      assert.notInclude(idsOf(yield* clientsOf(odin)), client.id)
    })
  )

  it.effect("of another, of nobody, or that does not exist is refused as clients know it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const boss = yield* signUp("boss")
      yield* grant(boss, "ADMINISTRATOR")
      const { client } = yield* createOwn(boss)
      const given = yield* createClient(odin, boss)
      const texts = new Set<string>()
      for (const oauth_client_id of [client.id, given.id, "000000000000000000c0"]) {
        const one = `${path}/${oauth_client_id}`
        texts.add(assertOAuthError(yield* odin.get(one), "invalid_request"))
        assertProblem(yield* odin.patch(one, { name: "Mine" }), OAuthClientNotYours, { oauth_client_id })
        texts.add(assertOAuthError(yield* odin.delete(one), "invalid_request"))
      }
      for (const oauth_client_id of [nobody, "x", client.client_id]) {
        const one = `${path}/${oauth_client_id}`
        assertProblem(yield* odin.get(one), OAuthClientNotFound, { oauth_client_id })
        assertProblem(yield* odin.patch(one, { name: "Mine" }), OAuthClientNotFound, { oauth_client_id })
        texts.add(assertOAuthError(yield* odin.delete(one), "invalid_request"))
      }
      assert.strictEqual(texts.size, 1)
      // What an administrator made for somebody is theirs.
      assert.deepStrictEqual(idsOf(yield* clientsOf(boss)), [given.id, client.id])
      ok(yield* boss.patch(`${path}/${given.id}`, { name: "Mine" }))
    })
  )

  it.effect("is in the audit log when it is created, changed and deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client } = yield* createOwn(odin)
      ok(yield* odin.patch(`${path}/${client.id}`, { allowed_scopes: [] }))
      yield* odin.delete(`${path}/${client.id}`)
      const { events } = ok(yield* odin.get("/admin/audit-events"))
      const types = events
        .filter(({ oauth_client_id }: { readonly oauth_client_id: string }) => oauth_client_id === client.id)
        .map(({ type }: { readonly type: string }) => type)
      assert.deepStrictEqual(types, ["oauth_client_deleted", "oauth_client_updated", "oauth_client_created"])
    })
  )
})
