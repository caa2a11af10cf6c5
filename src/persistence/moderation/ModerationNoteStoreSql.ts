import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { type ModerationNote, notesMax, TooManyNotes } from "../../domain/moderation/ModerationNote.ts"
import { ModerationNoteStore } from "../../domain/moderation/ModerationNoteStore.ts"
import type { AccountId, ModerationNoteId } from "../../domain/shared/Id.ts"
import { ProfileCache, peopleVersion, type Resolved } from "../account/ProfileCache.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first } from "../shared/Query.ts"
import { toDate, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

interface Row {
  readonly id: ModerationNoteId
  readonly created_at: Date
  readonly author_id: AccountId | null
  readonly content: string
  readonly people_version: string
}

const columns = `id, created_at, author_id, content, ${peopleVersion} as people_version`

const noteOf = ({ author_id, content, created_at, id }: Row, { brief }: Resolved): ModerationNote => ({
  id,
  created_at: toTimestamp(created_at),
  ...(author_id === null ? {} : { author: brief(author_id) }),
  content
})

export const layer = Layer.effect(
  ModerationNoteStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const people = yield* ProfileCache

    const notesOf = (rows: ReadonlyArray<Row>) => people.show(rows, ({ author_id }) => [author_id], noteOf)

    return ModerationNoteStore.of({
      insert: ({ accountId, at, authorId, content, id }) =>
        sql`insert into moderation_notes (id, account_id, author_id, created_at, content)
          values (${id}, ${accountId}, ${authorId}, ${toDate(at)}, ${content})`.pipe(
          onViolationOf(
            "moderation_notes_number",
            () => new TooManyNotes({ metadata: { maximum: notesMax } })
          ),
          orDefect,
          Effect.asVoid
        ),

      find: Effect.fnUntraced(function* (id) {
        const rows = yield* all(
          reads<Row>`select ${reads.literal(columns)} from moderation_notes where id = ${id}`
        )
        return Option.fromUndefinedOr((yield* notesOf(rows))[0])
      }),

      list: (accountId) =>
        Effect.flatMap(
          all(reads<Row>`select ${reads.literal(columns)} from moderation_notes
            where account_id = ${accountId} order by created_at desc, id desc`),
          notesOf
        ),

      delete: (accountId, id) =>
        Effect.map(
          first(sql<{ readonly id: ModerationNoteId }>`delete from moderation_notes
            where account_id = ${accountId} and id = ${id} returning id`),
          (row) => Option.map(Option.fromUndefinedOr(row), (deleted) => deleted.id)
        )
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
