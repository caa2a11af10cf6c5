/** What is decided about an event when another transaction changes it while a request waits for it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { EventNotFound, NotHost } from "../../src/domain/calendar/CalendarEvent.ts"
import { ParticipationRefused } from "../../src/domain/calendar/Participant.ts"
import { type Answer, ok } from "../support/answers.ts"
import { announce, leave, participantsOf, takePart } from "../support/calendar.ts"
import { untilWaiting } from "../support/database.ts"
import { category } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

/** What a request answers that begins while another transaction makes a change. */
const meanwhile = Effect.fnUntraced(function* <A, E, R, F, S>(
  change: Effect.Effect<A, E, R>,
  request: Effect.Effect<Answer, F, S>
) {
  const sql = yield* SqlClient.SqlClient
  const asked = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* change
      const asked = yield* Effect.forkChild(request)
      yield* untilWaiting(1)
      return asked
    })
  )
  return yield* Fiber.join(asked)
})

layer(People.layer)("a request that waits for an event", (it) => {
  const prepare = Effect.fnUntraced(function* (name: string) {
    const { freya, loki, odin } = yield* Cast
    const sql = yield* SqlClient.SqlClient
    const place = yield* category(odin, name)
    const event = yield* announce(odin, place.id, name)
    ok(yield* takePart(odin, event.id, freya, { role: "host" }))
    ok(yield* takePart(loki, event.id, loki))
    return {
      event,
      demote: sql`update calendar_participants set role = 'attendee'
        where event_id = ${event.id} and account_id = ${freya.id}`,
      hide: sql`update calendar_events set visibility = 'draft' where id = ${event.id}`,
      read: Effect.map(odin.get(`/events/${event.id}`), ok)
    }
  })

  it.effect("is refused to who is no host any more", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      for (const [name, request, refused] of [
        ["changed", (id: string) => freya.patch(`/events/${id}`, { name: "Mine" }), NotHost],
        ["deleted", (id: string) => freya.delete(`/events/${id}`), NotHost],
        ["invited", (id: string) => takePart(freya, id, loki, { status: "invited" }), ParticipationRefused],
        ["removed", (id: string) => leave(freya, id, loki), ParticipationRefused]
      ] as const) {
        const { demote, event, read } = yield* prepare(name)
        assertProblem(yield* meanwhile(demote, request(event.id)), refused)
        const after = yield* read
        assert.strictEqual(after.name, name)
        assert.deepStrictEqual(participantsOf(after), [
          "odin host attending",
          "freya attendee requested",
          "loki attendee attending"
        ])
      }
    })
  )

  it.effect("does not find what its caller may not see any more", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const one = yield* prepare("one")
      const hidden = Effect.andThen(one.demote, one.hide)
      const changed = yield* meanwhile(hidden, freya.patch(`/events/${one.event.id}`, { name: "Mine" }))
      assertProblem(changed, EventNotFound)
      const two = yield* prepare("two")
      const declined = yield* meanwhile(two.hide, takePart(loki, two.event.id, loki, { status: "declined" }))
      // What one did, one may take back.
      assert.strictEqual(declined.status, 200)
      const three = yield* prepare("three")
      const left = yield* meanwhile(three.hide, leave(loki, three.event.id, loki))
      assert.strictEqual(left.status, 200)
      for (const [{ event, read }, takesPart] of [
        [one, true],
        [two, false],
        [three, false]
      ] as const) {
        const after = yield* read
        assert.strictEqual(after.name, event.name)
        assert.strictEqual(participantsOf(after).includes("loki attendee attending"), takesPart)
      }
    })
  )
})
