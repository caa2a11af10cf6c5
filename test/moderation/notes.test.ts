/** Notes on accounts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AccountNotFound, AdministratorHidden } from "../../src/domain/account/Account.ts"
import { ModerationNoteNotFound, TooManyNotes } from "../../src/domain/moderation/ModerationNote.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { fill } from "./scenarios.ts"

const on = (person: { readonly id: string }) => `/accounts/${person.id}/moderation-notes`

layer(People.layer)("a note on an account", (it) => {
  it.effect("is read by those who may view notes, and written by those who may manage them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const reader = yield* signUp("reader")
      const writer = yield* signUp("writer")
      yield* grant(reader, "VIEW_ACCOUNTS", "VIEW_MODERATION_NOTES")
      yield* grant(writer, "VIEW_ACCOUNTS", "MANAGE_MODERATION_NOTES")
      yield* grant(tyr, "VIEW_MODERATION_NOTES", "MANAGE_MODERATION_NOTES")
      const note = ok(yield* writer.post(on(freya), { content: "  Two\nlines  " }))
      assert.deepStrictEqual([note.content, note.author.handle], ["Two\nlines", "writer"])
      assert.deepStrictEqual(ok(yield* reader.get(on(freya))).notes, [note])
      assertProblem(yield* writer.get(on(freya)), Forbidden, { permission: "VIEW_MODERATION_NOTES" })
      assertProblem(yield* reader.post(on(freya), { content: "x" }), Forbidden)
      assertProblem(yield* reader.delete(`${on(freya)}/${note.id}`), Forbidden)
      // Whoever may not read the account may not read or write notes on it.
      assertProblem(yield* tyr.get(on(freya)), Forbidden, { permission: "VIEW_ACCOUNTS" })
      assertProblem(yield* tyr.post(on(freya), { content: "x" }), Forbidden, { permission: "VIEW_ACCOUNTS" })
      assertProblem(yield* tyr.delete(`${on(freya)}/${note.id}`), Forbidden, { permission: "VIEW_ACCOUNTS" })
      assertProblem(yield* writer.post(on(odin), { content: "x" }), AdministratorHidden)
      for (const [person, problem] of [
        [guest, Unauthenticated],
        [loki, Forbidden],
        [freya, Forbidden]
      ] as const) {
        assertProblem(yield* person.get(on(freya)), problem)
        assertProblem(yield* person.post(on(freya), { content: 1 }), problem)
        assertProblem(yield* person.delete(`${on(freya)}/${note.id}`), problem)
      }
    })
  )

  it.effect("is one of this account, and has a text", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const note = ok(yield* odin.post(on(loki), { content: "x".repeat(2000) }))
      assertProblem(yield* odin.delete(`${on(freya)}/${note.id}`), ModerationNoteNotFound)
      assertProblem(yield* odin.delete(`${on(loki)}/${nobody}`), ModerationNoteNotFound)
      assertProblem(yield* odin.post(on({ id: nobody }), { content: "x" }), AccountNotFound)
      for (const content of ["", " \n ", "x".repeat(2001), undefined]) {
        assertInvalid(yield* odin.post(on(loki), { content }), "body content")
      }
      const second = ok(yield* odin.post(on(loki), { content: "Second" }))
      assert.deepStrictEqual(ok(yield* odin.get(on(loki))).notes, [second, note])
      const deleted = yield* odin.delete(`${on(loki)}/${note.id}`)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      assertProblem(yield* odin.delete(`${on(loki)}/${note.id}`), ModerationNoteNotFound)
      assert.deepStrictEqual(ok(yield* odin.get(on(loki))).notes, [second])
      const { events } = ok(yield* odin.get("/admin/audit-events?types=moderation_note_deleted"))
      assert.deepStrictEqual([events.length, events[0].account_id, events[0].note_id], [1, loki.id, note.id])
      const created = ok(yield* odin.get("/admin/audit-events?types=moderation_note_created")).events
      assert.strictEqual(created[0].note_id, second.id)
      assert.strictEqual(created[0].enacted_by.handle, "odin")
    })
  )

  it.effect("is never the caller's business where it is about them, unless they are an administrator", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const forseti = yield* signUp("forseti")
      yield* grant(forseti, "VIEW_ACCOUNTS", "VIEW_MODERATION_NOTES", "MANAGE_MODERATION_NOTES")
      const note = ok(yield* odin.post(on(forseti), { content: "Watch him" }))
      const refused = { permission: "ADMINISTRATOR" } as const
      assertProblem(yield* forseti.get(on(forseti)), Forbidden, refused)
      assertProblem(yield* forseti.post(on(forseti), { content: "x" }), Forbidden, refused)
      assertProblem(yield* forseti.delete(`${on(forseti)}/${note.id}`), Forbidden, refused)
      assert.deepStrictEqual(ok(yield* odin.get(on(forseti))).notes, [note])
      const own = ok(yield* odin.post(on(odin), { content: "x" }))
      assert.deepStrictEqual(ok(yield* odin.get(on(odin))).notes, [own])
      assert.strictEqual((yield* odin.delete(`${on(odin)}/${own.id}`)).status, 204)
    })
  )

  it.effect("is one of a thousand at most", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* fill(tyr.id)
      assert.strictEqual(ok(yield* odin.get(on(tyr))).notes.length, 1000)
      assertProblem(yield* odin.post(on(tyr), { content: "x" }), TooManyNotes, { maximum: 1000 })
    })
  )
})
