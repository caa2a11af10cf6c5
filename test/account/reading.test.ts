import { assert, layer } from "@effect/vitest"
import { Effect, Record } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound, AdministratorHidden } from "../../src/domain/account/Account.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { sessionOf } from "../support/answers.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  call,
  grant,
  guest,
  type Person,
  password,
  personWith,
  signUp,
  suspend
} from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("reading one's own account", (it) => {
  const notify = Effect.fnUntraced(function* (person: Person) {
    const sql = yield* SqlClient.SqlClient
    const event = JSON.stringify({ _tag: "AccountUpdated", id: person.id })
    yield* sql`with cause as (
        insert into event_log (occurred_at, event) values ('epoch', ${event}::text::jsonb) returning id
      )
      insert into notifications (id, created_at, account_id, event, cause_id)
      select lpad(id::text, 20, '0'), 'epoch', ${person.id}, 'follow', id from cause`
  })

  it.effect("requires a session", () =>
    Effect.gen(function* () {
      assertProblem(yield* guest.get("/accounts"), Unauthenticated)
      const conditional = { "if-none-match": '"x"' }
      assertProblem(yield* guest.get("/accounts", { headers: conditional }), Unauthenticated)
    })
  )

  it.effect("shows who invited the account, as they are now", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const invite = (by: Person) => sql`update accounts set invited_by = ${by.id} where id = ${loki.id}`
      assert.notProperty((yield* loki.get("/accounts")).json, "invited_by")
      yield* invite(freya)
      const thread = (yield* freya.post("/threads", { title: "By the inviter" })).json
      const before = yield* loki.get("/accounts")
      assert.deepStrictEqual(before.json.invited_by, thread.author)
      assert.deepStrictEqual((yield* odin.get(`/accounts/${loki.id}`)).json.invited_by, thread.author)
      assert.deepStrictEqual((yield* loki.get("/session")).json.account.invited_by, thread.author)

      yield* freya.patch("/accounts", { name: "Freyja" })
      const known = { headers: { "if-none-match": before.headers.etag ?? "" } }
      const after = yield* loki.get("/accounts", known)
      assert.strictEqual(after.status, 200)
      assert.strictEqual(after.json.invited_by.name, "Freyja")
      yield* invite(tyr)
      assert.strictEqual((yield* loki.get("/accounts")).json.invited_by.handle, "tyr")
      yield* sql`update accounts set invited_by = null where id = ${loki.id}`
      assert.notProperty((yield* loki.get("/accounts")).json, "invited_by")
    })
  )

  it.effect("is answered with 304 while the ETag matches, and only then", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const first = yield* freya.get("/accounts")
      const { "cache-control": caching, etag = "" } = first.headers
      assert.strictEqual(caching, "private, no-cache")
      assert.match(etag, /^"[^"]+"$/)
      assert.isUndefined(first.headers["last-modified"])

      const again = yield* freya.get("/accounts", { headers: { "if-none-match": etag } })
      assert.strictEqual(again.status, 304)
      assert.strictEqual(again.text, "")
      assert.isUndefined(again.headers["content-type"])
      assert.strictEqual(again.headers["cache-control"], caching)
      assert.strictEqual(again.headers.etag, etag)

      const future = '"t-2999-01-01T00:00:00.000000000Z"'
      for (const known of [
        future,
        '"t-1970-01-01T00:00:00Z"',
        `W/${etag}`,
        `${etag}, "x"`,
        "*",
        "",
        etag.slice(1, -1)
      ]) {
        const answer = yield* freya.get("/accounts", { headers: { "if-none-match": known } })
        assert.strictEqual(answer.status, 200, known)
        assert.deepStrictEqual(answer.json, first.json)
        assert.strictEqual(answer.headers.etag, etag)
      }
      const others = yield* loki.get("/accounts", { headers: { "if-none-match": etag } })
      assert.strictEqual(others.status, 200)
    })
  )

  it.effect("has another ETag after every change of the answer", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const sql = yield* SqlClient.SqlClient
      const role = "role00000000000000a0"
      const changes: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>]> =
        [
          [
            "a new role",
            Effect.andThen(
              sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
              values (${role}, 'epoch', 'epoch', 'Judge', '', '{}', 7)`,
              sql`insert into account_roles (account_id, role_id) values (${vali.id}, ${role})`
            )
          ],
          ["its badge", sql`update account_roles set badge = true where role_id = ${role}`],
          ["its colour", sql`update roles set colour = 'blue' where id = ${role}`],
          [
            "a permission of every member",
            sql`update roles set permissions = permissions || '{CREATE_INVITATION}'
            where id = '00000000000000000010'`
          ],
          ["the role's end", sql`delete from account_roles where role_id = ${role}`],
          ["a notification", notify(vali)],
          ["another", notify(vali)],
          ["their being read", sql`update notifications set status = 'read' where account_id = ${vali.id}`],
          ["the loss of the password", sql`delete from passwords where account_id = ${vali.id}`],
          ["verification", sql`update accounts set verified_status = 'manual' where id = ${vali.id}`]
        ]
      let known = (yield* vali.get("/accounts")).headers.etag ?? ""
      for (const [what, change] of changes) {
        yield* change
        const answer = yield* vali.get("/accounts", { headers: { "if-none-match": known } })
        assert.strictEqual(answer.status, 200, what)
        known = answer.headers.etag ?? ""
        const repeated = yield* vali.get("/accounts", { headers: { "if-none-match": known } })
        assert.strictEqual(repeated.status, 304, what)
      }
      yield* vali.patch("/accounts", { bio: "one-handed" })
      const changed = yield* vali.get("/accounts", { headers: { "if-none-match": known } })
      assert.strictEqual(changed.json.bio, "<body>one-handed</body>")
    })
  )

  it.effect("counts unread notifications", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      assert.strictEqual((yield* hel.get("/accounts")).json.notifications, 0)
      yield* notify(hel)
      yield* notify(hel)
      assert.strictEqual((yield* hel.get("/accounts")).json.notifications, 2)
      yield* SqlClient.SqlClient.use((sql) => sql`update notifications set status = 'read'`)
      assert.strictEqual((yield* hel.get("/accounts")).json.notifications, 0)
    })
  )

  it.effect("ignores unknown parameters and a content type", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      const answer = yield* call("GET", "/api/accounts?page=x&account_id=1&account_id=2", {
        headers: { cookie: `forum-session=${ran.cookie}`, "content-type": "text/html" }
      })
      assert.strictEqual(answer.json.handle, "ran")
    })
  )
})

layer(People.layer)("reading another's account", (it) => {
  const ghost = "00000000000000000000"

  const read = (reader: Person, account: Person) => reader.get(`/accounts/${account.id}`)

  it.effect("is allowed with the permission, and to the account itself", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const vali = yield* signUp("vali")
      yield* grant(vali, "VIEW_ACCOUNTS")
      const mimir = yield* signUp("mimir")
      yield* grant(mimir, "ADMINISTRATOR")
      const people = { odin, freya, loki, vali, mimir }

      // VIEW_ACCOUNTS does not show administrators, whether by the flag or by a role.
      const seen = {
        odin: ["odin", "freya", "loki", "vali", "mimir"],
        mimir: ["odin", "freya", "loki", "vali", "mimir"],
        vali: ["freya", "loki", "vali"],
        freya: ["freya"],
        loki: ["loki"]
      }
      for (const [reader, accounts] of Record.toEntries(seen)) {
        for (const [name, account] of Record.toEntries(people)) {
          const answer = yield* read(people[reader], account)
          if (accounts.includes(name)) {
            assert.strictEqual(answer.status, 200, `${reader} reads ${name}`)
            assert.strictEqual(answer.json.handle, name)
            assert.strictEqual(answer.headers["cache-control"], "private, no-cache")
            assert.isUndefined(answer.headers.etag)
          } else if (reader === "vali") {
            assertProblem(answer, AdministratorHidden)
          } else {
            assertProblem(answer, Forbidden, { permission: "VIEW_ACCOUNTS" })
          }
        }
      }
      const own = yield* freya.get("/accounts")
      for (const reader of [freya, odin, vali]) {
        assert.deepStrictEqual((yield* read(reader, freya)).json, own.json)
      }
    })
  )

  it.effect("shows that an account is suspended", () =>
    Effect.gen(function* () {
      const odin = personWith(
        sessionOf(yield* guest.post("/auth/password/signin", { identifier: "odin", token: password })),
        ""
      )
      const hel = yield* signUp("hel")
      yield* suspend(hel)
      const { json } = yield* read(odin, hel)
      assert.strictEqual(json.suspended, "1970-01-01T00:00:00.000Z")
      assert.strictEqual(json.deletedAt, "1970-01-01T00:00:00.000Z")
    })
  )

  it.effect("refuses guests, malformed ids, unknown ids and missing permissions, in this order", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      const malformed = [
        "sif",
        "0000000000000000000",
        `${ghost}0`,
        "0000000000000000000w",
        sif.id.toUpperCase().replace(/^0/, "A"),
        "%20",
        "漢"
      ]
      for (const id of malformed) {
        assertProblem(yield* guest.get(`/accounts/${id}`), Unauthenticated)
        assertInvalid(yield* sif.get(`/accounts/${id}`), "path account_id")
      }
      assertProblem(yield* guest.get(`/accounts/${ghost}`), Unauthenticated)
      assertProblem(yield* guest.get(`/accounts/${sif.id}`), Unauthenticated)
      assertProblem(yield* sif.get(`/accounts/${ghost}`), AccountNotFound, { account: ghost })
    })
  )
})
