/** Invitations and who may sign up. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RegistrationClosed } from "../../src/domain/authentication/Password.ts"
import {
  InvitationNotFound,
  InvitationNotYours,
  TooManyInvitations
} from "../../src/domain/invitation/Invitation.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, password, personIn } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { fill } from "./scenarios.ts"

const join = (handle: string, invitation?: string) =>
  guest.post(`/auth/password/signup${invitation === undefined ? "" : `?invitation_id=${invitation}`}`, {
    identifier: handle,
    token: password
  })

const mode = (registration_mode: "public" | "invitation" | "disabled") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.patch("/admin", { registration_mode }), ok))

layer(People.layer)("an invitation", (it) => {
  it.effect("is shown as it was created, to everyone", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "CREATE_INVITATION")
      const created = ok(yield* freya.post("/invitations", { message: "Come in.\nIt is warm." }))
      assert.strictEqual(created.message, "Come in.\nIt is warm.")
      assert.strictEqual(created.creator.handle, "freya")
      assert.deepStrictEqual(ok(yield* guest.get(`/invitations/${created.id}`)), created)
      for (const body of [undefined, {}, { message: " \n" }]) {
        assert.notProperty(ok(yield* freya.post("/invitations", body)), "message")
      }
      assertInvalid(yield* freya.post("/invitations", { message: "x".repeat(2001) }), "body message")
    })
  )

  it.effect("has an id in the form of all ids that nobody finds from others", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [one, other] = [ok(yield* odin.post("/invitations")).id, ok(yield* odin.post("/invitations")).id]
      const { id: counted } = yield* People.signUp("thrud")
      for (const id of [one, other]) assert.match(id, /^[0-9a-v]{19}[0g]$/)
      for (const [a, b] of [
        [one, other],
        [one, counted],
        [other, counted]
      ]) {
        assert.notStrictEqual(a.slice(0, 8), b.slice(0, 8))
        assert.notStrictEqual(a.slice(8), b.slice(8))
      }
      for (const id of [one, other]) ok(yield* odin.delete(`/invitations/${id}`))
    })
  )

  it.effect("is listed to its creator, and to administrators", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(loki, "CREATE_INVITATION")
      // Ids of invitations have no order.
      yield* TestClock.adjust("1 second")
      const { id } = ok(yield* loki.post("/invitations"))
      const idsOf = (path: string, person = odin) =>
        Effect.map(person.get(path), (answer) => ok(answer).invitations.map((one: { id: string }) => one.id))
      const freyas = yield* idsOf("/invitations", freya)
      assert.strictEqual(freyas.length, 4)
      assert.deepStrictEqual(yield* idsOf("/invitations", loki), [id])
      assert.deepStrictEqual(yield* idsOf("/invitations"), [id, ...freyas])
      assert.deepStrictEqual(yield* idsOf(`/invitations?account_id=${freya.id}`), freyas)
      assert.deepStrictEqual(yield* idsOf(`/invitations?account_id=${nobody}`), [])
      // Others get their own, whatever they ask for.
      assert.deepStrictEqual(yield* idsOf(`/invitations?account_id=${freya.id}`, loki), [id])
      assertInvalid(yield* odin.get("/invitations?account_id=x"), "query account_id")
      const { invitations: _, ...envelope } = ok(yield* loki.get("/invitations"))
      assert.deepStrictEqual(envelope, { page_size: 1, results: 1, total_pages: 1, current_page: 1 })
    })
  )

  it.effect("is good for many, who show who invited them until it is deleted", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = ok(yield* freya.post("/invitations"))
      const answers = yield* Effect.forEach(["hel", "sif", "idun", "bragi"], (handle) => join(handle, id), {
        concurrency: "unbounded"
      })
      const [hel] = answers.map((answer) => {
        ok(answer)
        return personIn(answer)
      })
      const inviter = Effect.gen(function* () {
        const own = hel === undefined ? undefined : ok(yield* hel.get("/accounts")).invited_by?.handle
        return [own, ok(yield* guest.get("/profiles/hel")).invited_by?.handle]
      })
      assert.deepStrictEqual(yield* inviter, ["freya", "freya"])
      assertProblem(yield* loki.delete(`/invitations/${id}`), InvitationNotYours)
      ok(yield* odin.delete(`/invitations/${id}`))
      assertProblem(yield* odin.delete(`/invitations/${id}`), InvitationNotFound)
      assertProblem(yield* guest.get(`/invitations/${id}`), InvitationNotFound)
      assert.deepStrictEqual(yield* inviter, [undefined, undefined])
      assertProblem(yield* join("late", id), RegistrationClosed)
    })
  )

  it.effect("is deleted once, however many ask for it at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* odin.post("/invitations"))
      const answers = yield* Effect.forEach(Array(8).keys(), () => odin.delete(`/invitations/${id}`), {
        concurrency: "unbounded"
      })
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 7)
      for (const answer of refused) assertProblem(answer, InvitationNotFound)
    })
  )

  it.effect("is one of a thousand at most, also when many are created at once", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* grant(tyr, "CREATE_INVITATION")
      yield* fill(tyr.id)
      const [some] = ok(yield* tyr.get("/invitations")).invitations
      assertProblem(yield* tyr.post("/invitations"), TooManyInvitations, { maximum: 1000 })
      ok(yield* tyr.delete(`/invitations/${some.id}`))
      const answers = yield* Effect.forEach([1, 2, 3, 4, 5], () => tyr.post("/invitations"), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
    })
  )
})

layer(People.layer)("the mode of registration", (it) => {
  it.effect("decides with the invitation who signs up", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* odin.post("/invitations"))
      yield* mode("invitation")
      assertProblem(yield* join("one"), RegistrationClosed, { registration_mode: "invitation" })
      assertProblem(yield* join("one", nobody), RegistrationClosed, {
        registration_mode: "invitation",
        invitation_id: nobody
      })
      ok(yield* join("one", id))
      yield* mode("disabled")
      assertProblem(yield* join("two"), RegistrationClosed, { registration_mode: "disabled" })
      assertProblem(yield* join("two", id), RegistrationClosed)
      yield* mode("public")
      ok(yield* join("two", id))
      ok(yield* join("three"))
    })
  )

  it.effect("counts an invitation that is deleted while somebody signs up with it as none", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* mode("public")
      const handles = Array.from({ length: 8 }, (_, n) => `racer-${n}`)
      const { id } = ok(yield* odin.post("/invitations"))
      const [answers] = yield* Effect.all(
        [
          Effect.forEach(handles, (handle) => join(handle, id), { concurrency: "unbounded" }),
          odin.delete(`/invitations/${id}`)
        ],
        { concurrency: "unbounded" }
      )
      for (const answer of answers) {
        if (answer.status !== 200) assertProblem(answer, RegistrationClosed)
      }
      const joined = yield* sql<{ readonly handle: string; readonly invited_by: string | null }>`
        select handle, invited_by from accounts where handle like 'racer-%'`
      assert.strictEqual(joined.length, answers.filter(({ status }) => status === 200).length)
      assert.isTrue(joined.every(({ invited_by }) => invited_by === null))
    })
  )
})

layer(TestApp.layer)("the first account", (it) => {
  it.effect("needs no invitation, and may name one that does not exist", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update settings set value = '{"registration_mode":"disabled"}' where part = 'general'`
      const answers = yield* Effect.forEach(["ask", "embla", "mimir"], (handle) => join(handle, nobody), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 403, 403])
    })
  )
})
