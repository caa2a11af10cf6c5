import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountNotFound, AdministratorHidden } from "../../domain/account/Account.ts"
import * as Text from "../../domain/field/Text.ts"
import {
  ModerationNote,
  ModerationNoteListResult,
  ModerationNoteNotFound,
  NewModerationNote,
  TooManyNotes
} from "../../domain/moderation/ModerationNote.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { membersWith } from "../contract/AccessPolicies.ts"
import { Deleted } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const account = { account_id: AccountId.annotateKey({ description: "The id of the account" }) }

const targetProblems = [AccountNotFound, Forbidden, AdministratorHidden] as const

export class ModerationNotesApi extends HttpApiGroup.make("moderationNotes")
  .add(
    HttpApiEndpoint.get("list", "/", {
      params: account,
      success: ModerationNoteListResult,
      error: targetProblems
    }).pipe(
      operation({
        id: "AccountModerationNoteList",
        cost: "quick",
        summary: "List the notes on an account",
        description:
          "Newest first. The caller must be allowed to read the account as well; notes on themselves are for administrators.",
        access: membersWith("VIEW_MODERATION_NOTES")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      params: account,
      payload: NewModerationNote,
      success: ModerationNote,
      error: [...targetProblems, TooManyNotes, ModerationNoteNotFound]
    }).pipe(
      operation({
        id: "AccountModerationNoteCreate",
        cost: "write",
        summary: "Write a note on an account",
        description: "For staff; the account is not told. Notes do not change.",
        access: membersWith("MANAGE_MODERATION_NOTES")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:moderation_note_id", {
      params: { ...account, moderation_note_id: Text.mark({ description: "The id of the note" }) },
      success: Deleted,
      error: [...targetProblems, ModerationNoteNotFound]
    }).pipe(
      operation({
        id: "AccountModerationNoteDelete",
        cost: "write",
        summary: "Delete a note on an account",
        description: "It is gone; that it was deleted is in the audit log.",
        access: membersWith("MANAGE_MODERATION_NOTES")
      })
    )
  )
  .prefix("/accounts/:account_id/moderation-notes")
  .annotateMerge(
    OpenApi.annotations({ title: "moderation notes", description: "What staff note on accounts" })
  ) {}
