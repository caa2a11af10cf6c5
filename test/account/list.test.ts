/** The list of all accounts, for staff. What it shares with that of profiles is tested there. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { planByIndex, untilWaiting } from "../support/database.ts"
import { everyPage } from "../support/lists.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  grant,
  guest,
  nobody,
  type Person,
  query,
  removePassword,
  signUp,
  suspend
} from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, member } from "../support/roles.ts"
import { assertCancelled } from "../support/searching.ts"

interface Listed {
  readonly handle: string
}

const list = (person: Person, parameters: Parameters<typeof query>[0] = {}) =>
  Effect.map(person.get(`/admin/accounts${query(parameters)}`), ok)

const handles = (person: Person, parameters: Parameters<typeof query>[0] = {}) =>
  Effect.map(list(person, parameters), ({ accounts }) => accounts.map(({ handle }: Listed) => handle))

const addEmail = (person: { readonly id: string }, address: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into account_emails (id, account_id, created_at, address)
      values (${`mail${address.length}`.padEnd(20, "0")}, ${person.id}, 'epoch', ${address})`
  )

layer(People.layer)("the list of accounts", (it) => {
  it.effect("is for those who may view accounts, who see administrators and the suspended in it", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* suspend(loki)
      yield* grant(tyr, "VIEW_ACCOUNTS")
      assert.deepStrictEqual(yield* handles(tyr), ["tyr", "loki", "freya", "odin"])
      assertProblem(yield* freya.get("/admin/accounts"), Forbidden, { permission: "VIEW_ACCOUNTS" })
      assertProblem(yield* freya.get("/admin/accounts?kind=x"), Forbidden, { permission: "VIEW_ACCOUNTS" })
      assertProblem(yield* guest.get("/admin/accounts"), Unauthenticated)
      const { accounts, ...numbers } = yield* list(odin)
      assert.deepStrictEqual(numbers, { page_size: 50, results: 4, total_pages: 1, current_page: 1 })
      // As each is by itself, but for what only its owner needs.
      for (const listed of accounts) {
        const { notifications: _, ...single } = ok(yield* odin.get(`/accounts/${listed.id}`))
        assert.deepStrictEqual(listed, single)
      }
    })
  )

  it.effect("is ordered by each field, both ways, equal ones newest first", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* TestClock.adjust("1 second")
      const [a, b, c] = [yield* signUp("a1"), yield* signUp("b1"), yield* signUp("c1")]
      yield* TestClock.adjust("1 second")
      ok(yield* b.patch("/accounts", { name: "Same" }))
      ok(yield* a.patch("/accounts", { name: "same" }))
      yield* TestClock.adjust("1 second")
      ok(yield* c.patch("/accounts", { name: "Alone" }))
      const ordered = (sort: string) => handles(odin, { q: "1", sort })
      assert.deepStrictEqual(yield* ordered("updated_at"), ["b1", "a1", "c1"])
      assert.deepStrictEqual(yield* ordered("-updated_at"), ["c1", "b1", "a1"])
      assert.deepStrictEqual(yield* ordered("name"), ["c1", "b1", "a1"])
      assert.deepStrictEqual(yield* ordered("-name"), ["b1", "a1", "c1"])
      assert.deepStrictEqual(yield* ordered("handle"), ["a1", "b1", "c1"])
      assert.deepStrictEqual(yield* ordered("-handle"), ["c1", "b1", "a1"])
      for (const sort of ["-created_at", "", "nonsense", "--updated_at"]) {
        assert.deepStrictEqual(yield* ordered(sort), ["c1", "b1", "a1"], sort)
      }
    })
  )
})

layer(People.layer)("a list of accounts is narrowed", (it) => {
  it.effect("by a part of the name, the handle or an email address, or by the id", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* addEmail(freya, "cats@folkvangr.example")
      yield* addEmail(freya, "second_one@asgard.example")
      yield* addEmail(loki, "loki@asgard.example")
      ok(yield* tyr.patch("/accounts", { name: "Asgård's hand" }))
      for (const [q, found] of [
        ["CATS@", ["freya"]],
        ["asgard", ["tyr", "loki", "freya"]],
        ["second_o", ["freya"]],
        ["_", ["freya"]],
        ["@asgard.", ["loki", "freya"]],
        ["asgård", ["tyr"]],
        ["loki", ["loki"]],
        ["%", []],
        [odin.id, ["odin"]],
        [odin.id.slice(1), []],
        [nobody, []]
      ] as const) {
        assert.deepStrictEqual(yield* handles(odin, { q }), [...found], q)
      }
      assert.strictEqual((yield* handles(odin, { q: " " })).length, 4)
      const { accounts } = yield* list(odin, { q: "cats" })
      assert.deepStrictEqual(
        accounts[0].email_addresses.map((one: Listed & { email_address: string; verified: boolean }) => [
          one.email_address,
          one.verified
        ]),
        [
          ["cats@folkvangr.example", false],
          ["second_one@asgard.example", false]
        ]
      )
      assertInvalid(yield* odin.get(`/admin/accounts?q=${"x".repeat(201)}`), "query q")
      // Profiles are for everyone, and addresses are not.
      assert.deepStrictEqual(ok(yield* odin.get("/profiles?q=cats")).profiles, [])
    })
  )

  it.effect("by an address that very many have, and a name that is like it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts
          (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form, kind)
        select 'v' || lpad(n::text, 18, '0') || '0', timestamptz '1969-01-01Z' + n * interval '1 minute', 'epoch',
          'v' || n, 'v' || n, 'V', 'v', 'v' || n, case when n % 10 = 0 then 'bot' else 'human' end
        from generate_series(1, 1050) n`
      yield* sql`insert into account_emails (id, account_id, created_at, address)
        select 'e' || substr(id, 2), id, 'epoch', handle || '@vanaheim.example' from accounts where name = 'V'`
      ok(yield* freya.patch("/accounts", { name: "vanaheim.example" }))
      const found = (parameters: Parameters<typeof query>[0]) =>
        Effect.map(list(odin, { q: "Vanaheim.", ...parameters }), ({ accounts, total_pages }) => [
          accounts[0]?.handle,
          accounts.at(-1)?.handle,
          total_pages
        ])
      assert.deepStrictEqual(yield* found({}), ["freya", "v1002", 22])
      assert.deepStrictEqual(yield* found({ page: "22" }), ["v1", "v1", 22])
      assert.deepStrictEqual(yield* found({ kind: "bot", page: "3" }), ["v50", "v10", 3])
      assert.deepStrictEqual(yield* found({ q: "v1050@vana" }), ["v1050", "v1050", 1])
      yield* sql`delete from accounts where name = 'V'`
      ok(yield* freya.patch("/accounts", { name: "freya" }))
    })
  )

  it.effect("by what accounts are, and by how they sign in, as they change", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const are = (parameters: Parameters<typeof query>[0]) => handles(odin, parameters)
      assert.deepStrictEqual(yield* are({ suspended: "true" }), [])
      ok(yield* odin.post(`/admin/bans/${loki.id}`))
      yield* sql`update accounts set kind = 'bot' where id = ${tyr.id}`
      assert.deepStrictEqual(yield* are({ suspended: "true" }), ["loki"])
      assert.deepStrictEqual(yield* are({ suspended: "false" }), ["tyr", "freya", "odin"])
      assert.deepStrictEqual(yield* are({ admin: "true" }), ["odin"])
      assert.deepStrictEqual(yield* are({ admin: "false", kind: "human" }), ["loki", "freya"])
      assert.deepStrictEqual(yield* are({ kind: "bot" }), ["tyr"])
      assert.deepStrictEqual(yield* are({ kind: "bot", suspended: "true" }), [])
      ok(yield* odin.delete(`/admin/bans/${loki.id}`))
      ok(yield* odin.put(`/accounts/loki/roles/${admin.id}`))
      assert.deepStrictEqual(yield* are({ admin: "true" }), ["loki", "odin"])
      assert.deepStrictEqual(yield* are({ suspended: "true" }), [])

      assert.deepStrictEqual(yield* are({ auth_service: "password" }), ["tyr", "loki", "freya", "odin"])
      yield* removePassword(freya)
      yield* sql`insert into code_sign_ins (account_id, created_at) values (${freya.id}, 'epoch')`
      const key = ok(yield* odin.post("/auth/access-keys", { name: "key" }))
      assert.deepStrictEqual(yield* are({ auth_service: "password" }), ["tyr", "loki", "odin"])
      assert.deepStrictEqual(yield* are({ auth_service: "email_verify" }), ["freya"])
      assert.deepStrictEqual(yield* are({ auth_service: ["access_key", "email_verify"] }), ["freya", "odin"])
      assert.deepStrictEqual(yield* are({ auth_service: ["access_key", "webauthn"], admin: "true" }), [
        "odin"
      ])
      assert.deepStrictEqual(yield* are({ auth_service: "webauthn" }), [])
      ok(yield* odin.post("/auth/access-keys", { name: "another" }))
      yield* odin.delete(`/auth/access-keys/${key.id}`)
      assert.deepStrictEqual(yield* are({ auth_service: "access_key" }), ["odin"])
      yield* sql`delete from access_keys`
      assert.deepStrictEqual(yield* are({ auth_service: "access_key" }), [])
      assert.deepStrictEqual(yield* are({ auth_service: "oauth_github" }), [])
      assert.lengthOf(yield* are({ auth_service: "" }), 4)
      assertInvalid(yield* odin.get("/admin/accounts?auth_service=passwords"), "query auth_service.0")
      for (const malformed of ["suspended=1", "admin=x", "kind=dog"]) {
        const name = malformed.split("=")[0]
        assertInvalid(yield* odin.get(`/admin/accounts?${malformed}`), `query ${name}`)
      }
    })
  )

  it.effect("by roles, inviters and when they joined, all at once", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const one = yield* grant(freya, "MANAGE_REPORTS")
      yield* sql`insert into account_roles (account_id, role_id) values (${loki.id}, ${one})`
      yield* sql`update accounts set invited_by = ${odin.id} where id in (${loki.id}, ${tyr.id})`
      yield* sql`update accounts set created_at = '2026-03-01Z' where id = ${loki.id}`
      const are = (parameters: Parameters<typeof query>[0]) => handles(odin, parameters)
      assert.deepStrictEqual(yield* are({ roles: one }), ["loki", "freya"])
      assert.deepStrictEqual(yield* are({ roles: [one, member.id], invited_by: ["ODIN", "tyr"] }), ["loki"])
      assert.deepStrictEqual(yield* are({ invited_by: "odin", suspended: "false" }), ["loki", "tyr"])
      assert.deepStrictEqual(yield* are({ joined: "2026-03-01/2026-03-01" }), ["loki"])
      assert.deepStrictEqual(yield* are({ joined: "/2026-02-28", admin: "false" }), ["tyr", "freya"])
      assert.deepStrictEqual(yield* are({ joined: "2026-03-01/", admin: "true" }), ["loki"])
      assert.deepStrictEqual(
        yield* are({ roles: one, invited_by: "odin", joined: "2026-01-01", suspended: "false", q: "lok" }),
        ["loki"]
      )
      assert.deepStrictEqual(yield* are({ roles: one, suspended: "true" }), [])
      for (const joined of ["x", "a/b/c"]) {
        assertInvalid(yield* odin.get(`/admin/accounts${query({ joined })}`), "query joined")
      }
      assertInvalid(yield* odin.get("/admin/accounts?roles=x"), "query roles.0")
    })
  )
})

layer(People.layer)("the pages of the list of accounts", (it) => {
  it.effect("have every account once, in every order, from either end, whatever narrows them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form,
          kind, suspended_at)
        select 'm' || lpad(n::text, 18, '0') || '0', timestamptz '2000-01-01Z' + (n / 7) * interval '1 second',
          timestamptz '2000-01-01Z' + (n % 11) * interval '1 second', 'member' || n, 'member' || n,
          'Name ' || n % 23, 'name ' || n % 23, 'member' || n,
          case when n % 3 = 0 then 'bot' else 'human' end, case when n % 5 = 0 then timestamptz 'epoch' end
        from generate_series(1, 2117) n`
      for (const [narrowed, where] of [
        [{}, "true"],
        [{ kind: "human" }, "kind = 'human'"],
        [{ suspended: "false", kind: "human" }, "kind = 'human' and suspended_at is null"],
        [
          { joined: "/2000-01-01T00:04:00Z", suspended: "true" },
          "created_at <= '2000-01-01T00:04:00Z' and suspended_at is not null"
        ]
      ] as const) {
        for (const [sort, order] of [
          ["", "created_at desc, id desc"],
          ["created_at", "created_at, id desc"],
          ["updated_at", "updated_at, created_at desc, id desc"],
          ["-updated_at", "updated_at desc, created_at desc, id desc"],
          ["name", 'name_form collate "C", created_at desc, id desc'],
          ["-name", 'name_form collate "C" desc, created_at desc, id desc'],
          ["handle", 'handle collate "C"'],
          ["-handle", 'handle collate "C" desc']
        ] as const) {
          const rows = yield* sql.unsafe<Listed>(
            `select handle from accounts where ${where} order by ${order}`
          )
          const whole = rows.map(({ handle }) => handle)
          const pages = Math.ceil(whole.length / 50)
          for (const page of new Set([1, 2, 21, Math.ceil(pages / 2) + 1, pages, pages + 1])) {
            const { accounts, next_cursor, ...numbers } = yield* list(odin, {
              ...narrowed,
              sort,
              page: `${page}`
            })
            assert.strictEqual(next_cursor !== undefined, page < pages)
            const items = whole.slice((page - 1) * 50, page * 50)
            const about = `${JSON.stringify(narrowed)} ${sort} ${page}`
            assert.deepStrictEqual(
              accounts.map(({ handle }: Listed) => handle),
              items,
              about
            )
            assert.deepStrictEqual(
              numbers,
              {
                page_size: 50,
                results: items.length,
                total_pages: pages,
                current_page: page,
                ...(page < pages ? { next_page: page + 1 } : {})
              },
              about
            )
          }
        }
      }
    })
  )

  it.effect("have fewer on a page where they are large, all of them whole, each once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts
          (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form, kind, bio)
        select 'a' || lpad(n::text, 19, '0'), '1998-01-01', 'epoch'::timestamptz + n * interval '1 day', 'many' || n,
          'many' || n, 'Many', 'many', 'many' || n, case when n % 3 = 0 then 'bot' else 'human' end,
          '<body>' || case when n % 5 = 0 then repeat('x', 300000) else '' end || '</body>'
        from generate_series(1, 60) n`
      for (const narrowed of ["kind=bot", "joined=/1999-01-01", "q=many", "q=many&kind=bot"]) {
        for (const sort of ["handle", "-updated_at"]) {
          const path = `/admin/accounts?sort=${sort}&${narrowed}`
          const { counts, found } = yield* everyPage(odin, path, "accounts", 350_000)
          const expected = yield* sql.unsafe<{ readonly id: string }>(`select id from accounts
            where ${narrowed.includes("bot") ? "kind = 'bot'" : "true"}
              and ${narrowed.includes("bot") && !narrowed.includes("q=") ? "true" : "created_at < '1999-01-02'"}
              and ${narrowed.includes("q=") ? "handle like 'many%'" : "true"}
            order by ${sort === "handle" ? 'handle collate "C", id' : "updated_at desc, created_at desc, id desc"}`)
          assert.deepStrictEqual(idsOf(found), idsOf(expected), path)
          if (!narrowed.includes("bot")) assert.isAbove(counts.length, 1)
          for (const { bio, id } of found) {
            if (id.startsWith("a0")) assert.lengthOf(bio, Number(id.slice(1)) % 5 === 0 ? 300_013 : 13)
          }
        }
      }
      yield* sql`delete from accounts where handle like 'many%'`
    })
  )

  it.effect("count accounts by what they are, also when they change at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const people = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => `parallel${n}`),
        signUp,
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(
        people,
        (person, n) =>
          n % 2 === 0
            ? odin.post(`/admin/bans/${person.id}`)
            : odin.put(`/accounts/${person.id}/roles/${admin.id}`),
        { concurrency: "unbounded" }
      )
      const numbers = (parameters: Parameters<typeof query>[0]) =>
        Effect.map(list(odin, parameters), ({ results, total_pages }) => [results, total_pages])
      assert.deepStrictEqual(yield* numbers({ admin: "true" }), [7, 1])
      assert.deepStrictEqual(yield* numbers({ suspended: "true", joined: "/1990-01-01" }), [6, 1])
      assert.deepStrictEqual(yield* numbers({ suspended: "true", page: "9" }), [29, 9])
      yield* sql`delete from accounts where handle like 'member1%'`
      assert.deepStrictEqual(yield* numbers({ suspended: "true", page: "5" }), [7, 5])
    })
  )
})

layer(People.layer)("the ways to sign in", (it) => {
  it.effect("are looked at again after a change that another one waited for", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const key = ok(yield* odin.post("/auth/access-keys", { name: "key" }))
      const [isMade, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const making = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`insert into access_keys (id, account_id, place, token_hash, name, created_at, updated_at)
              values ('another', ${odin.id}, 50, sha256('another'), 'another', 'epoch', 'epoch')`
            yield* Deferred.succeed(isMade, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(isMade)
      const revoking = yield* Effect.forkChild(
        sql`update access_keys set revoked_at = 'epoch' where id = ${key.id}`
      )
      yield* untilWaiting(1)
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.joinAll([making, revoking])
      assert.deepStrictEqual(yield* handles(odin, { auth_service: "access_key" }), ["odin"])
      yield* sql`delete from access_keys`
      assert.deepStrictEqual(yield* handles(odin, { auth_service: "access_key" }), [])
    })
  )

  it.effect("are noted whatever happens at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const keys = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.map(odin.post("/auth/access-keys", { name: "key" }), ok)
      )
      yield* Effect.forEach(
        keys,
        ({ id }, n) =>
          Effect.all(
            [odin.delete(`/auth/access-keys/${id}`), odin.post("/auth/access-keys", { name: `${n}` })],
            {
              concurrency: "unbounded"
            }
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* handles(odin, { auth_service: "access_key" }), ["odin"])
      const left = yield* sql<{ readonly id: string }>`select id from access_keys where revoked_at is null`
      yield* Effect.forEach(left, ({ id }) => odin.delete(`/auth/access-keys/${id}`), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* handles(odin, { auth_service: "access_key" }), [])
    })
  )
})

layer(People.layer)("the database", (it) => {
  it.effect("has an index for every order of accounts, and for searches of addresses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [order, index] of [
        ["created_at desc, id desc", "accounts_created_at"],
        ["created_at, id desc", "accounts_by_age"],
        ["updated_at desc, created_at desc, id desc", "accounts_by_change"],
        ["updated_at, created_at desc, id desc", "accounts_by_change_up"],
        ['name_form collate "C", created_at desc, id desc', "accounts_by_name"],
        ['name_form collate "C" desc, created_at desc, id desc', "accounts_by_name_down"],
        ['handle collate "C", id', "accounts_by_handle"]
      ] as const) {
        for (const where of [
          "true",
          "suspended_at is null and not admin and kind = 'bot' and has_password"
        ]) {
          const plan = yield* planByIndex(`select id from accounts where ${where} order by ${order} limit 50`)
          assert.match(plan, new RegExp(`Index Only Scan (Backward )?using ${index} `), order)
        }
      }
      yield* sql`set enable_seqscan = off`
      const plan = yield* sql`explain select from account_emails where address like '%needle%'`
      assert.include(JSON.stringify(plan), "account_emails_search")
    })
  )
})

layer(People.layer)("a search for accounts", (it) => {
  it.effect("that takes longer than two seconds is cancelled in the database", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* assertCancelled("account_emails", odin.get("/admin/accounts?q=odin"))
    })
  )
})
