import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { sessionOf } from "../support/answers.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  call,
  grant,
  guest,
  type Person,
  password,
  personWith,
  signIn,
  signUp,
  suspend
} from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const reinstate = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`update accounts set suspended_at = null where id = ${person.id}`)

layer(People.layer)("a suspended account", (it) => {
  it.effect(
    "is refused by every operation that requires an account or a permission, from the next request on",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const headers = freya.headers
        assert.strictEqual((yield* freya.get("/threads")).status, 200)
        yield* suspend(freya)
        const needing = operations.filter(
          ({ access }) => access._tag !== "Public" && takenBy(access) !== "token"
        )
        assert.isAbove(needing.length, 0)
        for (const { method, path } of needing) {
          const answer = yield* call(method, path, { headers, ...(method === "GET" ? {} : { body: "{" }) })
          assertProblem(answer, AccountSuspended)
        }
      })
  )

  it.effect("is refused even if it is an administrator", () =>
    Effect.gen(function* () {
      const mimir = yield* signUp("mimir")
      yield* grant(mimir, "ADMINISTRATOR")
      yield* suspend(mimir)
      assertProblem(yield* mimir.get("/accounts"), AccountSuspended)
      assertProblem(yield* mimir.get(`/accounts/${mimir.id}`), AccountSuspended)
    })
  )

  it.effect("is refused before If-None-Match is compared", () =>
    Effect.gen(function* () {
      const loki = personWith(sessionOf(yield* signIn("loki")), "")
      const { headers, json } = yield* loki.get("/accounts")
      const account = personWith(loki.cookie, json.id)
      yield* suspend(account)
      const conditional = { headers: { "if-none-match": headers.etag ?? "" } }
      assertProblem(yield* account.get("/accounts", conditional), AccountSuspended)
      yield* reinstate(account)
      assert.strictEqual((yield* account.get("/accounts", conditional)).status, 304)
    })
  )

  it.effect("still reads its session and what is public", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const before = yield* vali.get("/session")
      yield* suspend(vali)
      const session = yield* vali.get("/session")
      assert.strictEqual(session.status, 200, session.text)
      assert.deepStrictEqual(session.json, {
        ...before.json,
        account: {
          ...before.json.account,
          suspended: "1970-01-01T00:00:00.000Z",
          deletedAt: "1970-01-01T00:00:00.000Z"
        }
      })
      for (const path of ["/info", "/version", "/auth", "/roles", "/roles/00000000000000000010"]) {
        assert.strictEqual((yield* vali.get(path)).status, 200, path)
      }
    })
  )

  it.effect("cannot sign in, whatever the password, until it is reinstated", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      yield* suspend(hel)
      for (let attempt = 0; attempt < 12; attempt++) {
        assertProblem(yield* signIn("hel", "wrong password"), SignInSuspended)
      }
      assertProblem(yield* signIn("hel"), SignInSuspended)
      yield* reinstate(hel)
      assert.strictEqual((yield* signIn("hel")).status, 200)
      const { json } = yield* hel.get("/accounts")
      assert.strictEqual(json.handle, "hel")
      assert.notProperty(json, "suspended")
      assert.notProperty(json, "deletedAt")
    })
  )

  it.effect("can sign out", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      yield* suspend(sif)
      assert.strictEqual((yield* sif.post("/auth/logout")).status, 302)
      assertProblem(yield* sif.get("/accounts"), Unauthenticated)
      assert.isUndefined((yield* sif.get("/session")).json.account)
    })
  )

  it.effect("keeps its handle", () =>
    Effect.gen(function* () {
      yield* suspend(yield* signUp("ran"))
      const answer = yield* guest.post("/auth/password/signup", { identifier: "ran", token: password })
      assertProblem(answer, HandleTaken, { handle: "ran" })
    })
  )
})
