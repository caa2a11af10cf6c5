/** Clients of OAuth of all accounts, for administrators. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditEvent } from "../../src/domain/moderation/AuditEvent.ts"
import {
  OAuthClientBuiltIn,
  OAuthClientIdTaken,
  OAuthClientInvalid,
  OAuthClientNotFound,
  OAuthClientOwnerUnknown
} from "../../src/domain/oauthclient/OAuthClient.ts"
import { redirectsLengthMax, redirectsMax } from "../../src/domain/oauthclient/OAuthClientFields.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { scopes } from "../../src/domain/vocabulary/Scope.ts"
import { idsOf, ok } from "../support/answers.ts"
import { clientFor, createClient, administrative as path, secretHash } from "../support/clients.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem, issuesOf } from "../support/problems.ts"

const device = "urn:ietf:params:oauth:grant-type:device_code"
const builtIn = [
  { id: "000000000000000000cg", client_id: "forum-cli" },
  { id: "000000000000000000c0", client_id: "storyden-cli" }
]

const hashOf = (id: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly secret_hash: string | null }>`
      select secret_hash from oauth_clients where id = ${id}`
    return row?.secret_hash
  })

const clientsOf = (person: Person) => Effect.map(person.get(path), (answer) => ok(answer).clients)

layer(People.layer)("a client that an administrator creates", (it) => {
  it.effect("is shown as it was asked for, and in the list, newest first", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const input = clientFor(freya, { scope_policy: "inherit", allowed_scopes: ["openid", "ADMINISTRATOR"] })
      const created = ok(yield* odin.post(path, input))
      const { createdAt, id, updatedAt, ...rest } = created
      assert.deepStrictEqual(rest, input)
      assert.strictEqual(createdAt, "1970-01-01T00:00:00.000Z")
      assert.strictEqual(updatedAt, createdAt)
      assert.match(id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(ok(yield* odin.get(`${path}/${id}`)), created)
      const second = yield* createClient(odin, freya)
      assert.strictEqual(second.scope_policy, "explicit")
      assert.deepStrictEqual((yield* clientsOf(odin)).slice(0, 2), [second, created])
    })
  )

  it.effect("may be called by a key of an administrator, and by nobody else", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* grant(odin, permission)
      yield* grant(tyr, ...Permission.literals.filter((one) => one !== "ADMINISTRATOR"))
      const program = yield* withKey(odin)
      const { id } = yield* createClient(program, freya)
      const calls = (person: Person) => [
        person.get(path),
        person.post(path, clientFor(freya)),
        person.get(`${path}/${id}`),
        person.patch(`${path}/${id}`, {}),
        person.delete(`${path}/${id}`)
      ]
      for (const person of [freya, tyr]) {
        for (const call of calls(person)) {
          assertProblem(yield* call, Forbidden, { permission: "ADMINISTRATOR" })
        }
      }
      for (const call of calls(guest)) assertProblem(yield* call, Unauthenticated)
      assert.strictEqual((yield* program.delete(`${path}/${id}`)).status, 204)
    })
  )

  it.effect("has each element of its lists once, and always lists", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const redirect = "https://archive.example/callback"
      const created = yield* createClient(odin, freya, {
        redirect_uris: [redirect, redirect],
        allowed_scopes: ["openid", "CREATE_POST", "openid"],
        allowed_grants: [device, device]
      })
      assert.deepStrictEqual(created.redirect_uris, [redirect])
      assert.deepStrictEqual(created.allowed_scopes, ["openid", "CREATE_POST"])
      assert.deepStrictEqual(created.allowed_grants, [device])
      const empty = { redirect_uris: [], allowed_scopes: [], allowed_grants: [] }
      assert.include(JSON.stringify(yield* createClient(odin, freya, empty)), '"redirect_uris":[]')
      const all = yield* createClient(odin, freya, { allowed_scopes: [...scopes] })
      assert.deepStrictEqual(all.allowed_scopes, [...scopes])
    })
  )

  it.effect("has a secret if it is confidential: a generated one is shown once and stored as a hash", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const answer = yield* odin.post(path, clientFor(freya, { type: "confidential" }))
      const { client_secret, ...client } = ok(answer)
      assert.match(client_secret, /^fos_[A-Za-z0-9_-]{43}$/)
      assert.include(answer.headers["cache-control"], "no-store")
      assert.deepStrictEqual(ok(yield* odin.get(`${path}/${client.id}`)), client)
      const stored = yield* hashOf(client.id)
      assert.match(stored ?? "", /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      assert.notInclude(stored, client_secret)
      const other = yield* createClient(odin, freya, { type: "confidential" })
      assert.notStrictEqual(other.client_secret, client_secret)

      const given = yield* createClient(odin, freya, { type: "confidential", client_secret_hash: secretHash })
      assert.notProperty(given, "client_secret")
      assert.strictEqual(yield* hashOf(given.id), secretHash)
      assert.notInclude(JSON.stringify(yield* clientsOf(odin)), "argon2id")

      const plain = yield* createClient(odin, freya)
      assert.notProperty(plain, "client_secret")
      assert.isNull(yield* hashOf(plain.id))
      const withHash = clientFor(freya, { client_secret_hash: secretHash })
      assertProblem(yield* odin.post(path, withHash), OAuthClientInvalid, { rule: "public-without-secret" })
    })
  )

  it.effect("has an id that no other has, and belongs to an account that there is", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id } = yield* createClient(odin, freya)
      for (const taken of [client_id, "storyden-cli", "forum-cli"]) {
        const refused = yield* odin.post(path, clientFor(freya, { client_id: taken }))
        assertProblem(refused, OAuthClientIdTaken, { client_id: taken })
      }
      const ids = idsOf(yield* clientsOf(odin))
      assertProblem(
        yield* odin.post(path, clientFor(freya, { account_id: nobody })),
        OAuthClientOwnerUnknown,
        { account_id: nobody }
      )
      assert.deepStrictEqual(idsOf(yield* clientsOf(odin)), ids)
    })
  )

  it.effect("is refused for what it cannot have, by the place of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const refusals: ReadonlyArray<readonly [more: object, place: string]> = [
        [{ account_id: "x" }, "account_id"],
        [{ account_id: undefined }, "account_id"],
        [{ client_id: "" }, "client_id"],
        [{ client_id: "two words" }, "client_id"],
        [{ client_id: "naïve" }, "client_id"],
        [{ client_id: "x".repeat(201) }, "client_id"],
        [{ client_id: "https://a.example/client" }, "client_id"],
        [{ client_id: "HTTP://a.example/client" }, "client_id"],
        [{ name: " " }, "name"],
        [{ name: "x".repeat(101) }, "name"],
        [{ type: "secret" }, "type"],
        [{ scope_policy: "any" }, "scope_policy"],
        [{ redirect_uris: undefined }, "redirect_uris"],
        [{ redirect_uris: null }, "redirect_uris"],
        [{ redirect_uris: ["javascript:alert(1)"] }, "redirect_uris.0"],
        [{ redirect_uris: ["https://a.example/", "https://b.example/#x"] }, "redirect_uris.1"],
        [{ redirect_uris: Array(redirectsMax + 1).fill("https://a.example/") }, "redirect_uris"],
        [
          { redirect_uris: ["a", "b", "c"].map((one) => `https://a.example/${one.repeat(1400)}`) },
          "redirect_uris"
        ],
        [{ allowed_scopes: undefined }, "allowed_scopes"],
        [{ allowed_scopes: ["openid", "nonsense"] }, "allowed_scopes.1"],
        [{ allowed_scopes: ["openid CREATE_POST"] }, "allowed_scopes.0"],
        [{ allowed_grants: undefined }, "allowed_grants"],
        [{ allowed_grants: ["password"] }, "allowed_grants.0"],
        [{ type: "confidential", client_secret_hash: "secret" }, "client_secret_hash"],
        [
          { type: "confidential", client_secret_hash: secretHash.replace("m=19456", "m=4194304") },
          "client_secret_hash"
        ]
      ]
      for (const [more, place] of refusals) {
        assertInvalid(yield* odin.post(path, clientFor(freya, { ...more })), `body ${place}`)
      }
      const refused = yield* odin.post(path, clientFor(freya, { redirect_uris: ["https://a.example/#x"] }))
      assert.include(issuesOf(refused)[0]?.message, "has a fragment")
    })
  )

  it.effect("may have addresses, names and ids of every length that is allowed", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const address = (letter: string) => `https://a.example/${letter}`.padEnd(redirectsLengthMax / 2, letter)
      const created = yield* createClient(odin, freya, {
        client_id: `!~${"x".repeat(198)}`,
        name: "ü".repeat(100),
        redirect_uris: [address("a"), address("b")]
      })
      assert.deepStrictEqual(ok(yield* odin.get(`${path}/${created.id}`)), created)
      const programs = [
        "myapp://callback",
        "http://127.0.0.1/cb",
        "http://[::1]/cb",
        "http://localhost:3000/cb"
      ]
      assert.deepStrictEqual(
        (yield* createClient(odin, freya, { redirect_uris: programs })).redirect_uris,
        programs
      )
    })
  )
})

layer(People.layer)("a client that an administrator changes", (it) => {
  it.effect("is what it was but for what was sent", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_secret: _, ...created } = yield* createClient(odin, freya, { type: "confidential" })
      const one = `${path}/${created.id}`
      const before = yield* hashOf(created.id)
      const changes = [
        { name: "Library" },
        { scope_policy: "inherit" },
        { redirect_uris: [] },
        { allowed_scopes: ["profile"] },
        { allowed_grants: ["client_credentials"] }
      ]
      let expected = created
      for (const change of changes) {
        const changed = ok(yield* odin.patch(one, change))
        expected = { ...expected, ...change, updatedAt: changed.updatedAt }
        assert.deepStrictEqual(changed, expected)
        assert.deepStrictEqual(ok(yield* odin.get(one)), expected)
      }
      assert.strictEqual(yield* hashOf(created.id), before)
      assert.deepStrictEqual(ok(yield* odin.patch(one, { client_secret_hash: secretHash })), expected)
      assert.strictEqual(yield* hashOf(created.id), secretHash)
      for (const [change, place] of [
        [{ allowed_scopes: ["nonsense"] }, "allowed_scopes.0"],
        [{ allowed_grants: ["implicit"] }, "allowed_grants.0"],
        [{ redirect_uris: ["data:text/html,x"] }, "redirect_uris.0"],
        [{ client_secret_hash: "" }, "client_secret_hash"],
        [{ name: "" }, "name"],
        [{ name: null }, "name"]
      ] as const) {
        assertInvalid(yield* odin.patch(one, change), `body ${place}`)
      }
      // What is not declared changes nothing.
      const others = {
        client_id: "other",
        account_id: odin.id,
        type: "public",
        id: nobody,
        origin: "built-in"
      }
      assert.deepStrictEqual(ok(yield* odin.patch(one, others)), expected)
    })
  )

  it.effect("gets no secret if it is public", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* createClient(odin, freya)
      const refused = yield* odin.patch(`${path}/${id}`, { client_secret_hash: secretHash })
      assertProblem(refused, OAuthClientInvalid, { rule: "public-without-secret" })
    })
  )

  it.effect("is found by its id only, and is gone when it is deleted", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id, id } = yield* createClient(odin, freya)
      assert.strictEqual((yield* odin.delete(`${path}/${id}`)).status, 204)
      for (const oauth_client_id of [id, nobody, "x", client_id, `${id}x`]) {
        const one = `${path}/${oauth_client_id}`
        for (const call of [odin.get(one), odin.patch(one, { name: "x" }), odin.delete(one)]) {
          assertProblem(yield* call, OAuthClientNotFound, { oauth_client_id })
        }
      }
      // Its id is free again.
      assert.strictEqual((yield* createClient(odin, freya, { client_id })).client_id, client_id)
    })
  )
})

layer(People.layer)("the clients of the command line", (it) => {
  it.effect("are there from the beginning, under the name of the instance", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const shown = (name: string) =>
        builtIn.map((one) => ({
          ...one,
          createdAt: "1970-01-01T00:00:00.000Z",
          updatedAt: "1970-01-01T00:00:00.000Z",
          name,
          type: "public",
          scope_policy: "inherit",
          redirect_uris: [],
          allowed_scopes: [...scopes],
          allowed_grants: [device, "refresh_token"]
        }))
      assert.deepStrictEqual(yield* clientsOf(odin), shown("Forum"))
      ok(yield* odin.patch("/admin", { title: "Asgard" }))
      assert.deepStrictEqual(yield* clientsOf(odin), shown("Asgard"))
      assert.deepStrictEqual(ok(yield* odin.get(`${path}/${builtIn[0]?.id}`)), shown("Asgard")[0])
    })
  )

  it.effect("are neither changed nor deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* clientsOf(odin)
      for (const { client_id, id } of builtIn) {
        const changes = [
          {},
          { name: "x" },
          { allowed_grants: [] },
          { redirect_uris: ["https://evil.example/"] }
        ]
        for (const change of changes) {
          assertProblem(yield* odin.patch(`${path}/${id}`, change), OAuthClientBuiltIn, { client_id })
        }
        assertProblem(yield* odin.delete(`${path}/${id}`), OAuthClientBuiltIn, { client_id })
      }
      assert.deepStrictEqual(yield* clientsOf(odin), before)
    })
  )
})

layer(People.layer)("what administrators do to clients", (it) => {
  it.effect("is in the audit log as soon as it is done, with what was changed and never a secret", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const created = yield* createClient(odin, freya, { type: "confidential" })
      const one = `${path}/${created.id}`
      ok(yield* odin.patch(one, { name: "Library", client_secret_hash: secretHash }))
      ok(yield* odin.patch(one, { name: "Library" }))
      ok(yield* odin.patch(one, {}))
      yield* odin.delete(one)
      yield* odin.delete(one)
      const log = ok(yield* odin.get("/admin/audit-events"))
      const client = { oauth_client_id: created.id, client_id: created.client_id }
      const told = log.events.map(({ enacted_by, id: _, timestamp: __, ...entry }: AuditEvent) => [
        enacted_by?.handle,
        entry
      ])
      assert.deepStrictEqual(told, [
        ["odin", { type: "oauth_client_deleted", ...client, name: "Library" }],
        [
          "odin",
          { type: "oauth_client_updated", ...client, name: "Library", changed: ["name", "client_secret"] }
        ],
        ["odin", { type: "oauth_client_created", ...client, name: "Archive", account_id: freya.id }]
      ])
      const sql = yield* SqlClient.SqlClient
      const all = JSON.stringify(yield* sql`select event from event_log`)
      for (const secret of ["argon2id", created.client_secret]) assert.notInclude(all, secret)
    })
  )
})
