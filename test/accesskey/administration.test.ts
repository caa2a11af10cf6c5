/** Access keys of all accounts, for administrators. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccessKeyNotFound, listedMax } from "../../src/domain/accesskey/AccessKey.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { idsOf, ok } from "../support/answers.ts"
import { createKey, permission } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, personByKey, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const path = "/admin/access-keys"

layer(People.layer)("the access keys of all accounts", (it) => {
  it.effect("are listed for administrators, newest first, with whom they belong to", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      for (const person of [freya, loki]) yield* grant(person, permission)
      const keys = [
        yield* createKey(freya, { name: "Of Freya", expires_at: "2030-01-01T00:00:00Z" }),
        yield* createKey(loki, { name: "Of Loki" }),
        yield* createKey(freya)
      ]
      yield* freya.delete(`/auth/access-keys/${keys[2]?.id}`)
      const listed = ok(yield* odin.get(path)).keys
      assert.deepStrictEqual(
        listed.map(({ created_by, ...key }: { readonly created_by: { readonly handle: string } }) => [
          created_by.handle,
          key
        ]),
        keys
          .map(({ secret: _, ...key }, n) => [n === 1 ? "loki" : "freya", { ...key, enabled: n !== 2 }])
          .toReversed()
      )
      yield* suspend(loki)
      assert.isString(ok(yield* odin.get(path)).keys[1].created_by.suspended)
    })
  )

  it.effect("are for administrators only", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      yield* grant(tyr, ...Permission.literals.filter((one) => one !== "ADMINISTRATOR"))
      const { id, secret } = yield* createKey(freya)
      for (const address of [path, `${path}/${id}`]) {
        const method = address === path ? "get" : "delete"
        for (const person of [tyr, freya]) {
          assertProblem(yield* person[method](address), Forbidden, { permission: "ADMINISTRATOR" })
        }
        assertProblem(yield* guest[method](address), Unauthenticated)
      }
      assert.strictEqual((yield* personByKey(secret, "").get("/accounts")).status, 200)
    })
  )

  it.effect("are revoked by administrators, whosever they are, however often", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id, secret } = yield* createKey(freya)
      const program = personByKey(secret, freya.id)
      assert.strictEqual((yield* program.get("/accounts")).status, 200)
      for (const _ of [1, 2]) {
        const revoked = yield* odin.delete(`${path}/${id}`)
        assert.strictEqual(revoked.status, 204)
        assert.strictEqual(revoked.text, "")
        assertProblem(yield* program.get("/accounts"), Unauthenticated)
      }
      assert.strictEqual(ok(yield* freya.get("/auth/access-keys")).keys[0].enabled, false)
      for (const access_key_id of [nobody, "x", `${id}x`]) {
        assertProblem(yield* odin.delete(`${path}/${access_key_id}`), AccessKeyNotFound, { access_key_id })
      }
    })
  )

  it.effect("are listed in parts, each as far as one answer goes, without gaps", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from access_keys`
      assert.deepStrictEqual(ok(yield* odin.get(path)).keys, [])
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'acct' || lpad(n::text, 15, '0') || '0', 'epoch', 'epoch', 'many' || n, 'many' || n, 'many' || n
        from generate_series(1, 41) n`
      yield* sql`insert into access_keys (id, account_id, place, token_hash, name, created_at, updated_at)
        select lpad((n * 100 + place)::text, 19, '0') || '0', 'acct' || lpad(n::text, 15, '0') || '0', place,
          sha256((n || '-' || place)::bytea), 'x', 'epoch', 'epoch'
        from generate_series(1, 41) n, generate_series(1, 25) place`
      const seen: Array<string> = []
      for (const length of [listedMax, listedMax, 25, 0]) {
        const before = seen.length === 0 ? "" : `?before=${seen.at(-1)}`
        const { keys } = ok(yield* odin.get(`${path}${before}`))
        assert.strictEqual(keys.length, length)
        seen.push(...idsOf(keys))
      }
      assert.deepStrictEqual(seen, seen.toSorted().toReversed())
      assert.strictEqual(new Set(seen).size, 1_025)
      assert.strictEqual(ok(yield* odin.get(`${path}?before=`)).keys.length, listedMax)
      assertInvalid(yield* odin.get(`${path}?before=x`), "query before")
    })
  )
})
