/** What staff may do with the ways in which others sign in: nothing where the account may do more than they. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { AccountStronger } from "../../src/domain/account/Account.ts"
import { ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { reset } from "../support/emails.ts"
import { resetPage } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

/** Everything by which staff touch how somebody signs in. */
const operations = (staff: Person, account: Person, address: string) => [
  staff.post(`/accounts/${account.id}/auth/password/reset-token`),
  staff.post(`/accounts/${account.id}/auth/email-password/reset`, {
    email_address_id: address,
    token_url: resetPage
  }),
  staff.patch(`/accounts/${account.id}/emails/${address}/verified`, { verified: true })
]

const member = Effect.fnUntraced(function* (handle: string) {
  const person = yield* signUp(handle)
  const answer = yield* person.post("/accounts/self/emails", { email_address: `${handle}@asgard.example` })
  return { person, address: ok(answer).id as string }
})

layer(People.layer)("the sign-in of somebody else", (it) => {
  it.effect("is for those who hold every permission of the account", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      const plain = yield* member("plain")
      const keeper = yield* member("keeper")
      yield* grant(keeper.person, "MANAGE_ROLES")
      for (const done of operations(tyr, plain.person, plain.address))
        assert.oneOf((yield* done).status, [200, 204])
      for (const refused of operations(tyr, keeper.person, keeper.address)) {
        assertProblem(yield* refused, AccountStronger, { permission: "MANAGE_ROLES" })
      }
      for (const done of operations(odin, keeper.person, keeper.address))
        assert.oneOf((yield* done).status, [200, 204])
      yield* grant(tyr, "MANAGE_ROLES")
      for (const done of operations(tyr, keeper.person, keeper.address))
        assert.oneOf((yield* done).status, [200, 204])
    })
  )

  it.effect("is decided once changes of roles at the same time are done", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const staff = yield* signUp("staff")
      const role = yield* grant(staff, "MANAGE_ACCOUNTS")
      const { address, person } = yield* member("vidar")
      const waiting = (
        asked: ReturnType<typeof operations>[number],
        change: Effect.Effect<unknown, unknown>
      ) =>
        Effect.flatMap(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select lock_roles()`
              const fiber = yield* Effect.forkChild(asked)
              yield* untilWaiting(1)
              yield* change
              return fiber
            })
          ),
          Fiber.join
        )
      for (const asked of operations(staff, person, address)) {
        const promoted = sql`update accounts set admin = true where id = ${person.id}`
        assertProblem(yield* waiting(asked, promoted), AccountStronger, { permission: "ADMINISTRATOR" })
        yield* sql`update accounts set admin = false where id = ${person.id}`
      }
      for (const asked of operations(staff, person, address)) {
        const demoted = sql`update roles set permissions = '{}' where id = ${role}`
        assertProblem(yield* waiting(asked, demoted), Forbidden, { permission: "MANAGE_ACCOUNTS" })
        yield* sql`update roles set permissions = '{MANAGE_ACCOUNTS}' where id = ${role}`
      }
    })
  )

  it.effect("ends with a token that staff have when the account gets more", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id: badge } = ok(yield* odin.post("/roles", { name: "Badge", colour: "", permissions: [] }))
      const token = (account: Person) =>
        Effect.map(
          odin.post(`/accounts/${account.id}/auth/password/reset-token`),
          (answer) => ok(answer).token
        )
      const [assigned, promoted, widened, other] = [
        yield* signUp("assigned"),
        yield* signUp("promoted"),
        yield* signUp("widened"),
        yield* signUp("other")
      ]
      ok(yield* odin.put(`/accounts/widened/roles/${badge}`))
      const [first, second, third, kept] = [
        yield* token(assigned),
        yield* token(promoted),
        yield* token(widened),
        yield* token(other)
      ]
      const { id: judge } = ok(
        yield* odin.post("/roles", { name: "Judge", colour: "", permissions: ["MANAGE_REPORTS"] })
      )
      ok(yield* odin.put(`/accounts/assigned/roles/${judge}`))
      ok(yield* odin.patch(`/accounts/${promoted.id}`, { admin: true }))
      ok(yield* odin.patch(`/roles/${badge}`, { permissions: ["MANAGE_SETTINGS"] }))
      for (const ended of [first, second, third]) {
        assertProblem(yield* reset(ended, "another password"), ResetTokenInvalid)
      }
      ok(yield* odin.patch(`/roles/${judge}`, { name: "Judges" }))
      ok(yield* reset(kept, "another password"))
    })
  )
})
