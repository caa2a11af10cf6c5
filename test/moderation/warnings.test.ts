/** Warnings of accounts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound, AdministratorHidden } from "../../src/domain/account/Account.ts"
import { TooManyWarnings, WarningNotFound } from "../../src/domain/moderation/Warning.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, nobody, type Person, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { fillWarnings } from "./scenarios.ts"

const of = (person: { readonly id: string }) => `/accounts/${person.id}/warnings`

const audit = (reader: Person, type: string) =>
  Effect.map(reader.get(`/admin/audit-events?types=${type}`), (answer) => ok(answer).events)

layer(People.layer)("a warning", (it) => {
  it.effect("is not given, changed or taken back by whom it is about, unless by an administrator", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const forseti = yield* signUp("forseti")
      yield* grant(forseti, "VIEW_ACCOUNTS", "MANAGE_WARNINGS")
      const warning = ok(yield* odin.post(of(forseti), { reason: "Too lenient" }))
      const one = `${of(forseti)}/${warning.id}`
      for (const answer of [
        yield* forseti.post(of(forseti), { reason: "x" }),
        yield* forseti.patch(one, { reason: "x" }),
        yield* forseti.delete(one)
      ]) {
        assertProblem(answer, Forbidden, { permission: "ADMINISTRATOR" })
      }
      assert.deepStrictEqual(ok(yield* forseti.get(of(forseti))), { warnings: [warning], total: 1 })
      const own = ok(yield* odin.post(of(odin), { reason: "x" }))
      ok(yield* odin.patch(`${of(odin)}/${own.id}`, { reason: "y" }))
      assert.strictEqual((yield* odin.delete(`${of(odin)}/${own.id}`)).status, 204)
    })
  )

  it.effect(
    "is given and changed by those who manage warnings of accounts that they may view, and read by the account",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const staff = yield* signUp("warden")
        yield* grant(staff, "VIEW_ACCOUNTS", "MANAGE_WARNINGS")
        yield* grant(tyr, "MANAGE_WARNINGS")
        const viewer = yield* signUp("viewer")
        yield* grant(viewer, "VIEW_ACCOUNTS")
        const warning = ok(yield* staff.post(of(freya), { reason: "  Two\nlines " }))
        assert.deepStrictEqual([warning.reason, warning.issued_by.handle], ["Two\nlines", "warden"])
        for (const person of [freya, staff, odin]) {
          assert.deepStrictEqual(ok(yield* person.get(of(freya))), { warnings: [warning], total: 1 })
        }
        assertProblem(yield* viewer.get(of(freya)), Forbidden, { permission: "MANAGE_WARNINGS" })
        const one = `${of(freya)}/${warning.id}`
        // Whoever may not read the account may do nothing with its warnings.
        for (const answer of [
          yield* tyr.get(of(freya)),
          yield* tyr.post(of(freya), { reason: "x" }),
          yield* tyr.patch(one, { reason: "x" }),
          yield* tyr.delete(one)
        ]) {
          assertProblem(answer, Forbidden, { permission: "VIEW_ACCOUNTS" })
        }
        assertProblem(yield* staff.post(of(odin), { reason: "x" }), AdministratorHidden)
        assertProblem(yield* staff.get(of(odin)), AdministratorHidden)
        assert.deepStrictEqual(ok(yield* tyr.get(of(tyr))), { warnings: [], total: 0 })
        for (const [person, problem] of [
          [guest, Unauthenticated],
          [loki, Forbidden],
          [freya, Forbidden]
        ] as const) {
          if (person !== freya) assertProblem(yield* person.get(of(freya)), problem)
          assertProblem(yield* person.post(of(freya), { reason: 1 }), problem)
          assertProblem(yield* person.patch(one, { reason: 1 }), problem)
          assertProblem(yield* person.delete(one), problem)
        }
        assert.deepStrictEqual(ok(yield* freya.get(of(freya))).warnings, [warning])
      })
  )

  it.effect("is one of this account, and has a reason", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const warning = ok(yield* odin.post(of(loki), { reason: "x".repeat(2000) }))
      yield* TestClock.adjust("1 second")
      const second = ok(yield* odin.post(of(loki), { reason: "Second" }))
      for (const id of [warning.id, nobody, "nope"]) {
        assertProblem(yield* odin.patch(`${of(freya)}/${id}`, { reason: "y" }), WarningNotFound, {
          warning_id: id
        })
        assertProblem(yield* odin.delete(`${of(freya)}/${id}`), WarningNotFound, { warning_id: id })
      }
      for (const answer of [
        yield* odin.get(of({ id: nobody })),
        yield* odin.post(of({ id: nobody }), { reason: "x" }),
        yield* odin.patch(`${of({ id: nobody })}/${warning.id}`, { reason: "x" }),
        yield* odin.delete(`${of({ id: nobody })}/${warning.id}`)
      ]) {
        assertProblem(answer, AccountNotFound, { account: nobody })
      }
      assertInvalid(yield* odin.get(of({ id: "nope" })), "path account_id")
      for (const reason of ["", " \n ", "x".repeat(2001), undefined, null]) {
        assertInvalid(yield* odin.post(of(loki), { reason }), "body reason")
        assertInvalid(yield* odin.patch(`${of(loki)}/${warning.id}`, { reason }), "body reason")
      }
      assert.deepStrictEqual(ok(yield* loki.get(of(loki))), { warnings: [second, warning], total: 2 })
      const changed = ok(yield* odin.patch(`${of(loki)}/${warning.id}`, { reason: "Shorter" }))
      assert.deepStrictEqual(changed, { ...warning, reason: "Shorter" })
      const deleted = yield* odin.delete(`${of(loki)}/${second.id}`)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      assertProblem(yield* odin.delete(`${of(loki)}/${second.id}`), WarningNotFound)
      assert.deepStrictEqual(ok(yield* loki.get(of(loki))), { warnings: [changed], total: 1 })
    })
  )

  it.effect("is in the audit log with all that became of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const staff = yield* signUp("auditor")
      yield* grant(staff, "VIEW_ACCOUNTS", "MANAGE_WARNINGS")
      const { id } = ok(yield* staff.post(of(freya), { reason: "One" }))
      const about = { account_id: freya.id, warning_id: id }
      ok(yield* odin.patch(`${of(freya)}/${id}`, { reason: "Two" }))
      // The same reason is no change.
      ok(yield* odin.patch(`${of(freya)}/${id}`, { reason: " Two " }))
      yield* odin.delete(`${of(freya)}/${id}`)
      const [warned, ...others] = (yield* audit(odin, "account_warned")).filter(
        ({ warning_id }: typeof about) => warning_id === id
      )
      assert.deepStrictEqual(others, [])
      const { enacted_by, id: _, timestamp: __, ...fields } = warned
      assert.deepStrictEqual([enacted_by.handle, fields], ["auditor", { type: "account_warned", ...about }])
      const updated = (yield* audit(odin, "account_warning_updated")).filter(
        ({ warning_id }: typeof about) => warning_id === id
      )
      assert.strictEqual(updated.length, 1)
      assert.deepStrictEqual(
        [updated[0].previous_reason, updated[0].reason, updated[0].enacted_by.handle],
        ["One", "Two", "odin"]
      )
      const [deleted] = yield* audit(odin, "account_warning_deleted")
      assert.deepStrictEqual([deleted.warning_id, deleted.enacted_by.handle], [id, "odin"])
    })
  )

  it.effect("is one of a thousand at most", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* fillWarnings(tyr.id)
      const { total, warnings } = ok(yield* tyr.get(of(tyr)))
      assert.deepStrictEqual([total, warnings.length], [1000, 1000])
      assertProblem(yield* odin.post(of(tyr), { reason: "x" }), TooManyWarnings, { maximum: 1000 })
    })
  )
})

layer(People.layer)("whoever is warned", (it) => {
  it.effect("is notified by whom, and shown their own profile", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      ok(yield* odin.post(of(freya), { reason: "One" }))
      ok(yield* odin.post(of(odin), { reason: "Of oneself" }))
      yield* drainEvents
      const { notifications } = ok(yield* freya.get("/notifications"))
      assert.strictEqual(notifications.length, 1)
      const { created_at: _, id, ...shown } = notifications[0]
      assert.strictEqual(shown.source.handle, "odin")
      assert.deepStrictEqual(shown, {
        event: "warning_issued",
        status: "unread",
        source: shown.source,
        item: { kind: "profile", ref: ok(yield* guest.get("/profiles/freya")) }
      })
      assert.strictEqual(ok(yield* freya.get("/accounts")).notifications, 1)
      const read = ok(yield* freya.patch(`/notifications/${id}`, { status: "read" }))
      assert.deepStrictEqual(read, { ...notifications[0], status: "read" })
      assert.deepStrictEqual(ok(yield* odin.get("/notifications")).notifications, [])
    })
  )

  it.effect("is shown it whatever else they may read", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      ok(yield* odin.post(of(loki), { reason: "One" }))
      yield* drainEvents
      yield* sql`update roles set permissions = '{}' where name = 'Member'`
      const { notifications } = ok(yield* loki.get("/notifications"))
      assert.strictEqual(notifications[0].item.ref.handle, "loki")
      assert.strictEqual(ok(yield* loki.get("/accounts")).notifications, 1)
      // A page has fewer of them where they are long, and each is whole.
      const bio = `<body>${"x".repeat(900_000)}</body>`
      yield* sql`update accounts set bio = ${bio} where id = ${loki.id}`
      for (const reason of ["Two", "Three", "Four"]) ok(yield* odin.post(of(loki), { reason }))
      yield* drainEvents
      const first = ok(yield* loki.get("/notifications"))
      assert.isBelow(first.notifications.length, 4)
      const second = ok(yield* loki.get(`/notifications?page=${first.next_page}`))
      const all = [...first.notifications, ...second.notifications]
      const lengths = all.map(({ item }: { item: { ref: { bio: string } } }) => item.ref.bio.length)
      assert.deepStrictEqual(lengths, Array(4).fill(bio.length))
    })
  )
})
