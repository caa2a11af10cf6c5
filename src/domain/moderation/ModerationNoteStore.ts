/** What the rules of notes need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, ModerationNoteId } from "../shared/Id.ts"
import type { ModerationNote, TooManyNotes } from "./ModerationNote.ts"

export interface NoteInsert {
  readonly id: ModerationNoteId
  readonly at: DateTime.Utc
  readonly accountId: AccountId
  readonly authorId: AccountId
  readonly content: string
}

export class ModerationNoteStore extends Context.Service<
  ModerationNoteStore,
  {
    readonly insert: (note: NoteInsert) => Effect.Effect<void, TooManyNotes>
    readonly find: (id: ModerationNoteId) => Effect.Effect<Option.Option<ModerationNote>>
    /** The notes on an account, newest first. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ModerationNote>>
    /** Deletes a note on an account, and answers its id if there was one. */
    readonly delete: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<ModerationNoteId>>
  }
>()("forum/domain/ModerationNoteStore") {}
