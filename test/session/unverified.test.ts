/** Where people sign in with their addresses, accounts act as guests until one is confirmed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { accountOf, addressOf, confirm, emailMember } from "../support/emails.ts"
import { createKey, permission as keysPermission } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, type Person, personByKey } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const setMode = (authentication_mode: "handle" | "email" | "phone") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.patch("/admin", { authentication_mode }), ok))

const verify = (person: Person, status: "none" | "verified_email" | "manual") =>
  SqlClient.SqlClient.use(
    (sql) => sql`update accounts set verified_status = ${status} where id = ${person.id}`
  )

const thread = { title: "Thread", body: "<p>x</p>" }

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "an account that is not verified, in mode email,",
  (it) => {
    it.effect("may do what guests may, and stays signed in", () =>
      Effect.gen(function* () {
        const { freya, loki, odin } = yield* Cast
        yield* grant(freya, "MANAGE_POSTS", "VIEW_ACCOUNTS", keysPermission)
        const key = personByKey((yield* createKey(freya, {})).secret, freya.id)
        const existing = yield* open(freya, "Before")
        assert.strictEqual((yield* setMode("email")).authentication_mode, "email")
        assert.strictEqual(ok(yield* guest.get("/info")).authentication_mode, "email")
        for (const caller of [freya, key]) {
          assertProblem(yield* caller.post("/threads", thread), Forbidden, { permission: "CREATE_POST" })
          assertProblem(yield* caller.put(`/posts/${existing.id}/reacts`, { emoji: "x" }), Forbidden, {
            permission: "CREATE_REACTION"
          })
          assertProblem(yield* caller.get(`/accounts/${loki.id}`), Forbidden, { permission: "VIEW_ACCOUNTS" })
          ok(yield* caller.get(`/threads/${existing.slug}`))
          const own = ok(yield* caller.get("/accounts"))
          assert.includeMembers(
            own.roles.map(({ name }: { readonly name: string }) => name),
            ["Member"]
          )
        }
        // What guests may not, it may not either.
        const role = ok(yield* odin.get("/roles/0000000000000000000g"))
        ok(
          yield* odin.patch("/roles/0000000000000000000g", {
            permissions: role.permissions.filter((name: string) => name !== "READ_PUBLISHED_THREADS")
          })
        )
        assertProblem(yield* freya.get(`/threads/${existing.slug}`), Forbidden, {
          permission: "READ_PUBLISHED_THREADS"
        })
        ok(yield* odin.delete("/roles/0000000000000000000g"))
      })
    )

    it.effect("is like any other from the next request on after it is verified, on every instance", () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const second = yield* TestApp.UncachedClient
        const elsewhere = <A, E>(request: Effect.Effect<A, E, HttpClient.HttpClient>) =>
          Effect.provideService(request, HttpClient.HttpClient, second)
        yield* setMode("email")
        for (const status of ["verified_email", "manual"] as const) {
          assertProblem(yield* elsewhere(freya.post("/threads", thread)), Forbidden)
          yield* verify(freya, status)
          ok(yield* freya.post("/threads", thread))
          ok(yield* elsewhere(freya.post("/threads", thread)))
          yield* verify(freya, "none")
          assertProblem(yield* freya.post("/threads", thread), Forbidden)
        }
        yield* setMode("handle")
        ok(yield* elsewhere(freya.post("/threads", thread)))
      })
    )

    it.effect("acts as a guest again when it is verified no more, whatever the way and the credential", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const elsewhere = yield* TestApp.UncachedClient
        yield* setMode("email")
        const sif = yield* emailMember("sif")
        ok(yield* confirm(addressOf("sif")))
        yield* grant(sif, keysPermission)
        const key = personByKey((yield* createKey(sif)).secret, sif.id)
        const [{ id }] = (yield* accountOf(sif)).email_addresses
        const say = (verified: boolean) =>
          Effect.map(odin.patch(`/accounts/${sif.id}/emails/${id}/verified`, { verified }), ok)
        const set = (verified_status: string) =>
          Effect.map(odin.patch(`/accounts/${sif.id}`, { verified_status }), ok)
        const post = (person: Person) => person.post("/threads", thread)
        const posts = Effect.gen(function* () {
          const here = yield* Effect.forEach([sif, key], post)
          const there = Effect.forEach([sif, key], post)
          return [...here, ...(yield* Effect.provideService(there, HttpClient.HttpClient, elsewhere))]
        })
        for (const [lose, regain] of [
          [say(false), say(true)],
          [set("none"), set("verified_email")],
          [sif.delete(`/accounts/self/emails/${id}`), set("manual")],
          [set("none"), setMode("handle")]
        ] as const) {
          for (const answer of yield* posts) ok(answer)
          yield* lose
          for (const answer of yield* posts) {
            assertProblem(answer, Forbidden, { permission: "CREATE_POST" })
          }
          yield* regain
        }
        for (const answer of yield* posts) ok(answer)
      })
    )

    it.effect("is told how many notifications it finds in its list, and staff as many", () =>
      Effect.gen(function* () {
        const { odin, tyr } = yield* Cast
        yield* setMode("handle")
        const hel = yield* emailMember("hel")
        const { id } = yield* open(hel, "About hel")
        ok(yield* tyr.post(`/threads/${id}/replies`, { body: "<p>Yes</p>" }))
        yield* drainEvents
        const counts = Effect.gen(function* () {
          const listed = ok(yield* hel.get("/notifications")).notifications.length
          const { notifications } = yield* accountOf(hel)
          return [listed, notifications, ok(yield* odin.get(`/accounts/${hel.id}`)).notifications]
        })
        const guests = "/roles/0000000000000000000g"
        ok(yield* odin.patch(guests, { permissions: [] }))
        assert.deepStrictEqual(yield* counts, [1, 1, 1])
        yield* setMode("email")
        assert.deepStrictEqual(yield* counts, [0, 0, 0])
        ok(yield* confirm(addressOf("hel")))
        assert.deepStrictEqual(yield* counts, [1, 1, 1])
        ok(yield* odin.delete(guests))
      })
    )

    it.effect("is neither an administrator nor a bot, and there is none in other modes", () =>
      Effect.gen(function* () {
        const { loki, odin } = yield* Cast
        const sql = yield* SqlClient.SqlClient
        yield* setMode("email")
        ok(yield* odin.post("/threads", thread))
        ok(yield* odin.get("/admin"))
        assertProblem(yield* loki.post("/threads", thread), Forbidden)
        // A role with every permission is not the account's own standing.
        yield* grant(loki, "ADMINISTRATOR")
        assertProblem(yield* loki.get("/admin"), Forbidden)
        yield* sql`update accounts set kind = 'bot' where id = ${loki.id}`
        ok(yield* loki.post("/threads", thread))
        yield* sql`update accounts set kind = 'human' where id = ${loki.id}`
        for (const mode of ["handle", "phone"] as const) {
          yield* setMode(mode)
          ok(yield* loki.post("/threads", thread))
        }
      })
    )
  }
)

layer(People.withCast(TestApp.withoutMail))("without a mail server", (it) => {
  it.effect("mode email becomes handle, and nobody acts as a guest", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const info = ok(yield* guest.get("/info"))
      assert.notInclude(info.capabilities, "email_client")
      assert.strictEqual((yield* setMode("email")).authentication_mode, "handle")
      assert.strictEqual(ok(yield* odin.get("/admin")).authentication_mode, "handle")
      assert.strictEqual(ok(yield* guest.get("/auth")).mode, "handle")
      ok(yield* freya.post("/threads", thread))
      // An instance that had a mail server once keeps the setting.
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select by_email from sign_in_mode`, [{ by_email: true }])
      yield* setMode("phone")
      assert.deepStrictEqual(yield* sql`select by_email from sign_in_mode`, [{ by_email: false }])
    })
  )
})
