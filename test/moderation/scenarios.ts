import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  AccountNotFound,
  AdministratorHidden,
  AdministratorProtected
} from "../../src/domain/account/Account.ts"
import { AuditEventNotFound } from "../../src/domain/moderation/AuditEvent.ts"
import { SuspensionOfSelf } from "../../src/domain/moderation/ModerationAction.ts"
import { ModerationNoteNotFound, TooManyNotes } from "../../src/domain/moderation/ModerationNote.ts"
import { TooManyWarnings, WarningNotFound } from "../../src/domain/moderation/Warning.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** Gives an account as many notes as it may have. */
export const fill = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into moderation_notes (id, account_id, created_at, content)
      select 'note' || lpad(n::text, 15, '0') || '0', ${id}, 'epoch', 'x' from generate_series(1, 1000) n`
  )

/** The body of a request to remove what an account made. */
export const purgeOf = (account: { readonly id: string }, ...include: ReadonlyArray<string>) => ({
  action: "purge_account",
  account_id: account.id,
  include
})

/** Gives an account as many warnings as it may have. */
export const fillWarnings = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into account_warnings (id, account_id, issued_at, reason)
      select 'told' || lpad(n::text, 15, '0') || '0', ${id}, 'epoch', 'x' from generate_series(1, 1000) n`
  )

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(tyr, "MANAGE_SUSPENSIONS", "VIEW_ACCOUNTS", "VIEW_MODERATION_NOTES", "MANAGE_MODERATION_NOTES")
  yield* grant(tyr, "MANAGE_WARNINGS")
  const ban = (person: { readonly id: string }) => `/admin/bans/${person.id}`
  const notes = (person: { readonly id: string }) => `/accounts/${person.id}/moderation-notes`
  const warnings = (person: { readonly id: string }) => `/accounts/${person.id}/warnings`
  const { id } = ok(yield* tyr.post(notes(freya), { content: "A note" }))
  yield* fill(loki.id)
  yield* fillWarnings(loki.id)
  const given = ok(yield* odin.post(warnings(freya), { reason: "A warning" }))
  const warning = `${warnings(freya)}/${given.id}`
  yield* open(freya, "To be purged")
  const [entry] = ok(yield* odin.get("/admin/audit-events")).events
  return [
    { operation: "AdminAccountBanCreate", call: tyr.post(ban(freya)), expects: 200, statements: 13 },
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
    { operation: "AdminAccountBanRemove", call: tyr.delete(ban(freya)), expects: 200, statements: 13 },
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

    { operation: "AuditEventList", call: odin.get("/admin/audit-events"), expects: 200, statements: 4 },
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
    },

    { operation: "AccountWarningList", call: freya.get(warnings(freya)), expects: 200, statements: 5 },
    {
      operation: "AccountWarningList",
      when: "of another",
      call: freya.get(warnings(loki)),
      expects: Forbidden
    },
    {
      operation: "AccountWarningList",
      when: "of an administrator",
      call: tyr.get(warnings(odin)),
      expects: AdministratorHidden
    },
    {
      operation: "AccountWarningList",
      when: "of nobody",
      call: tyr.get(warnings({ id: nobody })),
      expects: AccountNotFound
    },
    {
      operation: "AccountWarningCreate",
      call: tyr.post(warnings(freya), { reason: "Another" }),
      expects: 200,
      statements: 7
    },
    {
      operation: "AccountWarningCreate",
      when: "one too many",
      call: tyr.post(warnings(loki), { reason: "x" }),
      expects: TooManyWarnings
    },
    {
      operation: "AccountWarningCreate",
      when: "of an administrator",
      call: tyr.post(warnings(odin), { reason: "x" }),
      expects: AdministratorHidden
    },
    {
      operation: "AccountWarningCreate",
      when: "of nobody",
      call: tyr.post(warnings({ id: nobody }), { reason: "x" }),
      expects: AccountNotFound
    },
    {
      operation: "AccountWarningUpdate",
      call: tyr.patch(warning, { reason: "Changed" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "AccountWarningUpdate",
      when: "to what it is",
      call: tyr.patch(warning, { reason: "Changed" }),
      expects: 200,
      statements: 6
    },
    {
      operation: "AccountWarningUpdate",
      when: "of an administrator",
      call: tyr.patch(`${warnings(odin)}/${nobody}`, { reason: "x" }),
      expects: AdministratorHidden
    },
    {
      operation: "AccountWarningUpdate",
      when: "unknown",
      call: tyr.patch(`${warnings(freya)}/${nobody}`, { reason: "x" }),
      expects: WarningNotFound
    },
    {
      operation: "AccountWarningUpdate",
      when: "of nobody",
      call: tyr.patch(`${warnings({ id: nobody })}/${nobody}`, { reason: "x" }),
      expects: AccountNotFound
    },
    { operation: "AccountWarningDelete", call: tyr.delete(warning), expects: 204, statements: 6 },
    {
      operation: "AccountWarningDelete",
      when: "again",
      call: tyr.delete(warning),
      expects: WarningNotFound
    },
    {
      operation: "AccountWarningDelete",
      when: "of an administrator",
      call: tyr.delete(`${warnings(odin)}/${nobody}`),
      expects: AdministratorHidden
    },
    {
      operation: "AccountWarningDelete",
      when: "of nobody",
      call: tyr.delete(`${warnings({ id: nobody })}/${nobody}`),
      expects: AccountNotFound
    },

    {
      operation: "ModerationActionCreate",
      call: odin.post("/admin/actions", purgeOf(freya, "threads", "profile_bio")),
      expects: 201,
      statements: 21,
      goesOn: true
    },
    {
      operation: "ModerationActionCreate",
      when: "of nobody",
      call: odin.post("/admin/actions", purgeOf({ id: nobody }, "threads")),
      expects: AccountNotFound
    },
    {
      operation: "ModerationActionCreate",
      when: "of nothing",
      call: odin.post("/admin/actions", purgeOf(freya)),
      expects: InvalidRequest
    },
    {
      operation: "ModerationActionCreate",
      when: "without the permission",
      call: tyr.post("/admin/actions", purgeOf(freya, "threads")),
      expects: Forbidden
    },
    {
      operation: "ModerationActionCreate",
      when: "by a guest",
      call: guest.post("/admin/actions", purgeOf(freya, "threads")),
      expects: Unauthenticated
    }
  ]
})
