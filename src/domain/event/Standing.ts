/**
 * Whose something was, and how visible, when something happened to it: from that follows who may be told of it later,
 * when it may be different or gone.
 */
import { Schema } from "effect"
import { AccountId } from "../shared/Id.ts"
import { type Target, Visibility } from "../shared/Visibility.ts"

const visible = {
  visibility: Visibility,
  // How visible it was before, if that is what happened. Who could read it until then is told that they cannot any more.
  was: Schema.optionalKey(Visibility)
}

/** Of a thread, a reply or a node. */
export const Standing = Schema.Struct({ author_id: AccountId, ...visible })
export type Standing = typeof Standing.Type

/** Of a post: the post that opens a thread has that of its thread alone. */
export const PostStanding = Schema.Struct({ thread: Standing, reply: Schema.optionalKey(Standing) })
export type PostStanding = typeof PostStanding.Type

/** Of an event of the calendar, with those who take part as far as it depends on them. */
export const CalendarStanding = Schema.Struct({
  ...visible,
  hosts: Schema.optionalKey(Schema.Array(AccountId)),
  attendees: Schema.optionalKey(Schema.Array(AccountId))
})
export type CalendarStanding = typeof CalendarStanding.Type

/** The visibility before, where it was another one. */
export const wasOf = (before: Visibility | undefined, after: Visibility): { readonly was?: Visibility } =>
  before === undefined || before === after ? {} : { was: before }

/** What is recorded of something that has an author; `before` is the visibility that it had, if that has changed. */
export const standingOf = ({ authorId, visibility }: Target, before?: Visibility): Standing => ({
  author_id: authorId,
  visibility,
  ...wasOf(before, visibility)
})
