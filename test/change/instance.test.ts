/** What others are told of categories, reports, the calendar and settings. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { announce, leave, takePart } from "../support/calendar.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { tells, told } from "./listening.ts"

layer(People.layer)("a category", (it) => {
  it.effect(
    "is told of when it is created, changed, moved, also out of one that is deleted, and deleted",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const other = yield* category(odin, "Other")
        const { answer, changes } = yield* told(category(odin, "Place"))
        const updated = { event: "EventCategoryUpdated", id: answer.id, slug: "place" }
        assert.deepStrictEqual(changes, [updated])
        yield* tells(odin.patch("/categories/place", { description: "Here" }), updated)
        yield* tells(odin.patch("/categories/place", {}))
        yield* tells(odin.patch("/categories/place/position", { before: other.id }), updated)
        const child = yield* category(odin, "Corner", { parent: answer.id })
        const renamed = { ...updated, slug: "there" }
        yield* tells(odin.patch("/categories/place", { slug: "there" }), renamed)
        yield* tells(
          odin.delete("/categories/there", { move_to: other.id }),
          { ...renamed, event: "EventCategoryDeleted" },
          { ...updated, id: child.id, slug: "corner" }
        )
      })
  )
})

layer(People.layer)("a report", (it) => {
  it.effect("is told of when it is made and dealt with", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id: threadId } = yield* open(freya, "Reported")
      const target = { kind: "thread", id: threadId }
      const made = yield* told(
        Effect.map(loki.post("/reports", { target_id: threadId, target_kind: "thread" }), ok)
      )
      const report = { id: made.answer.id, target, reported_by: loki.id }
      assert.deepStrictEqual(made.changes, [{ event: "EventReportCreated", ...report }])
      const updated = { event: "EventReportUpdated", ...report }
      const path = `/reports/${made.answer.id}`
      yield* tells(loki.patch(path, { status: "resolved" }), { ...updated, status: "resolved" })
      yield* tells(odin.patch(path, { status: "acknowledged" }), {
        ...updated,
        handled_by: odin.id,
        status: "acknowledged"
      })
      yield* tells(odin.patch(path, { status: "resolved" }), {
        ...updated,
        handled_by: odin.id,
        status: "resolved"
      })
      yield* tells(odin.patch(path, {}))
    })
  )
})

layer(People.layer)("an event of the calendar", (it) => {
  const activity = (what: string, { id }: { readonly id: string }) => ({
    event: `EventActivity${what}`,
    id
  })

  it.effect("is told of when it is created, changed, published and deleted", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* category(odin, "Feasts")
      const planned = yield* told(announce(odin, id, "Planned", { visibility: "draft" }))
      const one = planned.answer
      assert.deepStrictEqual(planned.changes, [activity("Created", one)])
      const path = `/events/${one.id}`
      yield* tells(odin.patch(path, { description: "Food" }), activity("Updated", one))
      yield* tells(
        odin.patch(path, { visibility: "published" }),
        activity("Updated", one),
        activity("Published", one)
      )
      yield* tells(odin.patch(path, { visibility: "published" }), activity("Updated", one))
      yield* tells(odin.patch(path, {}))
      yield* tells(takePart(freya, one.id, freya))
      yield* tells(leave(freya, one.id, freya))
      const thread = one.thread.id
      // Its name and its text are those of its thread.
      yield* tells(
        odin.patch(path, { name: "Eaten" }),
        { event: "EventThreadUpdated", id: thread },
        activity("Updated", one)
      )
      yield* tells(odin.delete(path), { event: "EventThreadDeleted", id: thread }, activity("Deleted", one))
    })
  )

  it.effect("is told of as published when it is created so, and as deleted with its thread", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* category(odin, "More feasts")
      const { answer, changes } = yield* told(announce(odin, id, "Announced"))
      assert.deepStrictEqual(changes, [activity("Created", answer), activity("Published", answer)])
      const thread = answer.thread.id
      yield* tells(
        odin.delete(`/threads/${thread}`),
        { event: "EventThreadDeleted", id: thread },
        activity("Deleted", answer)
      )
    })
  )
})

layer(People.layer)("the settings", (it) => {
  it.effect("are told of when they change, as everyone may read them then", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { answer, changes } = yield* told(
        odin.patch("/admin", {
          title: "Asgard",
          content: "<p>Home</p>",
          motd: { content: "<p>Feast</p>", start_at: "2026-11-22T00:00:00Z" },
          metadata: { nested: [{ deep: null }] },
          reserved_handles: ["ymir"],
          services: { moderation: { word_block_list: ["giant"] } }
        })
      )
      ok(answer)
      const info = ok(yield* guest.get("/info"))
      assert.deepStrictEqual(changes, [{ event: "EventSettingsUpdated", settings: info }])
      assert.strictEqual(info.title, "Asgard")
      assert.notMatch(JSON.stringify(changes), /ymir|giant/)
      yield* tells(odin.patch("/admin", {}))
      const limits = yield* told(odin.patch("/admin", { services: { rate_limiting: { rate_limit: 4_000 } } }))
      assert.deepStrictEqual(limits.changes, [{ event: "EventSettingsUpdated", settings: info }])
    })
  )
})
