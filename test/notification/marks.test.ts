import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotificationNotFound } from "../../src/domain/notification/Notification.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, nobody, type Person, query, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

/** Starts without notifications. */
const deleteAll = SqlClient.SqlClient.use((sql) => sql`delete from notifications`)

layer(People.layer)("marking notifications", (it) => {
  const three = Effect.gen(function* () {
    const { freya, loki } = yield* Cast
    yield* deleteAll
    const thread = yield* open(freya, "Noise")
    for (const body of ["1", "2", "3"]) {
      yield* TestClock.adjust("1 second")
      yield* reply(loki, thread.id, body)
    }
    yield* drainEvents
    const { notifications } = ok(yield* freya.get("/notifications"))
    return { ids: idsOf(notifications), thread }
  })

  const statuses = (person: Person) =>
    Effect.map(person.get("/notifications"), (answer) =>
      ok(answer).notifications.map(({ status }: { status: string }) => status)
    )

  it.effect("sets one to read and back to unread, and updates the count", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { ids } = yield* three
      const [first] = ok(yield* freya.get("/notifications")).notifications
      const unread = Effect.map(freya.get("/accounts"), (answer) => ok(answer).notifications)
      assert.strictEqual(yield* unread, 3)
      const path = `/notifications/${ids[0]}`
      assert.deepStrictEqual(ok(yield* freya.patch(path, { status: "read" })), { ...first, status: "read" })
      assert.strictEqual(yield* unread, 2)
      assert.deepStrictEqual(yield* statuses(freya), ["read", "unread", "unread"])
      for (const nothing of [{}, { unknown: 1 }, undefined]) {
        assert.deepStrictEqual(ok(yield* freya.patch(path, nothing)), { ...first, status: "read" })
      }
      assert.deepStrictEqual(ok(yield* freya.patch(path, { status: "unread" })), first)
      assert.strictEqual(yield* unread, 3)
    })
  )

  it.effect("shows in the list, which is newest first, and filtered by status", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { ids } = yield* three
      ok(yield* freya.patch(`/notifications/${ids[1]}`, { status: "read" }))
      for (const [status, expected] of [
        [[], ids],
        [["read"], [ids[1]]],
        [["unread"], [ids[0], ids[2]]],
        [["unread", "read"], ids]
      ] as const) {
        const list = ok(yield* freya.get(`/notifications${query({ status })}`))
        assert.deepStrictEqual(idsOf(list.notifications), [...expected])
        assert.strictEqual(list.results, expected.length)
        assert.strictEqual(list.current_page, 1)
      }
      assertInvalid(yield* freya.get("/notifications?status=gone"), "query status.0")
      const nobodys = yield* signUp("quiet")
      assert.deepStrictEqual(ok(yield* nobodys.get("/notifications")), {
        page_size: 50,
        results: 0,
        total_pages: 0,
        current_page: 1,
        notifications: []
      })
    })
  )

  it.effect(
    "sets several at once, answered in the order of the request, and skips those without a status",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const { ids } = yield* three
        const mark = (...notifications: ReadonlyArray<object>) =>
          freya.patch("/notifications", { notifications })
        const answer = ok(
          yield* mark({ id: ids[2], status: "read" }, { id: ids[1] }, { id: ids[0], status: "read" })
        )
        const { notifications, ...numbers } = answer
        assert.deepStrictEqual(numbers, { page_size: 2, results: 2, total_pages: 1, current_page: 1 })
        assert.deepStrictEqual(idsOf(notifications), [ids[2], ids[0]])
        assert.deepStrictEqual(yield* statuses(freya), ["read", "unread", "read"])
        assert.strictEqual(notifications[0].item.ref.title, "Noise")

        // If an id is sent twice, the last status counts, and the answer has it once.
        const twice = ok(yield* mark({ id: ids[1], status: "unread" }, { id: ids[1], status: "read" }))
        assert.deepStrictEqual(
          twice.notifications.map(({ id, status }: { id: string; status: string }) => [id, status]),
          [[ids[1], "read"]]
        )
        ok(yield* mark({ id: ids[1], status: "read" }, { id: ids[1], status: "unread" }, { id: ids[1] }))
        assert.deepStrictEqual(yield* statuses(freya), ["read", "unread", "read"])

        assert.deepStrictEqual(ok(yield* mark()).notifications, [])
        assert.deepStrictEqual(ok(yield* mark({ id: ids[0] })).notifications, [])
        const all = ok(yield* mark(...Array.from({ length: 200 }, () => ({ id: ids[0], status: "unread" }))))
        assert.deepStrictEqual(idsOf(all.notifications), [ids[0]])
      })
  )

  it.effect("sets all or none: one that is not the caller's changes nothing", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { ids, thread } = yield* three
      const mine = yield* reply(loki, thread.id, "for loki")
      yield* reply(freya, thread.id, "answer", { reply_to: mine.id })
      yield* drainEvents
      const [foreign] = idsOf(ok(yield* loki.get("/notifications")).notifications)
      for (const id of [foreign ?? "", nobody]) {
        for (const change of [{ id, status: "read" }, { id }]) {
          const notifications = [{ id: ids[0], status: "read" }, change, { id: ids[1], status: "read" }]
          assertProblem(yield* freya.patch("/notifications", { notifications }), NotificationNotFound, {
            notification_id: id
          })
        }
        assertProblem(yield* freya.patch(`/notifications/${id}`, { status: "read" }), NotificationNotFound, {
          notification_id: id
        })
      }
      assert.deepStrictEqual([...new Set(yield* statuses(freya))], ["unread"])
      assert.deepStrictEqual(yield* statuses(loki), ["unread"])
      for (const id of ["short", `${ids[0]}x`, "%20"]) {
        assertProblem(yield* freya.patch(`/notifications/${id}`, {}), NotificationNotFound)
      }
    })
  )

  it.effect("sets one whose item was deleted since, and answers without the item", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { ids, thread } = yield* three
      const lokis = yield* open(loki, "Hides")
      yield* reply(freya, lokis.id, "x")
      ok(yield* freya.delete(`/threads/${thread.id}`))
      const [, one] = ids
      const marked = ok(yield* freya.patch(`/notifications/${one}`, { status: "read" }))
      assert.notProperty(marked, "item")
      assert.strictEqual(marked.status, "read")
      assert.strictEqual(marked.source.handle, "loki")
      const several = ok(
        yield* freya.patch("/notifications", { notifications: ids.map((id) => ({ id, status: "read" })) })
      )
      assert.deepStrictEqual(idsOf(several.notifications), ids)
      for (const notification of several.notifications) assert.notProperty(notification, "item")
    })
  )

  it.effect("answers without the item while the caller may not read it", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      yield* deleteAll
      const thread = yield* open(freya, "Hidden later")
      const mine = yield* reply(loki, thread.id, "mine")
      const answer = yield* reply(freya, thread.id, "answer", { reply_to: mine.id })
      yield* drainEvents
      const [{ id }] = ok(yield* loki.get("/notifications")).notifications
      const marked = Effect.gen(function* () {
        const one = ok(yield* loki.patch(`/notifications/${id}`, { status: "read" }))
        const unchanged = ok(yield* loki.patch(`/notifications/${id}`, {}))
        const many = ok(yield* loki.patch("/notifications", { notifications: [{ id, status: "read" }] }))
        return [one, unchanged, ...many.notifications].map((shown) => shown.item?.ref.id)
      })
      const all = (item: string | undefined) => [item, item, item]
      assert.deepStrictEqual(yield* marked, all(answer.id))
      for (const [path, visibility] of [
        [`/posts/${answer.id}`, "review"],
        [`/posts/${answer.id}`, "unlisted"],
        [`/threads/${thread.id}`, "unlisted"],
        [`/threads/${thread.id}`, "draft"]
      ] as const) {
        ok(yield* tyr.patch(path, { visibility }))
        assert.deepStrictEqual(yield* marked, all(undefined), `${path} ${visibility}`)
        ok(yield* tyr.patch(path, { visibility: "published" }))
        assert.deepStrictEqual(yield* marked, all(answer.id))
      }
    })
  )

  it.effect("answers without the thread while the reply that it is about is hidden", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      yield* deleteAll
      const thread = yield* open(freya, "Still here")
      const answer = yield* reply(loki, thread.id, "hidden later")
      yield* drainEvents
      const [{ id, item }] = ok(yield* freya.get("/notifications")).notifications
      assert.strictEqual(item.ref.id, thread.id)
      const change = { id, status: "read" }
      const marked = Effect.gen(function* () {
        const one = ok(yield* freya.patch(`/notifications/${id}`, change))
        const many = ok(yield* freya.patch("/notifications", { notifications: [change] }))
        return [one, ...many.notifications].map((shown) => shown.item?.ref.id)
      })
      for (const visibility of ["review", "unlisted", "draft"]) {
        ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility }))
        assert.deepStrictEqual(yield* marked, [undefined, undefined], visibility)
        ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "published" }))
        assert.deepStrictEqual(yield* marked, [thread.id, thread.id])
      }
      ok(yield* loki.delete(`/posts/${answer.id}`))
      assert.deepStrictEqual(yield* marked, [undefined, undefined])
    })
  )

  it.effect("names every invalid field, and refuses guests", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { ids } = yield* three
      assertInvalid(yield* freya.patch("/notifications"), "body notifications")
      assertInvalid(yield* freya.patch("/notifications", { notifications: null }), "body notifications")
      assertInvalid(
        yield* freya.patch("/notifications", {
          notifications: [
            { status: "read" },
            { id: "short" },
            { id: ids[0], status: "gone" },
            { id: ids[0], status: null }
          ]
        }),
        "body notifications.0.id",
        "body notifications.1.id",
        "body notifications.2.status",
        "body notifications.3.status"
      )
      assertInvalid(yield* freya.patch(`/notifications/${ids[0]}`, { status: null }), "body status")
      assertProblem(yield* guest.get("/notifications"), Unauthenticated, {})
      assertProblem(yield* guest.patch("/notifications", "junk"), Unauthenticated, {})
      assertProblem(yield* guest.patch(`/notifications/${ids[0]}`, "junk"), Unauthenticated, {})
    })
  )
})
