/** What staff note on accounts, for each other. */
import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { ModerationNoteId } from "../shared/Id.ts"
import { Problem } from "../shared/Problem.ts"
import { note } from "./ModerationExamples.ts"

/** Notes that one account may have. */
export const notesMax = 1000

export const ModerationNote = Schema.Struct({
  id: ModerationNoteId,
  created_at: Timestamp.annotateKey({ description: "When it was written" }),
  author: Schema.optionalKey(ProfileReference).annotateKey({
    description: "Who wrote it; absent if the account is gone"
  }),
  content: Schema.String.annotate({ description: "Plain text" })
})
  .annotate({ identifier: "ModerationNote", description: "What staff noted on an account" })
  .pipe(withExample(note))
export interface ModerationNote extends Schema.Schema.Type<typeof ModerationNote> {}

export const ModerationNoteListResult = Schema.Struct({ notes: Schema.Array(ModerationNote) })
  .annotate({ identifier: "ModerationNoteListResult", description: "The notes on an account, newest first" })
  .pipe(withExample({ notes: [note] }))

/** The longest note, in characters. */
export const contentLength = 2000

export const NewModerationNote = Schema.Struct({
  content: Text.visibleLines({ max: contentLength, description: "Plain text that is not blank" })
})
  .annotate({ identifier: "ModerationNoteInitialProps", description: "A note to write" })
  .pipe(withExample({ content: note.content }))
export interface NewModerationNote extends Schema.Schema.Type<typeof NewModerationNote> {}

export class ModerationNoteNotFound extends Problem<ModerationNoteNotFound>()("ModerationNoteNotFound", {
  status: 404,
  title: "There is no such note on this account",
  explanation: "The account has no note with this id; it may have been deleted, or is on another account.",
  metadata: { moderation_note_id: Schema.String }
}) {}

export class TooManyNotes extends Problem<TooManyNotes>()("TooManyNotes", {
  status: 409,
  title: "This account has too many notes",
  explanation: `There may be ${notesMax.toLocaleString("en")} notes on an account. Delete one to write another.`,
  metadata: { maximum: Schema.Int }
}) {}
