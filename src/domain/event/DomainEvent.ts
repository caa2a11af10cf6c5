import { Schema } from "effect"
import { AccountId, CategoryId, PostId } from "../shared/Id.ts"

const thread = { id: PostId }
const reply = { thread_id: PostId, reply_id: PostId }

/** Something that happened, as others may want to know of it: past tense, ids only. */
export const DomainEvent = Schema.Union([
  Schema.TaggedStruct("AccountCreated", { id: AccountId }),
  Schema.TaggedStruct("AccountUpdated", { id: AccountId }),
  Schema.TaggedStruct("CategoryUpdated", { id: CategoryId, slug: Schema.String }),
  Schema.TaggedStruct("ThreadPublished", thread),
  Schema.TaggedStruct("ThreadUnpublished", thread),
  Schema.TaggedStruct("ThreadUpdated", thread),
  Schema.TaggedStruct("ThreadDeleted", thread),
  Schema.TaggedStruct("ThreadReplyCreated", {
    ...reply,
    thread_author_id: AccountId,
    reply_author_id: AccountId,
    reply_to_author_id: Schema.optionalKey(AccountId),
    reply_to_target_id: Schema.optionalKey(PostId)
  }),
  Schema.TaggedStruct("ThreadReplyUpdated", reply),
  Schema.TaggedStruct("ThreadReplyPublished", reply),
  Schema.TaggedStruct("ThreadReplyUnpublished", reply),
  Schema.TaggedStruct("ThreadReplyDeleted", reply),
  Schema.TaggedStruct("MemberMentioned", { by: AccountId, mentioned: AccountId, thread_id: PostId })
])
export type DomainEvent = typeof DomainEvent.Type
