/** What the operator does with accounts: the rules of accounts hold, those of people do not. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { AccountNotFound, HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import { PasswordNotSet } from "../../src/domain/authentication/Password.ts"
import { PasswordStore } from "../../src/domain/authentication/PasswordStore.ts"
import { Suspensions } from "../../src/domain/moderation/Suspensions.ts"
import { OperatorAccounts, PasswordChangedMeanwhile } from "../../src/domain/operator/OperatorAccounts.ts"
import { ok } from "../support/answers.ts"
import { accountOf, addressOf, askForCode, codeMember, confirm, reset } from "../support/emails.ts"
import * as People from "../support/people.ts"
import { Cast, grant, password, personIn, removePassword, signIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const operator = OperatorAccounts.layer.pipe(
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(People.layer)
)

const other = Redacted.make("another long password")

const eventsAfter = (id: bigint) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly tag: string; readonly actor_id: string | null }>`
      select tag, actor_id from event_log where id > ${id} order by id`
  )

const lastEvent = Effect.map(
  SqlClient.SqlClient.use((sql) => sql<{ readonly id: bigint }>`select max(id) as id from event_log`),
  ([row]) => row?.id ?? 0n
)

layer(operator)("the operator", (it) => {
  it.effect("makes an administrator, whoever may sign up", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { createAdministrator } = yield* OperatorAccounts
      ok(yield* odin.patch("/admin", { registration_mode: "disabled" }))
      const last = yield* lastEvent
      assert.strictEqual(yield* createAdministrator("Hel", other), "hel")
      const hel = personIn(yield* signIn("hel", Redacted.value(other)))
      assert.isTrue(ok(yield* hel.get("/accounts")).admin)
      ok(yield* hel.get("/admin/audit-events"))
      assert.deepStrictEqual(yield* eventsAfter(last), [
        { tag: "AccountCreated", actor_id: null },
        { tag: "RoleAssigned", actor_id: null }
      ])
    })
  )

  it.effect("makes none whose handle cannot be used or is taken", () =>
    Effect.gen(function* () {
      const { createAdministrator } = yield* OperatorAccounts
      const last = yield* lastEvent
      for (const handle of ["", "admin", "a b", "x".repeat(31)]) {
        assert.instanceOf(yield* Effect.flip(createAdministrator(handle, other)), HandleInvalid, handle)
      }
      for (const handle of ["freya", "FREYA", "frеya"]) {
        assert.instanceOf(yield* Effect.flip(createAdministrator(handle, other)), HandleTaken, handle)
      }
      assert.deepStrictEqual(yield* eventsAfter(last), [])
    })
  )

  it.effect("gives an account another password, and ends its sessions if told to", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { setPassword } = yield* OperatorAccounts
      yield* setPassword("FREYA", other, false)
      assert.strictEqual((yield* signIn("freya", password)).status, 401)
      ok(yield* signIn("freya", Redacted.value(other)))
      ok(yield* freya.get("/accounts"))
      yield* setPassword(freya.id, Redacted.make(password), true)
      assert.strictEqual((yield* freya.get("/accounts")).status, 401)
      ok(yield* signIn("freya"))
      ok(yield* odin.get("/accounts"))
      assert.instanceOf(yield* Effect.flip(setPassword("nobody", other, true)), AccountNotFound)
    })
  )

  it.effect("gives an account its first password", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const { setPassword } = yield* OperatorAccounts
      yield* removePassword(tyr)
      yield* setPassword("tyr", other, false)
      ok(yield* signIn("tyr", Redacted.value(other)))
    })
  )

  it.effect("suspends and reinstates anybody, and is nobody in the audit log", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const { byOperator } = yield* Suspensions
      yield* grant(loki, "ADMINISTRATOR")
      yield* byOperator("odin", true)
      assert.strictEqual((yield* odin.get("/accounts")).status, 403)
      yield* byOperator(odin.id, false)
      ok(yield* odin.get("/accounts"))
      assert.instanceOf(yield* Effect.flip(byOperator("nobody", true)), AccountNotFound)
      const { events } = ok(yield* odin.get("/admin/audit-events"))
      const ofOdin = events.filter(
        ({ account_id, type }: Record<string, unknown>) =>
          account_id === odin.id && /suspended$/.test(`${type}`)
      )
      assert.deepStrictEqual(
        ofOdin.map(({ enacted_by, type }: Record<string, unknown>) => [type, enacted_by]),
        [
          ["account_unsuspended", undefined],
          ["account_suspended", undefined]
        ]
      )
      const passwords = events.filter(
        ({ type }: Record<string, unknown>) => type === "account_password_reset_token_issued"
      )
      assert.strictEqual(passwords.length, 3)
    })
  )
})

/** What happens once the password has been read that is to be replaced. */
let meanwhile: Effect.Effect<void> = Effect.void

const overtaken = OperatorAccounts.layer.pipe(
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(
    People.withCast(
      TestApp.layerWhere(
        {},
        TestApp.storesBut(PasswordStore, (usual) => ({
          ...usual,
          find: (id) => Effect.tap(usual.find(id), () => meanwhile)
        }))
      )
    )
  )
)

layer(overtaken)("a password that its owner changes while the operator sets one", (it) => {
  it.effect("is the owner's, whose sessions stay", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { setPassword } = yield* OperatorAccounts
      const sql = yield* SqlClient.SqlClient
      const last = yield* lastEvent
      // Elsewhere than in the transaction of the operator.
      const changing = freya.patch("/auth/password", { old: password, new: "the owner's password" })
      const world = yield* Effect.context<HttpClient.HttpClient>()
      meanwhile = Effect.suspend(() => {
        meanwhile = Effect.void
        return Effect.orDie(Effect.asVoid(Effect.provide(changing, world)))
      })
      const failure = yield* Effect.flip(setPassword("freya", other, true))
      assert.instanceOf(failure, PasswordChangedMeanwhile)
      ok(yield* freya.get("/accounts"))
      ok(yield* signIn("freya", "the owner's password"))
      assert.lengthOf(yield* sql`select from event_log where id > ${last} and actor_id is null`, 0)
    })
  )
})

layer(operator)("an account that has lost the only address to which its codes go", (it) => {
  it.effect("gets a password by the operator, and with it another address", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { setPassword } = yield* OperatorAccounts
      const hod = yield* codeMember("hod")
      const [{ id }] = (yield* accountOf(hod)).email_addresses
      ok(yield* hod.delete(`/accounts/self/emails/${id}`))
      assert.strictEqual((yield* hod.post("/auth/logout")).status, 302)
      assertProblem(yield* askForCode(addressOf("hod")), EmailAddressUnknown)
      // A token replaces a password, and there is none.
      const { token } = ok(yield* odin.post(`/accounts/${hod.id}/auth/password/reset-token`))
      assertProblem(yield* reset(token, Redacted.value(other)), PasswordNotSet)
      yield* setPassword("hod", other, false)
      const again = personIn(yield* signIn("hod", Redacted.value(other)))
      ok(yield* again.post("/accounts/self/emails", { email_address: addressOf("hod") }))
      ok(yield* askForCode(addressOf("hod")))
      assert.deepStrictEqual(ok(yield* confirm(addressOf("hod"))), { id: hod.id })
      assert.deepStrictEqual((yield* accountOf(again)).auth_services, ["password", "email_verify"])
    })
  )
})
