/** What changes while a password is checked or hashed, which takes a while, and while a code is checked. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { CodeWrong } from "../../src/domain/authentication/EmailSignIn.ts"
import { EmailSignInStore } from "../../src/domain/authentication/EmailSignInStore.ts"
import { PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { addTo } from "../passkey/support.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import {
  accountOf,
  addressOf,
  askForCode,
  askForReset,
  codeMember,
  emailMember,
  reset,
  signInByEmail,
  verify
} from "../support/emails.ts"
import { codeTo, tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { password, personIn, signIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const next = "the next password"

type World = HttpClient.HttpClient | SqlClient.SqlClient

/** What happens before the next hash is computed, or before the next code that is right is used. */
let change: Effect.Effect<void> | undefined

const once = Effect.suspend(() => {
  const now = change ?? Effect.void
  change = undefined
  return now
})

/** Sends a request, and does something else before its password is hashed or its code is used. */
const meanwhile = Effect.fnUntraced(function* <A, B, E1, E2>(
  request: Effect.Effect<A, E1, World>,
  other: Effect.Effect<B, E2, World>
) {
  const world = yield* Effect.context<World>()
  change = Effect.provide(Effect.asVoid(Effect.orDie(other)), world)
  const answer = yield* request
  assert.isUndefined(change)
  return answer
})

const service = People.withCast(
  TestApp.layerWhere(
    {},
    App.stores,
    TestApp.hashesAfter(() => once)
  )
)

const sessionsOf = (id: string) =>
  SqlClient.SqlClient.use((sql) => sql`select from sessions where account_id = ${id}`)

const ways: ReadonlyArray<readonly [string, (handle: string) => Effect.Effect<Answer, unknown, World>]> = [
  ["handle", (handle) => signIn(handle)],
  ["address", (handle) => signInByEmail(addressOf(handle))]
]

