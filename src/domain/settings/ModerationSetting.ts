import { Schema } from "effect"
import * as Text from "../field/Text.ts"

/** How many words a list may have, and how many characters each of them. */
export const wordBounds = { number: 1_000, length: 100 }

const Words = Schema.Array(
  Text.visibleLine({ max: wordBounds.length, description: "A word, or several with spaces between them" })
).check(Schema.isMaxLength(wordBounds.number))

// What sanitised texts have at most is far more than people write.
const Bytes = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const fields = {
  thread_body_length_max: Bytes(512 * 1024).annotate({
    description: "How many bytes of plain text a published thread may have"
  }),
  reply_body_length_max: Bytes(128 * 1024).annotate({
    description: "How many bytes of plain text a published reply may have"
  }),
  signature_length_max: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
    description: "How many characters of plain text a signature may have"
  }),
  word_block_list: Words.annotate({
    description: "Threads and replies with any of these words are refused. Letter case does not matter."
  }),
  word_report_list: Words.annotate({
    description: "Threads and replies with any of these words are held for review, and reported"
  })
}

/** What may be published. */
export const ModerationSettings = Schema.Struct(fields).annotate({
  identifier: "ModerationServiceSettings",
  description: "What may be published"
})
export interface ModerationSettings extends Schema.Schema.Type<typeof ModerationSettings> {}

export const ModerationChanges = ModerationSettings.mapFields((all) => ({
  thread_body_length_max: Schema.optionalKey(all.thread_body_length_max),
  reply_body_length_max: Schema.optionalKey(all.reply_body_length_max),
  signature_length_max: Schema.optionalKey(all.signature_length_max),
  word_block_list: Schema.optionalKey(all.word_block_list),
  word_report_list: Schema.optionalKey(all.word_report_list)
})).annotate({
  identifier: "ModerationServiceMutableProps",
  description: "What to change of what may be published; absent fields stay as they are, lists are replaced"
})
/** A change of the moderation settings: absent keys stay as they are; lists are replaced. */
export interface ModerationChanges extends Schema.Schema.Type<typeof ModerationChanges> {}

export const moderationDefaults: ModerationSettings = {
  thread_body_length_max: 60_000,
  reply_body_length_max: 10_000,
  signature_length_max: 500,
  word_block_list: [],
  word_report_list: []
}
