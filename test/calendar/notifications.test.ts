import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { announce, leave, takePart } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, type Person, signUp } from "../support/people.ts"

/** What a person is told since the last look. */
const told = Effect.fnUntraced(function* (person: Person) {
  yield* drainEvents
  const { notifications } = ok(yield* person.get("/notifications"))
  const unread = ok(yield* person.get("/accounts")).notifications
  assert.strictEqual(unread, notifications.length)
  yield* SqlClient.SqlClient.use((sql) => sql`delete from notifications where account_id = ${person.id}`)
  return notifications.map(
    (one: { event: string; source: { handle: string }; item?: unknown; target?: unknown }) => {
      assert.notProperty(one, "item")
      assert.notProperty(one, "target")
      return `${one.event} by ${one.source.handle}`
    }
  )
})

layer(People.layer)("of an event,", (it) => {
  it.effect(
    "hosts are told when members attend and decline, once for each change, and not of themselves",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin } = yield* Cast
        const place = yield* category(odin, "Told")
        const { id } = yield* announce(odin, place.id, "Told")
        ok(yield* takePart(odin, id, loki, { role: "host" }))
        assert.deepStrictEqual(yield* told(loki), ["event_host_added by odin"])
        assert.deepStrictEqual(yield* told(odin), [])

        ok(yield* takePart(freya, id, freya))
        ok(yield* takePart(freya, id, freya))
        for (const host of [odin, loki]) {
          assert.deepStrictEqual(yield* told(host), ["member_attending_event by freya"])
        }
        ok(yield* takePart(freya, id, freya, { status: "declined" }))
        ok(yield* takePart(loki, id, loki, { status: "attending" }))
        assert.deepStrictEqual((yield* told(odin)).toSorted(), [
          "member_attending_event by loki",
          "member_declined_event by freya"
        ])
        assert.deepStrictEqual(yield* told(loki), ["member_declined_event by freya"])
        assert.deepStrictEqual(yield* told(freya), [])
      })
  )

  it.effect(
    "accounts are told when others make them hosts or remove them, and when nothing else happens",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const place = yield* category(odin, "Moved")
        const planner = yield* signUp("planner")
        yield* grant(planner, "MANAGE_EVENTS")
        const { id } = yield* announce(odin, place.id, "Moved")
        ok(yield* takePart(planner, id, freya, { status: "invited" }))
        ok(yield* takePart(planner, id, freya, { status: "attending" }))
        ok(yield* takePart(planner, id, planner, { role: "host", status: "invited" }))
        for (const person of [freya, odin, planner]) assert.deepStrictEqual(yield* told(person), [])
        ok(yield* takePart(planner, id, freya, { role: "host" }))
        ok(yield* takePart(planner, id, freya, { role: "host", status: "declined" }))
        assert.deepStrictEqual(yield* told(freya), ["event_host_added by planner"])
        ok(yield* leave(odin, id, freya))
        assert.deepStrictEqual(yield* told(freya), ["attendee_removed by odin"])
        ok(yield* takePart(loki, id, loki))
        yield* told(odin)
        ok(yield* leave(loki, id, loki))
        for (const person of [loki, odin, tyr]) assert.deepStrictEqual(yield* told(person), [])
      })
  )

  it.effect("nobody is told of a request, nor of what was refused", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Quiet")
      const { id } = yield* announce(odin, place.id, "Quiet", {
        participation_policy: "invite_only",
        capacity: 0
      })
      ok(yield* takePart(freya, id, freya))
      yield* takePart(freya, id, freya, { status: "attending" })
      ok(yield* takePart(odin, id, freya, { status: "invited" }))
      assert.strictEqual((yield* takePart(freya, id, freya, { status: "attending" })).status, 409)
      assert.deepStrictEqual(yield* told(odin), [])
      assert.deepStrictEqual(yield* told(freya), [])
    })
  )

  it.effect("a notification can be read and marked like others", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const place = yield* category(odin, "Marked")
      const { id } = yield* announce(odin, place.id, "Marked")
      ok(yield* takePart(odin, id, freya, { role: "host" }))
      yield* drainEvents
      const [notification] = ok(yield* freya.get("/notifications")).notifications
      const changed = ok(yield* freya.patch(`/notifications/${notification.id}`, { status: "read" }))
      assert.deepStrictEqual(changed, { ...notification, status: "read" })
    })
  )
})
