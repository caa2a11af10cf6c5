/** The dates of built-in roles, by which clients know those that nobody has edited, and what roles lack. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { member } from "../support/roles.ts"

const never = "0001-01-01T00:00:00Z"

interface Dated {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
}

const datesOf = ({ createdAt, updatedAt }: Dated) => [createdAt, updatedAt]

layer(People.layer)("a built-in role", (it) => {
  /** Its dates wherever an account or a list shows them. */
  const everywhere = Effect.gen(function* () {
    const { freya, odin } = yield* Cast
    const lists: ReadonlyArray<ReadonlyArray<Dated>> = [
      ok(yield* guest.get("/roles")).roles,
      ok(yield* freya.get("/accounts")).roles,
      ok(yield* freya.get("/session")).account.roles,
      ok(yield* guest.get("/profiles/freya")).roles,
      ok(yield* guest.get("/profiles")).profiles[0].roles,
      ok(yield* odin.get(`/accounts/${freya.id}`)).roles,
      ok(yield* odin.get("/admin/accounts")).accounts[0].roles,
      [ok(yield* guest.get(`/roles/${member.id}`))]
    ]
    return lists.map((roles) => roles.find(({ id }) => id === member.id)).flatMap((role) => role ?? [])
  })

  it.effect("has the date that clients look for until it is edited, and again once it is reset", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const role of yield* everywhere) assert.deepStrictEqual(datesOf(role), [never, never])
      for (const { default: isBuiltIn, ...role } of ok(yield* guest.get("/roles")).roles) {
        assert.strictEqual(role.createdAt === never, isBuiltIn, role.name)
      }

      yield* TestClock.adjust("1 hour")
      const edited = ok(yield* odin.patch(`/roles/${member.id}`, { colour: "teal" }))
      assert.deepStrictEqual(datesOf(edited), ["1970-01-01T01:00:00.000Z", "1970-01-01T01:00:00.001Z"])
      yield* TestClock.adjust("1 hour")
      const again = ok(yield* odin.patch(`/roles/${member.id}`, { name: "Person" }))
      assert.deepStrictEqual(datesOf(again), ["1970-01-01T01:00:00.000Z", "1970-01-01T02:00:00.000Z"])
      const seen = yield* everywhere
      assert.strictEqual(seen.length, 8)
      for (const role of seen) assert.deepStrictEqual(datesOf(role), datesOf(again))

      assert.strictEqual((yield* odin.delete(`/roles/${member.id}`)).status, 200)
      for (const role of yield* everywhere) assert.deepStrictEqual(datesOf(role), [never, never])
      assert.strictEqual((yield* odin.delete(`/roles/${member.id}`)).status, 404)
    })
  )
})

layer(People.layer)("a role without metadata", (it) => {
  it.effect("has no key for them, wherever it is shown", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const create = (name: string, meta: object) =>
        Effect.map(odin.post("/roles", { name, colour: "", permissions: [], meta }), ok)
      const [plain, full] = [yield* create("Plain", {}), yield* create("Full", { icon: "x" })]
      for (const { id } of [plain, full]) ok(yield* odin.put(`/accounts/freya/roles/${id}`))
      const thread = yield* open(freya, "By somebody with roles")
      const shown: ReadonlyArray<ReadonlyArray<{ readonly id: string; readonly meta?: object }>> = [
        ok(yield* guest.get("/roles")).roles,
        ok(yield* guest.get("/profiles/freya")).roles,
        ok(yield* guest.get(`/threads/${thread.slug}`)).author.roles,
        ok(yield* guest.get("/threads")).threads[0].author.roles
      ]
      for (const roles of shown) {
        for (const { id, ...role } of roles) {
          if (id === full.id) assert.deepStrictEqual(role.meta, { icon: "x" })
          else assert.notProperty(role, "meta")
        }
        assert.includeMembers(
          roles.map(({ id }) => id),
          [plain.id, full.id, member.id]
        )
      }
    })
  )
})
