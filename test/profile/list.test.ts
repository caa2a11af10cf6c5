/** Which profiles a list has, and in which order. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { idsOf, ok } from "../support/answers.ts"
import { planByIndex } from "../support/database.ts"
import { everyPage } from "../support/lists.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, query, signUp, suspend } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"
import { admin, guestRole, member } from "../support/roles.ts"
import { assertCancelled } from "../support/searching.ts"

interface Listed {
  readonly handle: string
}

const list = (parameters: Parameters<typeof query>[0] = {}) =>
  Effect.map(guest.get(`/profiles${query(parameters)}`), ok)

const handles = (parameters: Parameters<typeof query>[0] = {}) =>
  Effect.map(list(parameters), ({ profiles }) => profiles.map(({ handle }: Listed) => handle))

layer(People.layer)("the list of profiles", (it) => {
  it.effect("has suspended accounts and bots, newest first, and those of one instant by id", () =>
    Effect.gen(function* () {
      const { loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* suspend(loki)
      yield* sql`update accounts set kind = 'bot' where id = ${tyr.id}`
      assert.deepStrictEqual(yield* handles(), ["tyr", "loki", "freya", "odin"])
      yield* TestClock.adjust("1 second")
      yield* signUp("zoe")
      const { profiles, ...numbers } = yield* list()
      assert.deepStrictEqual(numbers, { page_size: 50, results: 5, total_pages: 1, current_page: 1 })
      assert.strictEqual(profiles[0].handle, "zoe")
    })
  )

  it.effect("is ordered by each field, both ways, equal ones newest first", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const [a, b, c] = [yield* signUp("a1"), yield* signUp("b1"), yield* signUp("c1")]
      yield* TestClock.adjust("1 second")
      const d = yield* signUp("d1")
      for (const [person, name] of [
        [a, "Ärger"],
        [b, "argon"],
        [c, "ARGER"],
        [d, "arger"]
      ] as const) {
        ok(yield* person.patch("/accounts", { name }))
      }
      // Ids are in the order in which they were made, whatever the instants.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update accounts set created_at = created_at - interval '500 milliseconds' where id = ${c.id}`
      const ordered = (sort: string) => handles({ q: "1", sort })
      assert.deepStrictEqual(yield* ordered("name"), ["d1", "a1", "c1", "b1"])
      assert.deepStrictEqual(yield* ordered("-name"), ["b1", "d1", "a1", "c1"])
      assert.deepStrictEqual(yield* ordered("handle"), ["a1", "b1", "c1", "d1"])
      assert.deepStrictEqual(yield* ordered("-handle"), ["d1", "c1", "b1", "a1"])
      assert.deepStrictEqual(yield* ordered("created_at"), ["c1", "b1", "a1", "d1"])
      assert.deepStrictEqual(yield* ordered("-created_at"), ["d1", "b1", "a1", "c1"])
      for (const sort of ["", "nonsense", "--name", "updated_at"]) {
        assert.deepStrictEqual(yield* ordered(sort), ["d1", "b1", "a1", "c1"], sort)
      }
    })
  )
})

layer(People.layer)("a list of profiles is narrowed", (it) => {
  it.effect("by a part of the name or of the handle, whatever letter case and accents", () =>
    Effect.gen(function* () {
      const [anna, bjorn] = [yield* signUp("anna_s"), yield* signUp("björn")]
      ok(yield* anna.patch("/accounts", { name: "Ünal 100% \\ Ŝtraße" }))
      for (const [q, found] of [
        ["ANNA", ["anna_s"]],
        ["nna", ["anna_s"]],
        ["na_", ["anna_s"]],
        ["_", ["anna_s"]],
        ["%", ["anna_s"]],
        ["100%", ["anna_s"]],
        ["0%%", []],
        ["\\", ["anna_s"]],
        ["unal", ["anna_s"]],
        ["STRASSE", ["anna_s"]],
        ["ünal  100", ["anna_s"]],
        ["bjorn", ["björn"]],
        ["BJÖRN", ["björn"]],
        ["o", ["björn", "loki", "odin"]],
        ["odin freya", []],
        // The name and the handle are apart.
        ["odin odin", []],
        ["odinodin", []],
        ["body", []],
        ["\u200b", ["björn", "anna_s", "tyr", "loki", "freya", "odin"]]
      ] as const) {
        assert.deepStrictEqual(yield* handles({ q }), [...found], q)
      }
      ok(yield* bjorn.patch("/accounts", { handle: "ulf" }))
      assert.deepStrictEqual(yield* handles({ q: "ULF" }), ["ulf"])
      assert.deepStrictEqual(yield* handles({ q: "bjorn" }), ["ulf"])
      ok(yield* bjorn.patch("/accounts", { name: "Wolf" }))
      assert.deepStrictEqual(yield* handles({ q: "bjorn" }), [])
      assert.deepStrictEqual(yield* handles({ q: "ulf" }), ["ulf"])
      assertInvalid(yield* guest.get(`/profiles?q=${"x".repeat(201)}`), "query q")
    })
  )

  it.effect("by roles, of which an account holds all", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const one = yield* grant(freya, "MANAGE_REPORTS")
      const two = yield* grant(freya, "MANAGE_LIBRARY")
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into account_roles (account_id, role_id) values (${loki.id}, ${two})`
      for (const [roles, found] of [
        [[one], ["freya"]],
        [[two], ["loki", "freya"]],
        [[one, two], ["freya"]],
        [[two, one, two], ["freya"]],
        [[one, nobody], []],
        [[nobody], []],
        [
          [two, member.id],
          ["loki", "freya"]
        ],
        [[admin.id], ["odin"]],
        [[admin.id, two], []],
        [[guestRole.id], []]
      ] as const) {
        assert.deepStrictEqual(yield* handles({ roles: [...roles], q: "" }), [...found], roles.join(" "))
      }
      const all = (yield* handles()).length
      assert.strictEqual((yield* handles({ roles: [member.id] })).length, all)
      for (const malformed of ["x", "admin", `${one}0`, one.toUpperCase()]) {
        assertInvalid(yield* guest.get(`/profiles?roles=${one}&roles=${malformed}`), "query roles.1")
      }
      assertInvalid(
        yield* guest.get(`/profiles${query({ roles: Array.from({ length: 101 }, () => one) })}`),
        "query roles"
      )
    })
  )

  it.effect("by when accounts were created, both ends included", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [march, april] = [yield* signUp("march"), yield* signUp("april")]
      yield* sql`update accounts set created_at = '2026-03-01T12:00:00.000Z' where id = ${march.id}`
      yield* sql`update accounts set created_at = '2026-04-01T00:00:00.000Z' where id = ${april.id}`
      for (const [joined, found] of [
        ["2026-03-01/2026-04-01", ["april", "march"]],
        ["2026-03-02/2026-04-01", ["april"]],
        ["2026-03-01/2026-03-31T23:59:59.999Z", ["march"]],
        ["2026-03-01T12:00:00Z/2026-03-01T12:00:00Z", ["march"]],
        ["2026-03-01T13:00:00+01:00/2026-03-01T13:00:00+01:00", ["march"]],
        ["2026-03-01T12:00:00.001Z/", ["april"]],
        ["2026-03-01/", ["april", "march"]],
        ["2026-04-01", ["april"]],
        ["2026-04-01T00:00:00.001Z", []],
        ["2026-04-01/2026-03-01", []],
        ["0000-01-01/0001-01-01", []]
      ] as const) {
        assert.deepStrictEqual(yield* handles({ joined }), [...found], joined)
      }
      assert.notInclude(yield* handles({ joined: "/2026-03-31" }), "april")
      assert.include(yield* handles({ joined: "/2026-03-31" }), "odin")
      assert.include(yield* handles({ joined: "" }), "odin")
      for (const malformed of ["x", "a/b/c", "2026-03-01/2026-04-01/", "2026-02-30", "/", "2026-03-01/x"]) {
        assertInvalid(yield* guest.get(`/profiles${query({ joined: malformed })}`), "query joined")
      }
    })
  )

  it.effect("by inviters, of whom any invited the account", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`update accounts set invited_by = ${odin.id} where id = ${freya.id}`
      yield* sql`update accounts set invited_by = ${freya.id} where id in (${loki.id}, ${tyr.id})`
      for (const [invited_by, found] of [
        [["odin"], ["freya"]],
        [["ODIN"], ["freya"]],
        [["freya"], ["tyr", "loki"]],
        [
          ["freya", "odin"],
          ["tyr", "loki", "freya"]
        ],
        [
          ["freya", "nobody", "freya"],
          ["tyr", "loki"]
        ],
        [["nobody"], []]
      ] as const) {
        assert.deepStrictEqual(yield* handles({ invited_by: [...invited_by] }), [...found])
      }
      assert.deepStrictEqual(yield* handles({ invited_by: "freya", q: "loki", joined: "1970-01-01" }), [
        "loki"
      ])
      assert.deepStrictEqual(yield* handles({ invited_by: "freya", roles: admin.id }), [])
    })
  )
})

layer(People.layer)("the pages of the list of profiles", (it) => {
  const insertMany = Effect.fnUntraced(function* (count: number) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form)
      select 'm' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '2 hours', now(),
        'member' || n, 'member' || n, 'Name ' || n % 23, 'name ' || n % 23, 'member' || n
      from generate_series(1, ${count}) n`
  })

  it.effect("have every account once, in every order, from either end", () =>
    Effect.gen(function* () {
      yield* insertMany(2_117)
      const sql = yield* SqlClient.SqlClient
      // Days on which many joined, one, or none that is still there.
      yield* sql`delete from accounts where created_at::date = '1970-01-03'`
      yield* sql`update accounts set created_at = '1980-01-01' where handle = 'member2000'`
      const rows = yield* sql<{ readonly handle: string; readonly name: string; readonly key: string }>`
        select handle, name_form as name, to_char(created_at, 'YYYYMMDDHH24MISS') || id as key from accounts`
      const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
      const newest = (a: (typeof rows)[number], b: (typeof rows)[number]) => compare(b.key, a.key)
      const instant = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
        compare(a.key.slice(0, 14), b.key.slice(0, 14))
      for (const [sort, order] of [
        ["", newest],
        ["created_at", (a, b) => instant(a, b) || newest(a, b)],
        ["name", (a, b) => compare(a.name, b.name) || newest(a, b)],
        ["-name", (a, b) => compare(b.name, a.name) || newest(a, b)],
        ["handle", (a, b) => compare(a.handle, b.handle)],
        ["-handle", (a, b) => compare(b.handle, a.handle)]
      ] as ReadonlyArray<readonly [string, typeof newest]>) {
        const whole = rows.toSorted(order).map(({ handle }) => handle)
        const pages = Math.ceil(whole.length / 50)
        for (const page of [1, 2, 20, 21, 22, 30, pages - 1, pages, pages + 1]) {
          const { next_cursor, profiles, ...numbers } = yield* list({ sort, page: `${page}` })
          assert.strictEqual(next_cursor !== undefined, page < pages)
          const items = whole.slice((page - 1) * 50, page * 50)
          assert.deepStrictEqual(
            profiles.map(({ handle }: Listed) => handle),
            items,
            `${sort} ${page}`
          )
          assert.deepStrictEqual(numbers, {
            page_size: 50,
            results: items.length,
            total_pages: pages,
            current_page: page,
            ...(page < pages ? { next_page: page + 1 } : {})
          })
        }
      }
      const members = rows.filter(({ handle }) => handle.startsWith("member")).toSorted(newest)
      for (const page of [21, 22, 30]) {
        const joined = rows.filter(({ key }) => key < "19700201").toSorted(newest)
        assert.deepStrictEqual(
          yield* handles({ joined: "/1970-02-01", page: `${page}` }),
          joined.slice((page - 1) * 50, page * 50).map(({ handle }) => handle)
        )
      }
      for (const page of [1, 20, 21, 43]) {
        assert.deepStrictEqual(
          yield* handles({ q: "ember", joined: "/2030-01-01", page: `${page}` }),
          members.slice((page - 1) * 50, page * 50).map(({ handle }) => handle)
        )
      }
    })
  )

  it.effect("end somewhere, and after that they are empty", () =>
    Effect.gen(function* () {
      for (const page of ["2147483647", "99999999999999"]) {
        const { profiles, ...numbers } = yield* list({ page })
        assert.deepStrictEqual(profiles, [])
        assert.strictEqual(numbers.current_page, Number(page))
        assert.notProperty(numbers, "next_page")
        assert.deepStrictEqual(yield* handles({ page, q: "member" }), [])
      }
      for (const page of ["0", "-1", "x", "1.5"]) {
        assert.strictEqual((yield* list({ page })).current_page, 1)
      }
    })
  )

  it.effect("count accounts as they come and go, also those that sign up at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const numbers = (page: string) =>
        Effect.map(list({ page }), ({ results, total_pages }) => [results, total_pages])
      assert.deepStrictEqual(yield* numbers("41"), [37, 41])
      yield* Effect.forEach(Array.from({ length: 20 }), (_, n) => signUp(`parallel${n}`), {
        concurrency: "unbounded"
      })
      yield* sql`delete from accounts where handle like 'member1%'`
      assert.deepStrictEqual(yield* numbers("20"), [28, 20])
    })
  )
})

layer(People.layer)("large profiles in a list", (it) => {
  it.effect("are fewer on a page, all of them whole, each once, in any order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into accounts
          (id, created_at, updated_at, handle, handle_key, name, name_form, handle_form, meta, bio)
        select 'a' || lpad(n::text, 19, '0'), 'epoch'::timestamptz + (n / 3) * interval '1 day', 'epoch',
          'many' || n, 'many' || n, 'Person', 'person' || n % 7, 'many' || n,
          case when n % 4 = 0 then jsonb_build_object('text', repeat('m', 60000)) else '{}' end,
          case when n % 50 = 7 then '<body>' || repeat('x', 400000) || '</body>' else '<body></body>' end
        from generate_series(1, 150) n`
      for (const narrowed of [
        "",
        "q=many",
        "q=many1",
        "joined=1970-01-05/1970-02-10",
        `roles=${member.id}`
      ]) {
        const sorts = narrowed === "q=many1" ? ["-created_at"] : ["name", "-name", "handle", "created_at", ""]
        for (const sort of sorts) {
          const path = `/profiles?sort=${sort}&${narrowed}`
          const { counts, found } = yield* everyPage(guest, path, "profiles", 450_000)
          const column = { name: "name_form", handle: "handle" }[sort.replace("-", "")] ?? "created_at"
          const direction = sort.startsWith("-") || sort === "" ? "desc" : "asc"
          const others = column === "handle" ? "" : ", created_at desc, id desc"
          const expected = yield* sql.unsafe<{ readonly id: string }>(
            `select id from accounts
            where ${narrowed.startsWith("q=") ? `handle like '${narrowed.slice(2)}%'` : "true"}
              and ${narrowed.startsWith("joined") ? "created_at >= '1970-01-05Z' and created_at < '1970-02-11Z'" : "true"}
            order by ${column} collate "C" ${direction}${others}`.replace(
              column === "created_at" ? ' collate "C"' : "",
              ""
            )
          )
          assert.deepStrictEqual(idsOf(found), idsOf(expected), path)
          assert.isAbove(counts.length, narrowed === "q=many1" ? 0 : 1, path)
          const [one] = counts
          assert.isAtMost(one ?? 0, 50)
          for (const { id, bio, meta } of found) {
            const number = Number(id.slice(1))
            if (!id.startsWith("a0")) continue
            assert.lengthOf(bio, number % 50 === 7 ? 400_013 : 13)
            assert.lengthOf(meta.text ?? "", number % 4 === 0 ? 60_000 : 0)
          }
        }
      }
      assert.deepStrictEqual(ok(yield* guest.get("/profiles?page=99999999999999")).profiles, [])
    })
  )
})

layer(People.layer)("a search for profiles", (it) => {
  it.effect("that takes longer than two seconds is cancelled in the database", () =>
    Effect.gen(function* () {
      yield* assertCancelled("account_counts", guest.get("/profiles?q=odin"), guest.get("/info"))
      assert.deepStrictEqual(yield* handles({ q: "odin" }), ["odin"])
    })
  )
})

layer(People.layer)("a list of very many selected profiles", (it) => {
  it.effect("has the first ten thousand, in its order, and does not look at the others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const role = "r00000000000000000g0"
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, handle_form, name, name_form)
        select 'm' || lpad(n::text, 18, '0') || '0', timestamptz '2000-01-01Z' + n * interval '1 second', 'epoch', 'zed-' || n,
          'zed-' || n, 'zed-' || n, 'Zed', 'zed' from generate_series(1, 10075) n`
      yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
        values (${role}, 'epoch', 'epoch', 'Many', '', '{}', 77)`
      yield* sql`insert into account_roles (account_id, role_id) select id, ${role} from accounts where name = 'Zed'`
      yield* sql.unsafe("analyze")
      for (const parameters of [{ q: "zed" }, { q: "z" }, { roles: role }]) {
        const page = (n: number) =>
          Effect.map(guest.get(`/profiles${query({ ...parameters, page: String(n) })}`), ok)
        const first = yield* page(1)
        assert.deepStrictEqual([first.profiles[0].handle, first.total_pages], ["zed-10075", 200])
        const last = yield* page(200)
        assert.deepStrictEqual(
          [last.profiles[0].handle, last.profiles[49].handle, last.next_page],
          ["zed-125", "zed-76", undefined]
        )
        const beyond = yield* page(201)
        assert.deepStrictEqual([beyond.profiles, beyond.total_pages], [[], 200])
        const oldest = ok(yield* guest.get(`/profiles${query({ ...parameters, sort: "created_at" })}`))
        assert.strictEqual(oldest.profiles[0].handle, "zed-1")
      }
      // What most accounts have is found in the order, whatever it is.
      const plan = yield* sql.unsafe(`explain select id from accounts where search_text like '%z%'
        order by created_at desc, id desc limit 50`)
      assert.include(JSON.stringify(plan), "accounts_created_at")
    })
  )
})

layer(People.layer)("the database", (it) => {
  it.effect("has an index for every order of profiles, and one for searches", () =>
    Effect.gen(function* () {
      for (const [order, index] of [
        ["created_at desc, id desc", "accounts_created_at"],
        ["created_at, id desc", "accounts_by_age"],
        ["created_at desc, id", "accounts_by_age"],
        ['name_form collate "C", created_at desc, id desc', "accounts_by_name"],
        ['name_form collate "C" desc, created_at, id', "accounts_by_name"],
        ['name_form collate "C" desc, created_at desc, id desc', "accounts_by_name_down"],
        ['name_form collate "C", created_at, id', "accounts_by_name_down"],
        ['handle collate "C", id', "accounts_by_handle"],
        ['handle collate "C" desc, id desc', "accounts_by_handle"]
      ] as const) {
        const plan = yield* planByIndex(`select id from accounts order by ${order} limit 50`)
        assert.match(plan, new RegExp(`Index Only Scan (Backward )?using ${index} `), order)
      }
      assert.include(
        yield* planByIndex("select id from accounts where search_text like '%needle%'"),
        "accounts_search"
      )
    })
  )
})