layer(service)("a sign-in with a password that is changed meanwhile", (it) => {
  it.effect.each(ways)("by %s begins no session, so that none is left when all were ended", ([way, enter]) =>
    Effect.gen(function* () {
      const handle = `ended-by-${way}`
      const person = yield* emailMember(handle)
      let changed: Answer | undefined
      const ending = Effect.map(
        person.patch("/auth/password", { old: password, new: next, revoke_sessions: true }),
        (answer) => {
          changed = answer
        }
      )
      const answer = yield* meanwhile(enter(handle), ending)
      assertProblem(answer, PasswordWrong)
      assert.isUndefined(answer.headers["set-cookie"])
      assert.lengthOf(yield* sessionsOf(person.id), 1)
      const left = personIn(changed ?? assert.fail("The password was not changed"))
      assert.strictEqual((yield* accountOf(left)).handle, handle)
      ok(yield* signIn(handle, next))
    })
  )

  it.effect.each(ways)("by %s waits for a change that is under way", ([way, enter]) =>
    Effect.gen(function* () {
      const handle = `waits-by-${way}`
      const person = yield* emailMember(handle)
      const sql = yield* SqlClient.SqlClient
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update passwords set hash = hash || 'x' where account_id = ${person.id}`
          yield* sql`delete from sessions where account_id = ${person.id}`
          const asked = yield* Effect.forkChild(enter(handle))
          yield* untilWaiting(1)
          return asked
        })
      )
      assertProblem(yield* Fiber.join(asked), PasswordWrong)
      assert.lengthOf(yield* sessionsOf(person.id), 0)
    })
  )

  it.effect.each(ways)("by %s is over when the password is given up", ([way, enter]) =>
    Effect.gen(function* () {
      const handle = `gone-by-${way}`
      const person = yield* emailMember(handle)
      yield* addTo(person, handle)
      const removal = Effect.map(person.delete(`/accounts/self/auth-methods/${person.id}`), ok)
      assertProblem(yield* meanwhile(enter(handle), removal), PasswordWrong)
    })
  )
})

layer(service)("a change of the password that is overtaken by another", (it) => {
  it.effect("changes nothing and ends no session", () =>
    Effect.gen(function* () {
      const ve = yield* emailMember("ve")
      const other = personIn(yield* signIn("ve"))
      const first = ve.patch("/auth/password", { old: password, new: "the first", revoke_sessions: true })
      const second = Effect.map(other.patch("/auth/password", { old: password, new: next }), ok)
      assertProblem(yield* meanwhile(first, second), PasswordWrong)
      for (const person of [ve, other]) assert.strictEqual((yield* accountOf(person)).handle, "ve")
      ok(yield* signIn("ve", next))
    })
  )

  it.effect("by a token is not undone by one who knew the old password", () =>
    Effect.gen(function* () {
      const vili = yield* emailMember("vili")
      ok(yield* askForReset(addressOf("vili")))
      const token = yield* tokenTo(addressOf("vili"))
      const stolen = personIn(yield* signIn("vili"))
      const byThief = stolen.patch("/auth/password", { old: password, new: "the thief's password" })
      const byOwner = Effect.map(reset(token, next, { revoke_sessions: true }), ok)
      assertProblem(yield* meanwhile(byThief, byOwner), PasswordWrong)
      for (const person of [vili, stolen]) assertProblem(yield* person.get("/accounts"), Unauthenticated)
      ok(yield* signIn("vili", next))
    })
  )
})

layer(service)("a token that ends while the new password is hashed", (it) => {
  const asked = Effect.fnUntraced(function* (handle: string) {
    const person = yield* emailMember(handle)
    ok(yield* askForReset(addressOf(handle)))
    return { person, token: yield* tokenTo(addressOf(handle)) }
  })

  it.effect("with the address that it was mailed to sets none", () =>
    Effect.gen(function* () {
      const { person, token } = yield* asked("surt")
      const [{ id }] = (yield* accountOf(person)).email_addresses
      const removal = Effect.map(person.delete(`/accounts/self/emails/${id}`), ok)
      assertProblem(yield* meanwhile(reset(token, next), removal), ResetTokenInvalid)
      ok(yield* signIn("surt"))
    })
  )

  it.effect("with a newer one sets none, and the newer one does", () =>
    Effect.gen(function* () {
      const { token } = yield* asked("hod")
      const newer = Effect.map(askForReset(addressOf("hod")), ok)
      assertProblem(yield* meanwhile(reset(token, next), newer), ResetTokenInvalid)
      ok(yield* signIn("hod"))
      ok(yield* reset(yield* tokenTo(addressOf("hod")), next))
      ok(yield* signIn("hod", next))
    })
  )

  it.effect("with the password sets none", () =>
    Effect.gen(function* () {
      const { person, token } = yield* asked("gerd")
      const other = "what the owner chose"
      const changing = Effect.map(person.patch("/auth/password", { old: password, new: other }), ok)
      assertProblem(yield* meanwhile(reset(token, next), changing), ResetTokenInvalid)
      ok(yield* signIn("gerd", other))
    })
  )
})

layer(service)("a token that two requests have at the same time", (it) => {
  it.effect("sets the password of the one whose transaction is first", () =>
    Effect.gen(function* () {
      const person = yield* emailMember("njord")
      ok(yield* askForReset(addressOf("njord")))
      const token = yield* tokenTo(addressOf("njord"))
      const sql = yield* SqlClient.SqlClient
      const wanted = ["the first password", "the second password"]
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from passwords where account_id = ${person.id} for update`
          const asked = yield* Effect.forEach(wanted, (to) => Effect.forkChild(reset(token, to)))
          yield* untilWaiting(2)
          return asked
        })
      )
      const answers = yield* Effect.forEach(asked, Fiber.join)
      for (const [index, answer] of answers.entries()) {
        if (answer.status !== 200) assertProblem(answer, ResetTokenInvalid)
        assert.strictEqual((yield* signIn("njord", wanted[index])).status, answer.status)
      }
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 401])
    })
  )
})

const replacing = TestApp.storesBut(EmailSignInStore, (usual) => ({
  ...usual,
  uncountAttempt: (id, client, nonce) => Effect.andThen(usual.uncountAttempt(id, client, nonce), once)
}))

layer(People.withCast(TestApp.layerWhere({}, replacing)))("a code that ends while it is checked", (it) => {
  it.effect("with a newer one signs nobody in, and the newer one does", () =>
    Effect.gen(function* () {
      const bragi = yield* codeMember("bragi")
      const email = addressOf("bragi")
      const request = verify(email, yield* codeTo(email))
      assertProblem(yield* meanwhile(request, Effect.map(askForCode(email), ok)), CodeWrong)
      assert.strictEqual((yield* accountOf(bragi)).verified_status, "none")
      assert.deepStrictEqual(ok(yield* verify(email, yield* codeTo(email))), { id: bragi.id })
    })
  )

  it.effect("with its address signs nobody in", () =>
    Effect.gen(function* () {
      const idun = yield* codeMember("idun")
      const email = addressOf("idun")
      const request = verify(email, yield* codeTo(email))
      const [{ id }] = (yield* accountOf(idun)).email_addresses
      const removal = Effect.map(idun.delete(`/accounts/self/emails/${id}`), ok)
      assertProblem(yield* meanwhile(request, removal), CodeWrong)
      assert.strictEqual((yield* accountOf(idun)).verified_status, "none")
    })
  )
})
