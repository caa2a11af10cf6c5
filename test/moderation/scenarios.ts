import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound, AdministratorHidden } from "../../src/domain/account/Account.ts"
import { AuditEventNotFound } from "../../src/domain/moderation/AuditEvent.ts"
import { ModerationNoteNotFound, TooManyNotes } from "../../src/domain/moderation/ModerationNote.ts"
import { AdministratorProtected, SuspensionOfSelf } from "../../src/domain/moderation/Suspension.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { Cast, drainEvents, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** Gives an account as many notes as it may have. */
export const fill = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into moderation_notes (id, account_id, created_at, content)
      select 'note' || lpad(n::text, 15, '0') || '0', ${id}, 'epoch', 'x' from generate_series(1, 1000) n`
  )

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(tyr, "MANAGE_SUSPENSIONS", "VIEW_ACCOUNTS", "VIEW_MODERATION_NOTES", "MANAGE_MODERATION_NOTES")
  const ban = (person: { readonly id: string }) => `/admin/bans/${person.id}`
  const notes = (person: { readonly id: string }) => `/accounts/${person.id}/moderation-notes`
  const { id } = ok(yield* tyr.post(notes(freya), { content: "A note" }))
  yield* fill(loki.id)
  yield* drainEvents
  const [entry] = ok(yield* odin.get("/admin/audit-events")).events
  return [
    { operation: "AdminAccountBanCreate", call: tyr.post(ban(freya)), expects: 200, statements: 11 },
    {
      operation: "AdminAccountBanCreate",
      when: "of an administrator",
      call: tyr.post(ban(odin)),
      expects: AdministratorProtected
    },
    {
      operation: "AdminAccountBanCreate",
      when: "of oneself",
      call: tyr.post(ban(tyr)),
      expects: SuspensionOfSelf
    },
    {
      operation: "AdminAccountBanCreate",
      when: "of nobody",
      call: tyr.post("/admin/bans/nobody"),
      expects: AccountNotFound
    },
    {
      operation: "AdminAccountBanCreate",
      when: "by a guest",
      call: guest.post(ban(loki)),
      expects: Unauthenticated
    },
    {
      operation: "AdminAccountBanCreate",
      when: "by a member",
      call: loki.post(ban(freya)),
      expects: Forbidden
    },
    { operation: "AdminAccountBanRemove", call: tyr.delete(ban(freya)), expects: 200, statements: 11 },
    {
      operation: "AdminAccountBanRemove",
      when: "of an administrator",
      call: tyr.delete(ban(odin)),
      expects: AdministratorProtected
    },
    {
      operation: "AdminAccountBanRemove",
      when: "of nobody",
      call: tyr.delete("/admin/bans/nobody"),
      expects: AccountNotFound
    },

    { operation: "AuditEventList", call: odin.get("/admin/audit-events"), expects: 200, statements: 5 },
    {
      operation: "AuditEventList",
      when: "by a member",
      call: tyr.get("/admin/audit-events"),
      expects: Forbidden
    },
    {
      operation: "AuditEventGet",
      call: odin.get(`/admin/audit-events/${entry.id}`),
      expects: 200,
      statements: 2
    },
    {
      operation: "AuditEventGet",
      when: "of none",
      call: odin.get(`/admin/audit-events/${nobody}`),
      expects: AuditEventNotFound
    },

    { operation: "AccountModerationNoteList", call: tyr.get(notes(freya)), expects: 200, statements: 5 },
    {
      operation: "AccountModerationNoteList",
      when: "on an administrator",
      call: tyr.get(notes(odin)),
      expects: AdministratorHidden
    },
    {
      operation: "AccountModerationNoteList",
      when: "on nobody",
      call: tyr.get(notes({ id: nobody })),
      expects: AccountNotFound
    },
    {
      operation: "AccountModerationNoteCreate",
      call: tyr.post(notes(freya), { content: "Another" }),
      expects: 200,
      statements: 7
    },
    {
      operation: "AccountModerationNoteCreate",
      when: "one too many",
      call: tyr.post(notes(loki), { content: "x" }),
      expects: TooManyNotes
    },
    {
      operation: "AccountModerationNoteCreate",
      when: "on an administrator",
      call: tyr.post(notes(odin), { content: "x" }),
      expects: AdministratorHidden
    },
    {
      operation: "AccountModerationNoteCreate",
      when: "on nobody",
      call: tyr.post(notes({ id: nobody }), { content: "x" }),
      expects: AccountNotFound
    },
    {
      operation: "AccountModerationNoteDelete",
      call: tyr.delete(`${notes(freya)}/${id}`),
      expects: 204,
      statements: 6
    },
    {
      operation: "AccountModerationNoteDelete",
      when: "again",
      call: tyr.delete(`${notes(freya)}/${id}`),
      expects: ModerationNoteNotFound
    },
    {
      operation: "AccountModerationNoteDelete",
      when: "on an administrator",
      call: tyr.delete(`${notes(odin)}/${id}`),
      expects: AdministratorHidden
    },
    {
      operation: "AccountModerationNoteDelete",
      when: "on nobody",
      call: tyr.delete(`${notes({ id: nobody })}/${id}`),
      expects: AccountNotFound
    }
  ]
})
